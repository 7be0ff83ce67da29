#include "manifolds.hpp"

#include <fmt/core.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "interpreter_lock.hpp"

namespace quasar::python {

Eigen::Map<const Mat> as_matrix(const Manifold& manifold, const Vector& numbers) {
  const auto [rows, cols] = manifold.shape();
  if (static_cast<Index>(numbers.size()) != rows * cols) {
    throw UsageError(fmt::format("{} numbers instead of {} x {}", numbers.size(), rows, cols));
  }
  return {numbers.data(), rows, cols};
}

NewArray<double> as_array(MatIn matrix) {
  auto array = new_array<double>({static_cast<std::size_t>(matrix.size())});
  Eigen::Map<Mat>(array.data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

namespace {

using In = const Vector&;
using Column = Eigen::Map<const Mat>;

// Other threads of Python go on meanwhile.
template <class Compute>
auto unlocked(const Compute& compute) {
  const InterpreterUnlocked gone;
  return compute();
}

template <class Compute>
NewArray<double> computed(const Compute& compute) {
  return as_array(unlocked([&]() -> Mat { return compute(); }));
}

// What comes from outside is checked here, all of it.
Column point(const PyManifold& m, In x) {
  const Column matrix = as_matrix(*m.manifold, x);
  m->check(matrix);
  return matrix;
}

Column tangent(const PyManifold& m, const Column& x, In u) {
  const Column matrix = as_matrix(*m.manifold, u);
  m->check_tangent(x, matrix);
  return matrix;
}

Column ambient(const PyManifold& m, In numbers) {
  const Column matrix = as_matrix(*m.manifold, numbers);
  if (!matrix.allFinite()) throw DataError(fmt::format("{}: a matrix has entries that are not finite", m->name()));
  return matrix;
}

double inner(const PyManifold& m, In x, In u, In v) {
  const Column at = point(m, x);
  return m->inner(at, tangent(m, at, u), tangent(m, at, v));
}

double norm(const PyManifold& m, In x, In u) {
  const Column at = point(m, x);
  return m->norm(at, tangent(m, at, u));
}

double distance(const PyManifold& m, In x, In y) {
  return unlocked([&] { return m->distance(point(m, x), point(m, y)); });
}

NewArray<double> project(const PyManifold& m, In x, In matrix) {
  return computed([&] { return m->project(point(m, x), ambient(m, matrix)); });
}

NewArray<double> gradient(const PyManifold& m, In x, In partials) {
  return computed([&] { return m->gradient(point(m, x), ambient(m, partials)); });
}

NewArray<double> hessian(const PyManifold& m, In x, In partials, In second, In u) {
  return computed([&] {
    const Column at = point(m, x);
    return m->hessian(at, ambient(m, partials), ambient(m, second), tangent(m, at, u));
  });
}

// Where a way ends: what overflows, or rounding takes off the manifold, is no point.
template <class Go>
Mat end_of_way(const PyManifold& m, const Go& go) {
  std::string why;
  try {
    Mat end = go();
    why = m->fault(end);
    if (why.empty()) return end;
  } catch (const DataError& error) {  // no eigenvalues, no Cholesky factor
    why = error.what();
  }
  throw DataError(fmt::format("the vector is too long: it leads to no point of {}: {}", m->name(), why));
}

NewArray<double> exp(const PyManifold& m, In x, In u) {
  return computed([&] {
    const Column at = point(m, x), along = tangent(m, at, u);
    return end_of_way(m, [&] { return m->exp(at, along); });
  });
}

NewArray<double> retract(const PyManifold& m, In x, In u) {
  return computed([&] {
    const Column at = point(m, x), along = tangent(m, at, u);
    return end_of_way(m, [&] { return m->retract(at, along); });
  });
}

NewArray<double> log(const PyManifold& m, In x, In y) {
  return computed([&] { return m->log(point(m, x), point(m, y)); });
}

NewArray<double> parallel_transport(const PyManifold& m, In x, In y, In u) {
  return computed([&] {
    const Column at = point(m, x);
    return m->parallel_transport(at, point(m, y), tangent(m, at, u));
  });
}

NewArray<double> transport(const PyManifold& m, In x, In y, In u) {
  return computed([&] {
    const Column at = point(m, x);
    return m->transport(at, point(m, y), tangent(m, at, u));
  });
}

NewArray<double> random_point(const PyManifold& m, std::uint64_t seed) {
  return computed([&] {
    Stream stream = Rng(seed).stream("point");
    return m->random_point(stream);
  });
}

NewArray<double> random_tangent(const PyManifold& m, In x, std::uint64_t seed) {
  return computed([&] {
    Stream stream = Rng(seed).stream("tangent");
    return m->random_tangent(point(m, x), stream);
  });
}

void check(const PyManifold& m, In x) { (void)point(m, x); }

PyManifold product_of(const std::vector<PyManifold>& parts) {
  std::vector<ManifoldPtr> all;
  for (const PyManifold& part : parts) all.push_back(part.manifold);
  return {product(std::move(all))};
}

void add_kinds(nb::module_& module) {
  const auto with_n = [&](const char* name, ManifoldPtr (*make)(Index)) {
    module.def(
        name, [make](Index n) { return PyManifold{make(n)}; }, nb::arg("n"));
  };
  const auto with_rows_and_cols = [&](const char* name, ManifoldPtr (*make)(Index, Index)) {
    module.def(
        name, [make](Index rows, Index cols) { return PyManifold{make(rows, cols)}; }, nb::arg("rows"),
        nb::arg("cols"));
  };
  with_n("spd", spd);
  with_n("spd_log_euclidean", spd_log_euclidean);
  with_n("rotations", rotations);
  with_n("hyperbolic", hyperbolic);
  with_rows_and_cols("euclidean", euclidean);
  with_rows_and_cols("sphere", sphere);
  with_rows_and_cols("oblique", oblique);
  with_rows_and_cols("stiefel", stiefel);
  with_rows_and_cols("grassmann", grassmann);
  module.def(
      "power", [](const PyManifold& base, Index copies) { return PyManifold{power(base.manifold, copies)}; },
      nb::arg("base"), nb::arg("copies"));
  module.def("product", product_of, nb::arg("parts"));
}

}  // namespace

void add_manifolds(nb::module_& module) {
  nb::class_<PyManifold>(module, "Manifold")
      .def_prop_ro("name", [](const PyManifold& m) { return m->name(); })
      .def_prop_ro("dim", [](const PyManifold& m) { return m->dim(); })
      .def_prop_ro("shape", [](const PyManifold& m) { return std::pair(m->shape().rows, m->shape().cols); })
      .def("inner", inner, nb::arg("x"), nb::arg("u"), nb::arg("v"))
      .def("norm", norm, nb::arg("x"), nb::arg("u"))
      .def("distance", distance, nb::arg("x"), nb::arg("y"))
      .def("project", project, nb::arg("x"), nb::arg("matrix"))
      .def("gradient", gradient, nb::arg("x"), nb::arg("partials"))
      .def("hessian", hessian, nb::arg("x"), nb::arg("partials"), nb::arg("second"), nb::arg("u"))
      .def("exp", exp, nb::arg("x"), nb::arg("u"))
      .def("log", log, nb::arg("x"), nb::arg("y"))
      .def("retract", retract, nb::arg("x"), nb::arg("u"))
      .def("parallel_transport", parallel_transport, nb::arg("x"), nb::arg("y"), nb::arg("u"))
      .def("transport", transport, nb::arg("x"), nb::arg("y"), nb::arg("u"))
      .def("random_point", random_point, nb::arg("seed"))
      .def("random_tangent", random_tangent, nb::arg("x"), nb::arg("seed"))
      .def("check", check, nb::arg("x"));
  add_kinds(module);
}

}  // namespace quasar::python
