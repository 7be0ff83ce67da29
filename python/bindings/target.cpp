#include "target.hpp"

#include <fmt/core.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>

#include "arrays.hpp"
#include "batched_target.hpp"
#include "front/load_model.hpp"
#include "front/read_data.hpp"
#include "front/read_intensities.hpp"
#include "function_targets.hpp"
#include "models/sequences/series.hpp"
#include "table.hpp"
#include "targets/c_function.hpp"

namespace quasar::python {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<Index>>>;  // of variables, in order

double size_of(const std::string& name, const std::vector<Index>& shape) {  // a double: it cannot overflow
  double size = 1;
  for (const Index extent : shape) {
    if (extent < 0) throw UsageError(fmt::format("variable '{}' has an axis of {} entries", name, extent));
    size *= static_cast<double>(extent);
  }
  return size;
}

Layout as_layout(const Shapes& shapes) {
  constexpr double most = 1e9;
  Layout layout;
  double size = 0;
  for (const auto& [name, shape] : shapes) {
    size += size_of(name, shape);
    layout.variables.push_back({name, shape, {}});
  }
  if (size < 1 || size > most) throw UsageError(fmt::format("a density has 1 to 1e9 coordinates, not {:g}", size));
  check_layout(layout);
  return layout;
}

std::string name_of(nb::handle function) { return text_of(nb::getattr(function, "__name__", nb::str("function"))); }

Table read_unlocked(const std::string& path, const Config& parameters) {
  const InterpreterUnlocked unlocked;
  return read_data(path, parameters);
}

// A target that does not call Python serves all runs.
PyTarget::Make always(std::shared_ptr<const Target> target) {
  return [target = std::move(target)](nb::handle, const std::shared_ptr<RaisedError>&) { return target; };
}

PyTarget model(const std::string& name, const std::variant<std::monostate, std::string, Columns>& data,
               const Settings& parameters) {
  const ModelEntry& entry = find_model(name);
  const bool given = data.index() != 0;
  if (entry.needs_data && !given) throw UsageError(fmt::format("the model {} needs data", name));
  if (!entry.needs_data && given) throw UsageError(fmt::format("the model {} takes no data", name));
  const Config config(fmt::format("model {}", name), entry.params, parameters);
  PyTarget made{.name = name, .make = {}, .run = {{"model", name}}, .parameters = parameters};
  Table table;
  if (const auto* path = std::get_if<std::string>(&data)) {
    table = read_unlocked(*path, config);
    made.run["data"] = *path;
  } else if (given) {
    table = as_table("data", std::get<Columns>(data), "", is_of_series(config));
    made.run["data"] = "memory";
    read_dictionary(config, table);
  }
  made.make = always(entry.make(config, entry.needs_data ? &table : nullptr));
  made.data_hash = table.content_hash;
  return made;
}

LoadedModel load_unlocked(const std::string& library, const StanOptions& options) {
  const InterpreterUnlocked unlocked;
  return load_stan_program(library, options);
}

// `data`: JSON text that came from `source`, or nothing.
PyTarget stan_model(const std::string& library, const std::string& data, const std::string& source, std::uint64_t seed,
                    bool transformed, bool generated) {
  LoadedModel loaded = load_unlocked(library, {data, source, seed, transformed, generated});
  return {.name = loaded.name,
          .make = always(std::move(loaded.target)),
          .run = {{"bridgestan", library},
                  {"data", source},
                  {"transformed", transformed ? "yes" : "no"},
                  {"generated", generated ? "yes" : "no"}},
          .data_hash = loaded.data_hash,
          .library_hash = loaded.library_hash};
}

PyTarget function_target(const nb::object& function, const Shapes& shapes) {
  const auto make = [layout = as_layout(shapes)](nb::handle f, std::shared_ptr<RaisedError> raised) {
    return std::make_shared<const FunctionTarget>(Callback(nb::borrow(f), std::move(raised)), layout);
  };
  return {.name = name_of(function), .make = make, .python = function, .calls_python = true};
}

PyTarget finite_sum_target(const nb::object& terms, const nb::object& prior, Index count, const Shapes& shapes) {
  if (count < 1) throw UsageError("a finite sum needs at least one term");
  const auto make = [layout = as_layout(shapes), count](nb::handle functions,
                                                        const std::shared_ptr<RaisedError>& raised) {
    const nb::object of_terms = functions[0], of_prior = functions[1];
    std::optional<Callback> before;
    if (!of_prior.is_none()) before.emplace(of_prior, raised);
    return std::make_shared<const FunctionSum>(Callback(of_terms, raised), std::move(before), count, layout);
  };
  return {.name = name_of(terms), .make = make, .python = nb::make_tuple(terms, prior), .calls_python = true};
}

PyTarget batched_target(const nb::object& function, Index rows, const Shapes& shapes) {
  if (rows < 1) throw UsageError("a batch needs at least one row");
  const auto make = [layout = as_layout(shapes), rows](nb::handle f, std::shared_ptr<RaisedError> raised) {
    auto meeting = std::make_shared<Meeting>(Callback(nb::borrow(f), std::move(raised)), rows, layout.size());
    return std::make_shared<const BatchedTarget>(std::move(meeting), layout);
  };
  return {.name = name_of(function), .make = make, .python = function, .calls_python = true};
}

// `keep_alive` is whatever the function needs to exist.
PyTarget pointer_target(std::uintptr_t address, std::uintptr_t user, const Shapes& shapes, nb::object keep_alive) {
  if (address == 0) throw UsageError("the address of the function is 0");
  auto function = reinterpret_cast<LogDensityFunction>(address);  // NOLINT(performance-no-int-to-ptr)
  void* data = reinterpret_cast<void*>(user);                     // NOLINT(performance-no-int-to-ptr)
  auto target = std::make_shared<const CFunction>(function, data, as_layout(shapes));
  return {.name = "function", .make = always(std::move(target)), .python = std::move(keep_alive)};
}

std::shared_ptr<const Target> to_look_at(const PyTarget& self) { return self.for_run(std::make_shared<RaisedError>()); }

Shapes shapes_of(const PyTarget& self) {
  Shapes shapes;
  for (const Variable& variable : to_look_at(self)->layout().variables) {
    shapes.emplace_back(variable.name, variable.shape);
  }
  return shapes;
}

std::tuple<double, NewArray<double>> logp_grad(const PyTarget& self, const Vector& x) {
  const auto raised = std::make_shared<RaisedError>();
  const auto target = self.for_run(raised)->fork();
  if (static_cast<Index>(x.shape(0)) != target->dim()) {
    throw UsageError(fmt::format("the point has {} coordinates, the density {}", x.shape(0), target->dim()));
  }
  const auto gradient = new_array<double>({x.shape(0)});
  Eigen::Map<Vec> out(gradient.data(), target->dim());
  try {
    const Eval at = target->logp_grad(as_vec(x), out);
    return {at.ok ? at.logp : -std::numeric_limits<double>::infinity(), gradient};
  } catch (const RunError&) {
    raised->raise_if_any();
    throw;
  }
}

// A function may know the object that holds its target: the collector has to see both.
int traverse(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PyTarget>(self)->python.ptr());
  return 0;
}

int clear(PyObject* self) noexcept {
  nb::inst_ptr<PyTarget>(self)->python.reset();
  return 0;
}

const PyType_Slot garbage_collected[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

void add_targets(nb::module_& module) {
  nb::class_<PyTarget>(module, "Target", nb::type_slots(garbage_collected),
                       "A log density and its gradient, ready to be sampled.")
      .def_prop_ro("dim", [](const PyTarget& self) { return to_look_at(self)->dim(); })
      .def_ro("name", &PyTarget::name)
      .def_ro("library_hash", &PyTarget::library_hash, "Of a compiled Stan program; empty: it is none.")
      .def_prop_ro("element_names", [](const PyTarget& self) { return element_names(to_look_at(self)->layout()); })
      .def_prop_ro("variables", shapes_of, "Names and shapes, in the order of a draw.")
      .def("logp_grad", logp_grad, nb::arg("x"), "The log density and its gradient; -inf where the point is rejected.");
  module.def("model", model, nb::arg("name"), nb::arg("data").none(), nb::arg("parameters"));
  module.def("stan_model", stan_model, nb::arg("library"), nb::arg("data"), nb::arg("source"), nb::arg("seed"),
             nb::arg("transformed"), nb::arg("generated"));
  module.def("read_stan_data", read_stan_data, nb::arg("path"));
  module.def("function_target", function_target, nb::arg("function"), nb::arg("shapes"));
  module.def("finite_sum_target", finite_sum_target, nb::arg("terms"), nb::arg("prior").none(), nb::arg("count"),
             nb::arg("shapes"));
  module.def("pointer_target", pointer_target, nb::arg("address"), nb::arg("user"), nb::arg("shapes"),
             nb::arg("keep_alive").none());
  module.def("batched_target", batched_target, nb::arg("function"), nb::arg("rows"), nb::arg("shapes"));
}

}  // namespace quasar::python
