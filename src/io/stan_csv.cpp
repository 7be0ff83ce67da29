#include "io/stan_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <quasar/errors.hpp>

#include "io/draw_rows.hpp"
#include "io/draws_json.hpp"
#include "io/stan_settings.hpp"
#include "io/text_output.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path with_suffix(fs::path base, const std::string& suffix) { return base += suffix; }
fs::path csv_file(const fs::path& base, Index chain) { return with_suffix(base, fmt::format("_{}.csv", chain + 1)); }
fs::path metric_file(const fs::path& base, Index chain) {
  return with_suffix(base, fmt::format("_{}_metric.json", chain + 1));
}
fs::path config_file(const fs::path& base) { return with_suffix(base, "_config.json"); }

// Letters, digits and underscores, and no `__` at the end, which marks statistics.
void require_stan_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!plain || name.ends_with("__")) {
    throw UsageError(
        fmt::format("Stan CSV cannot name the variable '{}'; --variables leaves it out, csv and json hold it", name));
  }
}

struct Element {
  std::string name;
  Index position;  // in a draw of the whole layout
};

// The elements of one variable with the first index fastest; in a draw, where it is at `begin`, the last is.
void append_elements(const Variable& variable, Index begin, std::vector<Element>& elements) {
  require_stan_name(variable.name);
  std::vector<Index> index(variable.shape.size(), 0);
  for (Index count = 0; count < variable.size(); ++count) {
    std::string name = variable.name;
    Index offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      name += fmt::format(".{}", index[axis] + 1);
      offset = offset * variable.shape[axis] + index[axis];
    }
    elements.push_back({name, begin + offset});
    for (std::size_t axis = 0; axis < index.size() && ++index[axis] == variable.shape[axis]; ++axis) index[axis] = 0;
  }
}

std::vector<Element> stan_elements(const Selection& selection) {
  std::vector<Element> elements;
  for (std::size_t i = 0; i < selection.begins.size(); ++i) {
    append_elements(selection.layout.variables[i], selection.begins[i], elements);
  }
  return elements;
}

// Writes the parts of one chain's file.
class ChainWriter {
 public:
  ChainWriter(const Run& run, const StanShape& shape, const std::vector<Element>& elements, TextOutput& out)
      : run_(run), shape_(shape), elements_(elements), out_(out) {}

  void write_header() {
    std::string line;
    for (const auto& statistic : shape_.statistics) line += "," + statistic.column;
    for (const Element& element : elements_) line += "," + element.name;
    out_.print("{}\n", std::string_view(line).substr(1));
  }

  void write_draws(Phase phase, Index chain) {
    DrawRows values(*run_.source, phase, chain, {Part::values, 0, run_.layout.size()});
    DrawRows stats(*run_.source, phase, chain, {Part::stats, 0, std::ssize(run_.stats)});
    for (Index draw = 0; draw < values.size(); ++draw) write_row(values.next(), stats.next());
  }

  void write_adaptation(const Tuning& tuning) {
    out_.print("# Adaptation terminated\n# Step size = {}\n", tuning.step_size);
    const Mat& metric = tuning.inverse_metric;
    if (metric.size() == 0) return;
    const bool dense = metric.cols() > 1;
    out_.print("# {} of inverse mass matrix:\n", dense ? "Elements" : "Diagonal elements");
    const Mat rows = dense ? metric : Mat(metric.transpose());
    for (Index row = 0; row < rows.rows(); ++row) {
      for (Index i = 0; i < rows.cols(); ++i) {
        out_.write(i == 0 ? "# " : ",");
        out_.write_number(rows(row, i));
      }
      out_.write("\n");
    }
  }

  // Stan's own reader takes the number from column 17, rstan every digit and point of a line: no exponents.
  void write_timing() {
    const double warmup = run_.info.warmup_seconds, sampling = run_.info.sampling_seconds;
    out_.print("# \n#  Elapsed Time: {:.3f} seconds (Warm-up)\n", warmup);
    out_.print("#                {:.3f} seconds (Sampling)\n", sampling);
    out_.print("#                {:.3f} seconds (Total)\n# \n", warmup + sampling);
  }

 private:
  void write_row(std::span<const double> values, std::span<const double> stats) {
    bool first = true;
    const auto write_field = [&](double number) {
      if (!std::exchange(first, false)) out_.write(",");
      out_.write_number(number);
    };
    for (const auto& [column, position, absent] : shape_.statistics) {
      write_field(position < 0 ? absent : stats[static_cast<std::size_t>(position)]);
    }
    for (const Element& element : elements_) write_field(values[static_cast<std::size_t>(element.position)]);
    out_.write("\n");
  }

  const Run& run_;
  const StanShape& shape_;
  const std::vector<Element>& elements_;
  TextOutput& out_;
};

const Tuning& tuning_in(const Run& run, Index chain) {
  return run.tuning[static_cast<std::size_t>(chain / run.info.members)];  // members of an ensemble share theirs
}

TextOutput write_chain(const Run& run, const StanShape& shape, const std::vector<Element>& elements,
                       const fs::path& base, Index chain) {
  TextOutput out(csv_file(base, chain));
  out.write(stan_comments(stan_settings(run, shape, chain)));
  ChainWriter writer(run, shape, elements, out);
  writer.write_header();
  if (shape.trajectories) {
    if (run.source->has(Phase::warmup)) writer.write_draws(Phase::warmup, chain);
    writer.write_adaptation(tuning_in(run, chain));
  }
  writer.write_draws(Phase::sampling, chain);
  writer.write_timing();
  out.finish();
  return out;
}

TextOutput write_json(const fs::path& path, const Json& json) {
  TextOutput out(path);
  out.print("{}\n", json.dump(2));
  out.finish();
  return out;
}

TextOutput write_metric(const Run& run, const fs::path& base, Index chain) {
  const Tuning& tuning = tuning_in(run, chain);
  return write_json(metric_file(base, chain), {{"stepsize", tuning.step_size},
                                               {"metric_type", stan_metric(run)},
                                               {"inv_metric", metric_json(tuning.inverse_metric)}});
}

TextOutput write_config(const Run& run, const StanShape& shape, const Selection& selection, const fs::path& base) {
  Json config = {{"model_name", run.info.model}};
  config.update(stan_settings(run, shape, 0));
  config["quasar"] = header_json(run, selection.layout);
  return write_json(config_file(base), config);
}

}  // namespace

std::vector<fs::path> stan_csv_files(const Run& run, const fs::path& base) {
  const StanShape shape = stan_shape(run);
  std::vector<fs::path> files;
  for (Index chain = 0; chain < run.chains(); ++chain) {
    files.push_back(csv_file(base, chain));
    if (shape.trajectories) files.push_back(metric_file(base, chain));
  }
  files.push_back(config_file(base));
  return files;
}

void write_stan_csv(const Run& run, const Selection& selection, const fs::path& base, IfExists if_exists) {
  const StanShape shape = stan_shape(run);
  const auto elements = stan_elements(selection);
  std::vector<TextOutput> files;
  for (Index chain = 0; chain < run.chains(); ++chain) {
    files.push_back(write_chain(run, shape, elements, base, chain));
    if (shape.trajectories) files.push_back(write_metric(run, base, chain));
  }
  files.push_back(write_config(run, shape, selection, base));
  for (TextOutput& file : files) file.commit(if_exists);
}

}  // namespace quasar
