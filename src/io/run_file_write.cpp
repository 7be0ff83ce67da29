#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "io/atomic_file.hpp"
#include "io/info_attributes.hpp"
#include "io/moments_group.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file.hpp"
#include "io/run_file_format.hpp"
#include "io/seal.hpp"
#include "predict/log_likelihood.hpp"

namespace quasar {
namespace {

using namespace run_format;
using Coords = std::map<std::string, std::vector<std::string>>;

// The numbers of one group. Only a block of draws at a time is in memory.
struct Rows {
  const DrawSource& source;
  Phase phase;
  Part part;
  Index width;

  Index chains() const { return source.chains(); }
  Index draws() const { return source.draws(phase); }
};

struct DrawBlock {
  Index chain, first_draw, draws;
  std::span<const double> numbers;  // draws x width
};

template <class Use>
void for_each_block(const Rows& rows, Use&& use) {
  constexpr Index block_bytes = Index{8} << 20;
  const Index at_once = std::max<Index>(1, block_bytes / (Index{sizeof(double)} * std::max<Index>(1, rows.width)));
  std::vector<double> numbers;
  for (Index chain_index = 0; chain_index < rows.chains(); ++chain_index) {
    for (Index first = 0; first < rows.draws(); first += at_once) {
      const Index draws = std::min(at_once, rows.draws() - first);
      numbers.resize(static_cast<std::size_t>(draws * rows.width));
      rows.source.read({rows.phase, rows.part, chain_index, first, draws, 0, rows.width}, numbers);
      use(DrawBlock{chain_index, first, draws, numbers});
    }
  }
}

// One column of a block, its draws next to each other.
std::vector<double> gather(const DrawBlock& block, Index width, const Column& column) {
  const Index size = column.variable.size();
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(block.draws * size));
  for (Index i = 0; i < block.draws; ++i) {
    const double* first = block.numbers.data() + i * width + column.begin;
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
std::vector<nc_type> storage_types(const Rows& rows, const std::vector<Column>& columns) {
  std::vector<nc_type> types;
  for (const Column& column : columns) {
    types.push_back(column.type == StatSpec::real ? NC_DOUBLE : column.type == StatSpec::boolean ? NC_BYTE : NC_INT64);
  }
  if (std::all_of(types.begin(), types.end(), [](nc_type type) { return type == NC_DOUBLE; })) return types;
  for_each_block(rows, [&](const DrawBlock& block) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (types[i] == NC_DOUBLE) continue;
      const auto numbers = gather(block, rows.width, columns[i]);
      const auto fits = types[i] == NC_BYTE ? is_truth_value : is_whole;
      if (!std::all_of(numbers.begin(), numbers.end(), fits)) types[i] = NC_DOUBLE;
    }
  });
  return types;
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

NcVariable define_column(const NcGroup& group, Dimensions& dimensions, const Rows& rows, const Column& column,
                         nc_type type) {
  const Variable& variable = column.variable;
  std::vector<int> ids = {dimensions.id(chain, rows.chains()), dimensions.id(draw, rows.draws())};
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    ids.push_back(dimensions.id(dimension_name(variable, axis), variable.shape[axis]));
  }
  NcVariable defined = group.add_variable(variable.name, type, ids);
  if (defined.type == NC_BYTE) group.put(type_attribute, boolean, defined.id);
  return defined;
}

void write_block(const NcGroup& group, const NcVariable& variable, const Column& column, const DrawBlock& block,
                 Index width) {
  NcSlab slab{std::vector<std::size_t>(variable.dims.size(), 0), {1, static_cast<std::size_t>(block.draws)}};
  for (const Index size : column.variable.shape) slab.count.push_back(static_cast<std::size_t>(size));
  slab.start[0] = static_cast<std::size_t>(block.chain);
  slab.start[1] = static_cast<std::size_t>(block.first_draw);
  const auto numbers = gather(block, width, column);
  if (!numbers.empty()) group.put_numbers(variable, slab, numbers.data());
}

void write_rows(const NcGroup& group, const std::vector<Column>& columns, const Coords& labels, const Rows& rows,
                int members) {
  Dimensions dimensions(group, labels);
  dimensions.id(chain, rows.chains());  // also of a group without variables
  dimensions.id(draw, rows.draws());
  const auto types = storage_types(rows, columns);
  std::vector<NcVariable> variables;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    variables.push_back(define_column(group, dimensions, rows, columns[i], types[i]));
  }
  if (members > 1) {
    dimensions.add_ensembles(rows.chains(), members);
    for (const NcVariable& variable : variables) group.put("coordinates", ensemble, variable.id);
  }
  dimensions.write_coordinates();
  for_each_block(rows, [&](const DrawBlock& block) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      write_block(group, variables[i], columns[i], block, rows.width);
    }
  });
}

void write_texts(const NcGroup& group, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts) group.put(name, text);
}

// What ArviZ, PyMC and nutpie write on every group of draws.
void write_group_attributes(const NcGroup& group, const RunInfo& info, double seconds) {
  write_texts(group, origin(info));
  group.put("inference_library_settings", info.configuration);
  group.put("sample_dims", std::vector<std::string>{chain, draw});
  group.put("sampling_time", seconds);
  group.put("tuning_steps", info.schedule.warmup);
}

void write_phase(const NcGroup& root, const RunHeader& run, const DrawSource& draws, Phase phase) {
  const std::string prefix = phase == Phase::warmup ? warmup_prefix : "";
  const double seconds = phase == Phase::warmup ? run.info.warmup_seconds : run.info.sampling_seconds;
  const auto write = [&](const std::string& name, const auto& columns, const Coords& labels, const Rows& rows) {
    const NcGroup group = root.add_group(prefix + name);
    write_group_attributes(group, run.info, seconds);
    write_rows(group, columns, labels, rows, run.info.members);
  };
  write(posterior, columns_of(run.layout), run.layout.coords, {draws, phase, Part::values, run.layout.size()});
  write(sample_stats, columns_of(run.stats), {}, {draws, phase, Part::stats, std::ssize(run.stats)});
}

void write_log_likelihood(const NcGroup& root, const RunHeader& run, const DrawSource& draws, const Predictor& fitted) {
  const LogLikelihood source(draws, run.layout.size(), fitted);
  const Layout layout{{{"y", {source.rows()}, {"row"}}}, {}};
  const NcGroup group = root.add_group(log_likelihood);
  write_group_attributes(group, run.info, run.info.sampling_seconds);
  write_rows(group, columns_of(layout), {}, {source, Phase::sampling, Part::values, source.rows()}, run.info.members);
}

// Dimensions and numbers of a group without draws. rows: of its chain dimension where members of ensembles are told
// apart there.
void write_constants(const NcGroup& group, const ConstantData& constants, const RunInfo& info, Index rows = 0) {
  write_texts(group, origin(info));
  write_texts(group, constants.attributes);
  Dimensions dimensions(group, constants.layout.coords);
  const auto columns = columns_of(constants.layout);
  std::vector<NcVariable> variables;
  for (const Column& column : columns) {
    std::vector<int> ids;
    for (std::size_t axis = 0; axis < column.variable.shape.size(); ++axis) {
      ids.push_back(dimensions.id(dimension_name(column.variable, axis), column.variable.shape[axis]));
    }
    variables.push_back(group.add_variable(column.variable.name, NC_DOUBLE, ids));
  }
  if (rows > 0 && info.members > 1) dimensions.add_ensembles(rows, info.members);
  dimensions.write_coordinates();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].variable.size() == 0) continue;
    group.put_numbers(variables[i], variables[i].whole(), constants.values.data() + columns[i].begin);
  }
}

// Step sizes and metrics, chain by chain, as one more set of constants.
ConstantData tuning_as_constants(const std::vector<Tuning>& tuning) {
  const Mat& first = tuning.front().inverse_metric;
  const auto chains = static_cast<Index>(tuning.size());
  ConstantData out;
  out.layout.variables = {{tuned_step_size, {chains}, {chain}}};
  if (first.size() > 0) {
    Variable metric{tuned_metric, {chains, first.rows()}, {chain, "coordinate"}};
    if (first.cols() > 1) {
      metric.shape.push_back(first.cols());
      metric.dims.emplace_back("coordinate_2");
    }
    out.layout.variables.push_back(metric);
  }
  out.values.resize(chains * (1 + first.size()));
  for (Index i = 0; i < chains; ++i) {
    const Tuning& one = tuning[static_cast<std::size_t>(i)];
    if (one.inverse_metric.size() != first.size()) throw std::logic_error("metrics of different size");
    out.values[i] = one.step_size;
    out.values.segment(chains + i * first.size(), first.size()) = one.inverse_metric.reshaped();  // symmetric
  }
  return out;
}

void write_divergences(const NcGroup& root, const std::vector<Divergence>& all, const RunInfo& info) {
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
  write_texts(group, origin(info));
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

bool ragged(const std::vector<ChainDraws>& chains) {
  const Index common = common_draws(chains);
  return std::any_of(chains.begin(), chains.end(), [&](const ChainDraws& one) { return one.draws != common; });
}

void require_fit(const std::vector<ChainDraws>& chains, const RunHeader& header) {
  const auto fits = [](const std::vector<double>& numbers, Index draws, Index width) {
    return std::ssize(numbers) == draws * width;
  };
  for (const ChainDraws& one : chains) {
    if (!fits(one.values, one.draws, header.layout.size()) || !fits(one.stats, one.draws, std::ssize(header.stats)))
      throw std::logic_error("a chain's draws do not fit their layout");
  }
}

}  // namespace

RunInfo completed(RunInfo info) { return with_origin(std::move(info)); }

void check_writable(const std::filesystem::path& path) { const AtomicFile removed_at_once(path); }

void write_run(AtomicFile file, const RunHeader& header, const DrawSource& draws, IfExists if_exists,
               const Predictor* fitted) {
  check_layout(header.layout);
  RunHeader run = header;
  run.info = completed(header.info);
  const auto lock = one_at_a_time();
  NcFile netcdf = NcFile::create(file.temporary(), file.path().string());
  const NcGroup root = netcdf.root();
  root.put(version_attribute, version);
  write_attributes(root, run.info);
  root.put(check_attribute, run.check);
  write_phase(root, run, draws, Phase::sampling);
  if (draws.has(Phase::warmup)) write_phase(root, run, draws, Phase::warmup);
  if (run.constants.layout.size() > 0) write_constants(root.add_group(constant_data), run.constants, run.info);
  if (!run.tuning.empty()) write_constants(root.add_group(tuning), tuning_as_constants(run.tuning), run.info);
  if (!run.divergences.empty()) write_divergences(root, run.divergences, run.info);
  const auto write_numbers = [&](const std::string& name, const ConstantData& numbers) {
    if (!numbers.layout.variables.empty()) write_constants(root.add_group(name), numbers, run.info);
  };
  if (!run.moments.chains.empty()) {
    write_constants(root.add_group(posterior_moments), moments_group(run.moments), run.info,
                    std::ssize(run.moments.chains));
  }
  write_numbers(predictions, run.held_out.predictions);
  write_numbers(held_out_trace, run.held_out.trace);
  if (fitted) write_log_likelihood(root, run, draws, *fitted);
  netcdf.sync_and_close();
  seal_file(file.temporary());
  file.commit(if_exists);
}

void write_check(const std::filesystem::path& path, const std::string& check) {
  AtomicFile file(path);
  try {
    std::filesystem::copy_file(path, file.temporary(), std::filesystem::copy_options::overwrite_existing);
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(fmt::format("{}: cannot be copied: {}", path.string(), error.code().message()));
  }
  break_seal(file.temporary());
  const auto lock = one_at_a_time();
  NcFile netcdf = NcFile::open_to_amend(file.temporary(), path.string());
  netcdf.root().put(check_attribute, check);
  netcdf.sync_and_close();
  seal_file(file.temporary());
  file.commit();
}

void write_run(const std::filesystem::path& path, const RunData& run, IfExists if_exists) {
  require_fit(run.sampling, run);
  require_fit(run.warmup, run);
  RunHeader header = run;
  header.info.stopped_early = run.info.stopped_early || ragged(run.sampling) || ragged(run.warmup);
  write_run(AtomicFile(path), header, *view_of(run), if_exists);
}

}  // namespace quasar
