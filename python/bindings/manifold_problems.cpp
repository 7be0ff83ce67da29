#include "manifold_problems.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "front/manifolds/karcher_mean.hpp"
#include "front/manifolds/pca.hpp"
#include "front/manifolds/problem_data.hpp"
#include "front/manifolds/procrustes.hpp"
#include "interpreter_lock.hpp"
#include "io/printable.hpp"
#include "manifolds.hpp"

namespace quasar::python {
namespace {

using Array = NewArray<double>;
using Stack = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// solver, why it stopped, norm of the gradient, steps, passes, halvings, seconds
using Search = std::tuple<std::string, std::string, double, std::int64_t, double, std::int64_t, double>;

Search search_of(const Solved& solved) {
  const Progress& at = solved.progress;
  return {solved.solver, std::string(to_string(solved.stop)), at.gradient_norm, at.steps, at.passes, at.halvings,
          solved.seconds};
}

// Other threads of Python go on meanwhile.
template <class Solve>
auto solved_unlocked(const Solve& solve) {
  const InterpreterUnlocked unlocked;
  return solve();
}

// Symmetric matrices, of which rows are columns; what is not symmetric is refused, and not square by the package.
std::vector<Mat> matrices_in(const Stack& stack) {
  const auto rows = static_cast<Index>(stack.shape(1)), cols = static_cast<Index>(stack.shape(2));
  std::vector<Mat> matrices;
  for (std::size_t i = 0; i < stack.shape(0); ++i) {
    matrices.emplace_back(Eigen::Map<const Mat>(stack.data() + static_cast<Index>(i) * rows * cols, cols, rows));
  }
  return matrices;
}

std::tuple<Array, double, Search> mean_of(const Stack& stack, const Settings& given) {
  const SolvedMean solved =
      solved_unlocked([&] { return karcher_mean(matrices_in(stack), given, throughout(go_on_unless_interrupted)); });
  return {as_array(solved.mean), solved.variance, search_of(solved)};
}

// components, variances, the total of all, how many are not 0, mean, scale
using Components = std::tuple<Array, Array, double, Index, Array, Array, Search>;

Components as_tuple(const SolvedPca& solved) {
  return {as_array(solved.components), as_array(solved.variances), solved.total,     solved.rank,
          as_array(solved.mean),       as_array(solved.scale),     search_of(solved)};
}

Components components_of(const Matrix& rows, const Settings& given) {
  PcaData data;
  data.columns = transposed(rows);
  return as_tuple(solved_unlocked([&] { return pca(std::move(data), given, throughout(go_on_unless_interrupted)); }));
}

Components components_of_file(const std::string& path, const Settings& given) {
  (void)pca_config(given);  // what is wrong with the settings is told before the file is read
  return as_tuple(solved_unlocked([&] {
    PcaData data = read_observations(path);
    return naming_data(printable(path),
                       [&] { return pca(std::move(data), given, throughout(go_on_unless_interrupted)); });
  }));
}

std::tuple<Array, double, Search> aligned(const Matrix& a, const Matrix& b, const Settings& given) {
  const SolvedProcrustes solved = solved_unlocked([&] {
    return procrustes(transposed(a).transpose(), transposed(b).transpose(), given,
                      throughout(go_on_unless_interrupted));
  });
  return {as_array(solved.q), solved.residual, search_of(solved)};
}

}  // namespace

bool go_on_unless_interrupted(const Progress& /*at*/) {
  const InterpreterLock lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return true;
}

void add_manifold_problems(nb::module_& module) {
  module.def("karcher_mean", mean_of, nb::arg("matrices"), nb::arg("settings"));
  module.def("pca", components_of, nb::arg("rows"), nb::arg("settings"));
  module.def("pca_of_file", components_of_file, nb::arg("path"), nb::arg("settings"));
  module.def("procrustes", aligned, nb::arg("a"), nb::arg("b"), nb::arg("settings"));
}

}  // namespace quasar::python
