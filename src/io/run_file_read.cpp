#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "io/info_attributes.hpp"
#include "io/json_text.hpp"
#include "io/kept_check.hpp"
#include "io/moments_group.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file.hpp"
#include "io/run_file_format.hpp"
#include "io/seal.hpp"

namespace quasar {
namespace {

using namespace run_format;

// A group of draws, before its numbers are read.
struct DrawGroup {
  NcGroup group;
  Index chains = 0, draws = 0;
  std::vector<NcVariable> variables, coordinates;
};

bool is_coordinate(const NcVariable& variable) {
  return variable.name == ensemble || (variable.dims.size() == 1 && variable.dims[0] == variable.name);
}

Index coordinate_size(const DrawGroup& draws, const std::string& name) {
  const auto found = std::find_if(draws.coordinates.begin(), draws.coordinates.end(),
                                  [&](const NcVariable& variable) { return variable.name == name; });
  if (found == draws.coordinates.end()) draws.group.fail(fmt::format("a group of draws has no coordinate '{}'", name));
  return found->shape[0];
}

DrawGroup inspect(const NcGroup& group) {
  DrawGroup found{.group = group, .variables = {}, .coordinates = {}};
  for (const NcVariable& variable : group.variables()) {
    (is_coordinate(variable) ? found.coordinates : found.variables).push_back(variable);
  }
  found.chains = coordinate_size(found, chain);
  found.draws = coordinate_size(found, draw);
  for (const NcVariable& variable : found.variables) {
    const bool fits = variable.dims.size() >= 2 && variable.dims[0] == chain && variable.dims[1] == draw;
    if (!fits) group.fail(fmt::format("variable '{}' is not (chain, draw, ...)", variable.name));
  }
  return found;
}

StatSpec::Type type_of(const NcGroup& group, const NcVariable& variable) {
  switch (variable.type) {
    case NC_BYTE:
      if (group.get_text(type_attribute, variable.id) == boolean) return StatSpec::boolean;
      [[fallthrough]];
    case NC_INT64:
      return StatSpec::integer;
    case NC_DOUBLE:
      return StatSpec::real;
    default:
      group.fail(fmt::format("variable '{}' is of a type that no run has", variable.name));
  }
}

Variable model_variable(const NcGroup& group, const NcVariable& stored) {
  Variable variable{.name = stored.name,
                    .shape = {stored.shape.begin() + 2, stored.shape.end()},
                    .dims = {},
                    .integer = type_of(group, stored) == StatSpec::integer};
  const std::vector<std::string> names(stored.dims.begin() + 2, stored.dims.end());
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    if (names[axis] != dimension_name(variable, axis)) {
      variable.dims = names;
      break;
    }
  }
  return variable;
}

Layout read_layout(const DrawGroup& draws) {
  Layout layout;
  for (const NcVariable& variable : draws.variables) layout.variables.push_back(model_variable(draws.group, variable));
  for (const NcVariable& coordinate : draws.coordinates) {
    if (coordinate.type == NC_STRING) layout.coords[coordinate.name] = draws.group.get_labels(coordinate);
  }
  return layout;
}

std::vector<StatSpec> read_stat_specs(const DrawGroup& draws) {
  std::vector<StatSpec> stats;
  for (const NcVariable& variable : draws.variables) {
    if (variable.dims.size() != 2) draws.group.fail(fmt::format("statistic '{}' is not a scalar", variable.name));
    stats.push_back({variable.name, type_of(draws.group, variable)});
  }
  return stats;
}

// The warm-up must hold the variables of the posterior, in the same order.
void require_columns(const DrawGroup& draws, const std::vector<Column>& columns) {
  const bool same =
      std::equal(draws.variables.begin(), draws.variables.end(), columns.begin(), columns.end(),
                 [](const NcVariable& stored, const Column& column) {
                   const auto& shape = column.variable.shape;
                   return stored.name == column.variable.name &&
                          std::equal(stored.shape.begin() + 2, stored.shape.end(), shape.begin(), shape.end());
                 });
  if (!same) draws.group.fail("the groups of warm-up and sampling hold different variables");
}

struct PhaseGroups {
  DrawGroup values, stats;
};

// The draws of a file that stays open.
class FileDraws final : public DrawSource {
 public:
  FileDraws(NcFile file, const RunHeader& header, PhaseGroups sampling, std::optional<PhaseGroups> warmup)
      : file_(std::move(file)),
        values_(columns_of(header.layout)),
        stats_(columns_of(header.stats)),
        sampling_(std::move(sampling)),
        warmup_(std::move(warmup)) {
    check(sampling_);
    if (warmup_) check(*warmup_);
  }

  Index chains() const override { return sampling_.values.chains; }
  bool has(Phase phase) const override { return phase == Phase::sampling || warmup_; }
  Index draws(Phase phase) const override { return has(phase) ? groups(phase).values.draws : 0; }

  void read(const DrawSlab& slab, std::span<double> out) const override {
    const auto lock = one_at_a_time();
    const DrawGroup& group = slab.part == Part::values ? groups(slab.phase).values : groups(slab.phase).stats;
    const auto& columns = slab.part == Part::values ? values_ : stats_;
    for (std::size_t i = 0; i < columns.size(); ++i) read_column(group, i, columns[i], slab, out);
  }

 private:
  const PhaseGroups& groups(Phase phase) const { return phase == Phase::sampling ? sampling_ : *warmup_; }

  void check(const PhaseGroups& phase) const {
    const auto& [values, stats] = phase;
    if (values.chains != stats.chains || values.draws != stats.draws || values.chains != chains()) {
      values.group.fail("the draws and their statistics differ in number");
    }
    require_columns(values, values_);
    require_columns(stats, stats_);
  }

  // The part of one variable that lies in the slab. The file is read in boxes: whole entries of the variable's first
  // axis, of which the ends may be more than was asked for, and few enough draws at a time to be small.
  static void read_column(const DrawGroup& group, std::size_t index, const Column& column, const DrawSlab& slab,
                          std::span<double> out) {
    constexpr Index most_numbers = 1 << 20;
    const Index begin = std::max(slab.first_column, column.begin);
    const Index end = std::min(slab.first_column + slab.columns, column.begin + column.variable.size());
    if (begin >= end) return;
    const NcVariable& variable = group.variables[index];
    const Index entry = variable.shape.size() > 2 ? column.variable.size() / variable.shape[2] : 1;
    const Index first = (begin - column.begin) / entry, last = (end - column.begin - 1) / entry;
    const Index width = (last - first + 1) * entry, skipped = begin - column.begin - first * entry;

    NcSlab box = variable.whole();
    box.start[0] = static_cast<std::size_t>(slab.chain);
    box.count[0] = 1;
    if (variable.shape.size() > 2) {
      box.start[2] = static_cast<std::size_t>(first);
      box.count[2] = static_cast<std::size_t>(last - first + 1);
    }
    const Index at_once = std::max<Index>(1, most_numbers / width);
    for (Index done = 0; done < slab.draws; done += at_once) {
      const Index draws = std::min(at_once, slab.draws - done);
      box.start[1] = static_cast<std::size_t>(slab.first_draw + done);
      box.count[1] = static_cast<std::size_t>(draws);
      const auto numbers = group.group.get_numbers(variable, box);
      for (Index row = 0; row < draws; ++row) {
        std::copy_n(numbers.begin() + row * width + skipped, end - begin,
                    out.begin() + (done + row) * slab.columns + begin - slab.first_column);
      }
    }
  }

  NcFile file_;
  std::vector<Column> values_, stats_;
  PhaseGroups sampling_;
  std::optional<PhaseGroups> warmup_;
};

std::vector<Divergence> divergences_in(const NcGroup& group) {
  const auto numbers = [&](const std::string& name) {
    const NcVariable variable = find_variable(group, name);
    return group.get_numbers(variable, variable.whole());
  };
  const auto chains = numbers(chain), iterations = numbers("iteration"), warmups = numbers("warmup");
  const auto positions = numbers("position");
  const std::size_t count = chains.size();
  if (count == 0 || iterations.size() != count || warmups.size() != count || positions.size() % count != 0) {
    group.fail("the columns of the divergences differ in length");
  }
  const auto dim = static_cast<std::ptrdiff_t>(positions.size() / count);
  std::vector<Divergence> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto position = positions.begin() + std::ssize(all) * dim;
    all.push_back({static_cast<int>(chains[i]),
                   static_cast<std::int64_t>(iterations[i]),
                   warmups[i] != 0,
                   {position, position + dim}});
  }
  return all;
}

ConstantData read_constants(const NcGroup& group) {
  ConstantData constants;
  std::vector<double> values;
  for (const NcVariable& variable : group.variables()) {
    if (is_coordinate(variable)) {
      if (variable.type == NC_STRING) constants.layout.coords[variable.name] = group.get_labels(variable);
      continue;
    }
    constants.layout.variables.push_back({variable.name, variable.shape, variable.dims});
    const auto numbers = group.get_numbers(variable, variable.whole());
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  constants.values = Eigen::Map<const Vec>(values.data(), std::ssize(values));
  constants.attributes = group.texts();
  for (const auto& [name, text] : origin({})) constants.attributes.erase(name);
  return constants;
}

// They are of the draws' variables, or of others where there are no draws.
PosteriorMoments read_moments(const NcGroup& group, Index chains, Index values) {
  const ConstantData stored = read_constants(group);
  try {
    PosteriorMoments moments = moments_of(stored);
    if (std::ssize(moments.chains) != chains) throw DataError("the moments and the draws are of different chains");
    if (values > 0 && moments.layout.size() != values) throw DataError("the moments and the draws differ in variables");
    return moments;
  } catch (const DataError& error) {
    group.fail(error.what());
  }
}

std::vector<Tuning> read_tuning(const NcGroup& group) {
  const NcVariable step_size = find_variable(group, tuned_step_size);
  const auto sizes = group.get_numbers(step_size, step_size.whole());
  std::vector<Tuning> tuning;
  for (const double size : sizes) tuning.push_back({.step_size = size});
  for (const NcVariable& metric : group.variables()) {
    if (metric.name != tuned_metric) continue;
    const auto axes = metric.shape.size();
    if ((axes != 2 && axes != 3) || metric.shape[0] != std::ssize(sizes))
      group.fail("the metrics are of no known shape");
    const auto numbers = group.get_numbers(metric, metric.whole());
    const Index rows = metric.shape[1], cols = axes == 3 ? metric.shape[2] : 1;
    for (std::size_t i = 0; i < tuning.size(); ++i) {
      tuning[i].inverse_metric =
          Eigen::Map<const Mat>(numbers.data() + static_cast<Index>(i) * rows * cols, rows, cols);  // symmetric
    }
  }
  return tuning;
}

std::string read_check(const NcGroup& root, const std::filesystem::path& path) {
  std::string text = root.get_text(check_attribute);
  const std::string place = fmt::format("{}: the attribute '{}'", path.string(), check_attribute);
  if (!text.empty() && !is_check(nlohmann::ordered_json(parse_json(place, text)))) {
    throw DataError(place + " is not what a check writes");
  }
  return text;
}

void require_our_format(const NcGroup& root) {
  if (root.has_attribute(topics_attribute)) root.fail("holds topics, not a run: quasar topics show takes it");
  if (root.has_attribute(speech_attribute)) root.fail("holds speech, not a run: quasar denoise run takes it");
  if (!root.has_attribute(version_attribute)) root.fail("is a netCDF file, but not a run of Quasar");
  std::int64_t found = 0;
  root.get(version_attribute, found);
  if (found > version) root.fail(fmt::format("was written by a newer Quasar (format {}, known {})", found, version));
}

}  // namespace

Run open_run_file(const std::filesystem::path& path) {
  const auto lock = one_at_a_time();
  check_seal(path);
  const auto file_size = static_cast<double>(std::filesystem::file_size(path));
  NcFile file = NcFile::open(path);
  const NcGroup root = file.root();
  require_our_format(root);

  const auto group = [&](const std::string& name) { return plausible(root.group(name), file_size); };
  const auto phase = [&](const std::string& prefix) {
    return PhaseGroups{inspect(group(prefix + posterior)), inspect(group(prefix + sample_stats))};
  };
  Run run;
  PhaseGroups sampling = phase("");
  run.info = read_attributes<RunInfo>(root);
  run.check = read_check(root, path);
  run.layout = read_layout(sampling.values);
  run.stats = read_stat_specs(sampling.stats);
  if (root.find_group(constant_data)) run.constants = read_constants(group(constant_data));
  if (root.find_group(tuning)) run.tuning = read_tuning(group(tuning));
  if (root.find_group(divergences)) run.divergences = divergences_in(group(divergences));
  if (root.find_group(posterior_moments)) {
    run.moments = read_moments(group(posterior_moments), sampling.values.chains, run.layout.size());
  }
  if (root.find_group(predictions)) run.held_out.predictions = read_constants(group(predictions));
  if (root.find_group(held_out_trace)) run.held_out.trace = read_constants(group(held_out_trace));
  run.log_likelihood = root.find_group(log_likelihood).has_value();
  std::optional<PhaseGroups> warmup;
  if (root.find_group(warmup_prefix + posterior)) warmup = phase(warmup_prefix);
  run.source = std::make_shared<FileDraws>(std::move(file), run, std::move(sampling), std::move(warmup));
  return run;
}

RunData read_run(const std::filesystem::path& path) {
  const Run run = open_run_file(path);
  RunData out;
  static_cast<RunHeader&>(out) = run;
  const auto read = [&](Phase phase, Part part, Index chain_index) {
    const Index width = part == Part::values ? run.layout.size() : std::ssize(run.stats);
    const DrawSlab all{phase, part, chain_index, 0, run.source->draws(phase), 0, width};
    std::vector<double> numbers(all.size());
    run.source->read(all, numbers);
    return numbers;
  };
  for (const Phase phase : {Phase::sampling, Phase::warmup}) {
    if (!run.source->has(phase)) continue;
    for (Index i = 0; i < run.chains(); ++i) {
      (phase == Phase::sampling ? out.sampling : out.warmup)
          .push_back({run.source->draws(phase), read(phase, Part::values, i), read(phase, Part::stats, i)});
    }
  }
  return out;
}

}  // namespace quasar
