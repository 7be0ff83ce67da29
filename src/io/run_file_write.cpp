#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <stdexcept>
#include <type_traits>

#include <quasar/layout.hpp>

#include "io/atomic_file.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file.hpp"
#include "io/run_file_format.hpp"

namespace quasar {
namespace {

using namespace run_format;
using Coords = std::map<std::string, std::vector<std::string>>;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}+00:00", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// The numbers of one group: per chain, draws x width, cut to the draws that all chains have.
struct Rows {
  Index draws, width;
  std::vector<std::span<const double>> chains;
};

Rows rows_of(const std::vector<ChainDraws>& chains, std::vector<double> ChainDraws::*numbers, Index width) {
  Rows rows{common_draws(chains), width, {}};
  for (const ChainDraws& chain_draws : chains) {
    const std::vector<double>& all = chain_draws.*numbers;
    if (std::ssize(all) != chain_draws.draws * width) throw std::logic_error("a chain's draws do not fit their layout");
    rows.chains.push_back(std::span(all).first(static_cast<std::size_t>(rows.draws * width)));
  }
  return rows;
}

// All draws of one column of one chain, next to each other.
std::vector<double> gather(const Rows& rows, std::size_t chain_index, const Column& column) {
  const Index size = column.variable.size();
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(rows.draws * size));
  for (Index i = 0; i < rows.draws; ++i) {
    const double* first = rows.chains[chain_index].data() + i * rows.width + column.begin;
    numbers.insert(numbers.end(), first, first + size);
  }
  return numbers;
}

bool is_whole(double number) {
  constexpr double limit = 9007199254740992.0;  // 2^53: beyond it a double no longer counts by one
  return std::abs(number) <= limit && number == std::floor(number);
}

bool is_truth_value(double number) { return number == 0 || number == 1; }

// A column that breaks its own promise (a NaN among whole numbers) is stored as it is: no draw is lost to its type.
nc_type storage_type(const Rows& rows, const Column& column) {
  if (column.type == StatSpec::real) return NC_DOUBLE;
  const bool truth = column.type == StatSpec::boolean;
  for (std::size_t i = 0; i < rows.chains.size(); ++i) {
    const auto numbers = gather(rows, i, column);
    if (!std::all_of(numbers.begin(), numbers.end(), truth ? is_truth_value : is_whole)) return NC_DOUBLE;
  }
  return truth ? NC_BYTE : NC_INT64;
}

// The dimensions of one group, each with the coordinate that ArviZ asks for. All are defined before any number is
// written: the library rewrites its tables at every turn from one to the other.
class Dimensions {
 public:
  Dimensions(NcGroup group, const Coords& labels) : group_(std::move(group)), labels_(labels) {}

  int id(const std::string& name, Index size) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    const int dimension = ids_[name] = group_.add_dimension(name, size);
    add_coordinate(name, dimension, size, 1);
    return dimension;
  }

  // A second coordinate of the rows of the chain dimension: `members` in a row are one ensemble.
  void add_ensembles(Index rows, Index members) { add_coordinate(ensemble, id(chain, rows), rows, members); }

  void write_coordinates() const {
    for (const Coordinate& coordinate : coordinates_) {
      if (coordinate.size > 0) write(coordinate);
    }
  }

 private:
  struct Coordinate {
    NcVariable variable;
    Index size, repeat;  // 0, 1, 2, ..., each `repeat` times
  };

  void add_coordinate(const std::string& name, int dimension, Index size, Index repeat) {
    const nc_type type = labels_.contains(name) ? NC_STRING : NC_INT64;
    coordinates_.push_back({group_.add_variable(name, type, {dimension}), size, repeat});
  }

  void write(const Coordinate& coordinate) const {
    if (coordinate.variable.type == NC_STRING) {
      group_.put_labels(coordinate.variable, labels_.at(coordinate.variable.name));
      return;
    }
    std::vector<double> indices;
    for (Index i = 0; i < coordinate.size; ++i) {
      const Index index = i / coordinate.repeat;
      indices.push_back(static_cast<double>(index));
    }
    group_.put_numbers(coordinate.variable, {{0}, {indices.size()}}, indices.data());
  }

  NcGroup group_;
  const Coords& labels_;
  std::map<std::string, int> ids_;
  std::vector<Coordinate> coordinates_;
};

NcVariable define_column(const NcGroup& group, Dimensions& dimensions, const Rows& rows, const Column& column) {
  const Variable& variable = column.variable;
  std::vector<int> ids = {dimensions.id(chain, std::ssize(rows.chains)), dimensions.id(draw, rows.draws)};
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    ids.push_back(dimensions.id(dimension_name(variable, axis), variable.shape[axis]));
  }
  NcVariable defined = group.add_variable(variable.name, storage_type(rows, column), ids);
  if (defined.type == NC_BYTE) group.put(type_attribute, boolean, defined.id);
  return defined;
}

void write_column(const NcGroup& group, const NcVariable& variable, const Rows& rows, const Column& column) {
  NcSlab slab{std::vector<std::size_t>(variable.dims.size(), 0), {1, static_cast<std::size_t>(rows.draws)}};
  for (const Index size : column.variable.shape) slab.count.push_back(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < rows.chains.size(); ++i) {
    const auto numbers = gather(rows, i, column);
    slab.start[0] = i;
    if (!numbers.empty()) group.put_numbers(variable, slab, numbers.data());
  }
}

void write_draws(const NcGroup& group, const std::vector<Column>& columns, const Coords& labels, const Rows& rows,
                 int members) {
  Dimensions dimensions(group, labels);
  dimensions.id(chain, std::ssize(rows.chains));  // also of a group without variables
  dimensions.id(draw, rows.draws);
  std::vector<NcVariable> variables;
  for (const Column& column : columns) variables.push_back(define_column(group, dimensions, rows, column));
  if (members > 1) {
    dimensions.add_ensembles(std::ssize(rows.chains), members);
    for (const NcVariable& variable : variables) group.put("coordinates", ensemble, variable.id);
  }
  dimensions.write_coordinates();
  for (std::size_t i = 0; i < columns.size(); ++i) write_column(group, variables[i], rows, columns[i]);
}

// What ArviZ, PyMC and nutpie write on every group of draws.
void write_group_attributes(const NcGroup& group, const RunInfo& info, double seconds) {
  group.put("created_at", info.created_at);
  for (const std::string role : {"inference_library", "creation_library"}) {
    group.put(role, std::string("quasar"));
    group.put(role + "_version", info.quasar_version);
  }
  group.put("creation_library_language", std::string("C++"));
  group.put("inference_library_settings", info.configuration);
  group.put("sample_dims", std::vector<std::string>{chain, draw});
  group.put("sampling_time", seconds);
  group.put("tuning_steps", info.schedule.warmup);
}

struct Phase {
  std::string prefix;  // of its group names
  const std::vector<ChainDraws>& chains;
  double seconds;
};

void write_phase(const NcGroup& root, const RunData& run, const RunInfo& info, const Phase& phase) {
  const auto write = [&](const std::string& name, const auto& columns, const Coords& labels, const Rows& rows) {
    const NcGroup group = root.add_group(phase.prefix + name);
    write_group_attributes(group, info, phase.seconds);
    write_draws(group, columns, labels, rows, info.members);
  };
  const Rows values = rows_of(phase.chains, &ChainDraws::values, run.layout.size());
  const Rows stats = rows_of(phase.chains, &ChainDraws::stats, std::ssize(run.stats));
  write(posterior, columns_of(run.layout), run.layout.coords, values);
  write(sample_stats, columns_of(run.stats), {}, stats);
}

void write_divergences(const NcGroup& root, const std::vector<Divergence>& all) {
  const std::size_t count = all.size(), dim = all.front().position.size();
  std::vector<double> chains, iterations, warmups, positions;
  for (const Divergence& one : all) {
    if (one.position.size() != dim) throw std::logic_error("divergences in spaces of different dimension");
    chains.push_back(one.chain);
    iterations.push_back(static_cast<double>(one.iteration));
    warmups.push_back(one.warmup);
    positions.insert(positions.end(), one.position.begin(), one.position.end());
  }
  const NcGroup group = root.add_group(divergences);
  const Coords no_labels;
  Dimensions dimensions(group, no_labels);
  const int row = dimensions.id("divergence", std::ssize(all));
  const int axis = dimensions.id("position_dim_0", static_cast<Index>(dim));
  const NcVariable chain_of = group.add_variable(chain, NC_INT64, {row});
  const NcVariable iteration = group.add_variable("iteration", NC_INT64, {row});
  const NcVariable warmup = group.add_variable("warmup", NC_BYTE, {row});
  const NcVariable position = group.add_variable("position", NC_DOUBLE, {row, axis});
  group.put(type_attribute, boolean, warmup.id);
  dimensions.write_coordinates();
  group.put_numbers(chain_of, {{0}, {count}}, chains.data());
  group.put_numbers(iteration, {{0}, {count}}, iterations.data());
  group.put_numbers(warmup, {{0}, {count}}, warmups.data());
  if (dim > 0) group.put_numbers(position, {{0, 0}, {count, dim}}, positions.data());
}

void write_info(const NcGroup& root, const RunInfo& info) {
  root.put(version_attribute, version);
  RunInfo::fields(info, [&]<class T>(std::string_view name, const T& value) {
    const std::string attribute(name);
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int>) {
      root.put(attribute, static_cast<std::int64_t>(value));
    } else {
      root.put(attribute, value);
    }
  });
}

bool ragged(const std::vector<ChainDraws>& chains) {
  const Index common = common_draws(chains);
  return std::any_of(chains.begin(), chains.end(), [&](const ChainDraws& one) { return one.draws != common; });
}

RunInfo completed(const RunData& run) {
  RunInfo info = run.info;
  if (info.quasar_version.empty()) info.quasar_version = QUASAR_VERSION;
  if (info.created_at.empty()) info.created_at = utc_now();
  info.stopped_early = info.stopped_early || ragged(run.sampling) || ragged(run.warmup);
  return info;
}

}  // namespace

void check_writable(const std::filesystem::path& path) { const AtomicFile removed_at_once(path); }

void write_run(const std::filesystem::path& path, const RunData& run, IfExists if_exists) {
  check_layout(run.layout);
  const RunInfo info = completed(run);
  AtomicFile file(path);
  NcFile netcdf = NcFile::create(file.temporary(), path.string());
  write_info(netcdf.root(), info);
  write_phase(netcdf.root(), run, info, {"", run.sampling, info.sampling_seconds});
  if (!run.warmup.empty()) write_phase(netcdf.root(), run, info, {warmup_prefix, run.warmup, info.warmup_seconds});
  if (!run.divergences.empty()) write_divergences(netcdf.root(), run.divergences);
  netcdf.sync_and_close();
  file.commit(if_exists);
}

}  // namespace quasar
