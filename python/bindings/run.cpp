#include "run.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

#include <quasar/errors.hpp>

#include "arrays.hpp"
#include "at_the_draws.hpp"
#include "front/run_summary.hpp"
#include "io/durable_run.hpp"
#include "io/run_file.hpp"
#include "report/page.hpp"
#include "report/report.hpp"

namespace quasar::python {
namespace {

struct Columns {  // of one variable or statistic, among those of a draw
  Part part;
  Index begin, size;
};

// (chain, draw, one more axis per `shape`)
template <class T>
NewArray<T> read(const Run& run, Phase phase, const Columns& columns, std::span<const Index> shape) {
  const Index draws = run.source->has(phase) ? run.source->draws(phase) : 0;
  std::vector<std::size_t> extent{static_cast<std::size_t>(run.chains()), static_cast<std::size_t>(draws)};
  extent.insert(extent.end(), shape.begin(), shape.end());
  NewArray<T> array = new_array<T>(extent);
  std::vector<double> numbers(static_cast<std::size_t>(draws * columns.size));
  const AtTheDraws at_the_draws;
  for (Index chain = 0; draws > 0 && chain < run.chains(); ++chain) {
    run.source->read({phase, columns.part, chain, 0, draws, columns.begin, columns.size}, numbers);
    std::transform(numbers.begin(), numbers.end(), array.data() + chain * std::ssize(numbers),
                   [](double number) { return static_cast<T>(number); });
  }
  return array;
}

Phase phase_of(bool warmup) { return warmup ? Phase::warmup : Phase::sampling; }

nb::object values(const Run& run, const std::string& name, bool warmup) {
  Columns columns{Part::values, 0, 0};
  for (const Variable& variable : run.layout.variables) {
    columns.size = variable.size();
    if (variable.name == name) {
      return variable.integer ? nb::cast(read<std::int64_t>(run, phase_of(warmup), columns, variable.shape))
                              : nb::cast(read<double>(run, phase_of(warmup), columns, variable.shape));
    }
    columns.begin += columns.size;
  }
  throw nb::key_error(name.c_str());
}

nb::object stat(const Run& run, const std::string& name, bool warmup) {
  for (std::size_t i = 0; i < run.stats.size(); ++i) {
    if (run.stats[i].name != name) continue;
    const Columns column{Part::stats, static_cast<Index>(i), 1};
    switch (run.stats[i].type) {
      case StatSpec::integer:
        return nb::cast(read<std::int64_t>(run, phase_of(warmup), column, {}));
      case StatSpec::boolean:
        return nb::cast(read<bool>(run, phase_of(warmup), column, {}));
      case StatSpec::real:
        return nb::cast(read<double>(run, phase_of(warmup), column, {}));
    }
  }
  throw nb::key_error(name.c_str());
}

using VariableTuple = std::tuple<std::string, std::vector<Index>, std::vector<std::string>>;

std::vector<VariableTuple> variables_of(const Layout& layout) {
  std::vector<VariableTuple> all;
  for (const Variable& v : layout.variables) all.emplace_back(v.name, v.shape, v.dims);
  return all;
}

std::vector<std::tuple<std::string, std::string>> stats_of(const Run& run) {
  static constexpr const char* types[] = {"real", "integer", "boolean"};
  std::vector<std::tuple<std::string, std::string>> all;
  for (const StatSpec& spec : run.stats) all.emplace_back(spec.name, types[spec.type]);
  return all;
}

nb::typed<nb::dict, nb::str, nb::object> info_of(const Run& run) {
  nb::dict info;
  RunInfo::fields(run.info, [&](std::string_view name, const auto& value) { info[std::string(name).c_str()] = value; });
  return nb::typed<nb::dict, nb::str, nb::object>(info);
}

NewArray<double> copied(const double* numbers, const std::vector<std::size_t>& shape) {
  NewArray<double> array = new_array<double>(shape);
  std::copy_n(numbers, array.size(), array.data());
  return array;
}

nb::typed<nb::list, nb::typed<nb::tuple, double, NewArray<double>>> tuning_of_chains(const Run& run) {
  nb::list all;
  for (const Tuning& tuning : run.tuning) {
    const auto& metric = tuning.inverse_metric;  // symmetric, so that its order does not matter
    std::vector<std::size_t> shape{static_cast<std::size_t>(metric.rows())};
    if (metric.cols() > 1) shape.push_back(static_cast<std::size_t>(metric.cols()));
    all.append(nb::make_tuple(tuning.step_size, copied(metric.data(), shape)));
  }
  return all;
}

nb::typed<nb::dict, nb::str, NewArray<double>> constants_of(const Run& run) {
  nb::dict all;
  Index begin = 0;
  for (const Variable& variable : run.constants.layout.variables) {
    all[variable.name.c_str()] =
        copied(run.constants.values.data() + begin, {variable.shape.begin(), variable.shape.end()});
    begin += variable.size();
  }
  return all;
}

std::string summary_json(const Run& run) {
  const AtTheDraws at_the_draws;
  return to_json(summarize_run(run), run.info).dump();
}

std::string diagnosis_json(const Run& run) {
  const AtTheDraws at_the_draws;
  return to_json(summarize_run(run).diagnosis).dump();
}

std::string table_text(const Run& run, std::size_t most) {
  const AtTheDraws at_the_draws;
  return summary_text(summarize_run(run), run.info, most);
}

void require_free(const std::string& path, bool overwrite) {
  if (!overwrite && std::filesystem::exists(path)) throw UsageError(path + " exists; overwrite=True replaces it");
}

IfExists if_exists(bool overwrite) { return overwrite ? IfExists::replace : IfExists::fail; }

void report(const Run& run, const std::string& path, bool overwrite) {
  require_free(path, overwrite);
  const AtTheDraws at_the_draws;
  write_page(path, report_page(run), if_exists(overwrite));
}

void save(const Run& run, const std::string& path, bool overwrite) {
  require_free(path, overwrite);
  if (run.log_likelihood) {
    throw UsageError(path + ": the run has the log likelihood of its data, which save() would lose; copy its file");
  }
  const AtTheDraws at_the_draws;
  write_run(AtomicFile(path), run, *run.source, if_exists(overwrite));
}

Run load(const std::string& path) {
  const AtTheDraws at_the_draws;
  return open_run(path);
}

}  // namespace

Run held_in_memory(RunData data) {
  struct Held {
    RunData data;
    std::unique_ptr<const DrawSource> view;
  };
  const auto held = std::make_shared<Held>(Held{std::move(data), nullptr});
  held->view = view_of(held->data);
  Run run;
  static_cast<RunHeader&>(run) = held->data;
  run.source = {held, held->view.get()};
  return run;
}

void add_run(nb::module_& module) {
  nb::class_<Run>(module, "Run")
      .def_prop_ro("chains", &Run::chains)
      .def_prop_ro("draws", &Run::draws)
      .def_prop_ro("warmup_draws", [](const Run& run) { return run.source->draws(Phase::warmup); })
      .def_prop_ro(
          "variables", [](const Run& run) { return variables_of(run.layout); }, "name, shape, dimensions")
      .def_prop_ro("coords", [](const Run& run) { return run.layout.coords; })
      .def_prop_ro("stats", stats_of, "name, type")
      .def_prop_ro("info", info_of)
      .def_prop_ro("tuning", tuning_of_chains, "step size and inverse metric of each chain")
      .def_prop_ro("constants", constants_of)
      .def_prop_ro("constant_variables", [](const Run& run) { return variables_of(run.constants.layout); })
      .def_prop_ro("constant_coords", [](const Run& run) { return run.constants.layout.coords; })
      .def_prop_ro("constant_attributes", [](const Run& run) { return run.constants.attributes; })
      .def("values", values, nb::arg("name"), nb::arg("warmup") = false)
      .def("stat", stat, nb::arg("name"), nb::arg("warmup") = false)
      .def("summary", summary_json)
      .def("summary_text", table_text, nb::arg("most"))
      .def("diagnose", diagnosis_json)
      .def("report", report, nb::arg("path"), nb::arg("overwrite") = false)
      .def("save", save, nb::arg("path"), nb::arg("overwrite") = false);
  module.def("load", load, nb::arg("path"));
}

}  // namespace quasar::python
