#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "io/input_file.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file.hpp"
#include "io/run_file_format.hpp"

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

// All columns of one chain, one draw after another.
std::vector<double> read_chain(const DrawGroup& draws, const std::vector<Column>& columns, Index chain_index) {
  const Index width = columns.empty() ? 0 : columns.back().begin + columns.back().variable.size();
  std::vector<double> numbers(static_cast<std::size_t>(draws.draws * width));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    NcSlab slab = draws.variables[i].whole();
    slab.start[0] = static_cast<std::size_t>(chain_index);
    slab.count[0] = 1;
    const auto column = draws.group.get_numbers(draws.variables[i], slab);
    const Index size = columns[i].variable.size();
    for (Index row = 0; row < draws.draws; ++row) {
      std::copy_n(column.begin() + row * size, size, numbers.begin() + row * width + columns[i].begin);
    }
  }
  return numbers;
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

std::vector<ChainDraws> read_chains(const RunData& run, const DrawGroup& values, const DrawGroup& stats) {
  if (values.chains != stats.chains || values.draws != stats.draws) {
    values.group.fail("the draws and their statistics differ in number");
  }
  const auto value_columns = columns_of(run.layout), stat_columns = columns_of(run.stats);
  require_columns(values, value_columns);
  require_columns(stats, stat_columns);
  std::vector<ChainDraws> chains;
  for (Index i = 0; i < values.chains; ++i) {
    chains.push_back({values.draws, read_chain(values, value_columns, i), read_chain(stats, stat_columns, i)});
  }
  return chains;
}

NcVariable find_variable(const NcGroup& group, const std::string& name) {
  for (const NcVariable& variable : group.variables()) {
    if (variable.name == name) return variable;
  }
  group.fail(fmt::format("the variable '{}' is missing", name));
}

std::vector<Divergence> read_divergences(const NcGroup& group) {
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

RunInfo read_info(const NcGroup& root) {
  RunInfo info;
  RunInfo::fields(info, [&]<class T>(std::string_view name, T& value) {
    const std::string attribute(name);
    if constexpr (std::is_same_v<T, std::string>) {
      value = root.get_text(attribute);
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int>) {
      std::int64_t number = 0;
      root.get(attribute, number);
      value = static_cast<T>(number);
    } else {
      root.get(attribute, value);
    }
  });
  return info;
}

void require_our_format(const NcGroup& root) {
  if (!root.has_attribute(version_attribute)) root.fail("is a netCDF file, but not a run of Quasar");
  std::int64_t found = 0;
  root.get(version_attribute, found);
  if (found > version) root.fail(fmt::format("was written by a newer Quasar (format {}, known {})", found, version));
}

// A damaged file can promise more numbers than there is memory for. Deflate shrinks by 1032 at most, so n bytes hold at
// most 1032 n numbers.
NcGroup plausible(const NcGroup& group, double file_size) {
  for (const NcVariable& variable : group.variables()) {
    double numbers = 1;
    for (const Index size : variable.shape) numbers *= static_cast<double>(size);
    if (numbers > 1032 * file_size) group.fail(fmt::format("is damaged: no room for the variable '{}'", variable.name));
  }
  return group;
}

}  // namespace

RunData read_run(const std::filesystem::path& path) {
  const InputFile readable(path);  // its messages for a missing or impossible file are the better ones
  std::error_code ignored;         // what has no size is no netCDF file either
  const auto file_size = static_cast<double>(std::filesystem::file_size(path, ignored));
  const NcFile file = NcFile::open(path);
  const NcGroup root = file.root();
  require_our_format(root);

  const auto group = [&](const std::string& name) { return inspect(plausible(root.group(name), file_size)); };
  const DrawGroup values = group(posterior), stats = group(sample_stats);
  RunData run;
  run.info = read_info(root);
  run.layout = read_layout(values);
  run.stats = read_stat_specs(stats);
  run.sampling = read_chains(run, values, stats);
  if (root.find_group(warmup_prefix + posterior)) {
    run.warmup = read_chains(run, group(warmup_prefix + posterior), group(warmup_prefix + sample_stats));
  }
  if (const auto found = root.find_group(divergences)) run.divergences = read_divergences(plausible(*found, file_size));
  return run;
}

}  // namespace quasar
