#include "report/steps_over_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "report/rounded.hpp"

namespace quasar::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_blocks = 100;  // of each phase

struct Block {
  Index begin, end;  // draws of its phase
};

std::vector<Block> blocks_of(Index draws) {
  const Index count = std::min(draws, most_blocks);
  std::vector<Block> blocks;
  for (Index i = 0; i < count; ++i) blocks.push_back({i * draws / count, (i + 1) * draws / count});
  return blocks;
}

struct PhaseOfRun {
  Phase phase;
  std::vector<Block> blocks;
  std::int64_t before, spacing;  // iterations before it, and from one stored draw to the next

  double iteration(const Block& block) const {
    const double middle = 0.5 * static_cast<double>(block.begin + 1 + block.end);
    return static_cast<double>(before) + middle * static_cast<double>(spacing);
  }
};

std::vector<PhaseOfRun> phases_of(const Run& run) {
  const std::int64_t spacing = run.info.schedule.thin * run.info.stored_every;
  std::vector<PhaseOfRun> phases;
  const bool warmup = run.source->has(Phase::warmup);
  if (warmup) phases.push_back({Phase::warmup, blocks_of(run.source->draws(Phase::warmup)), 0, spacing});
  phases.push_back({Phase::sampling, blocks_of(run.draws()), warmup ? run.info.schedule.warmup : 0, spacing});
  return phases;
}

double mean_of_finite(std::span<const double> values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return sum / count;  // NaN of none
}

struct Series {
  std::vector<double> means;  // of the blocks of all phases
  bool varies = false;
};

Series series_of(const Run& run, const std::vector<PhaseOfRun>& phases, Index chain, Index column) {
  Series series;
  std::vector<double> numbers;
  double least = std::numeric_limits<double>::quiet_NaN(), largest = least;
  for (const PhaseOfRun& one : phases) {
    numbers.resize(static_cast<std::size_t>(run.source->draws(one.phase)));
    run.source->read({one.phase, Part::stats, chain, 0, std::ssize(numbers), column, 1}, numbers);
    for (const double value : numbers) {
      least = std::fmin(least, value);
      largest = std::fmax(largest, value);
    }
    for (const Block& block : one.blocks) {
      const auto part = std::span(numbers).subspan(static_cast<std::size_t>(block.begin),
                                                   static_cast<std::size_t>(block.end - block.begin));
      series.means.push_back(rounded(mean_of_finite(part)));
    }
  }
  series.varies = least < largest;
  return series;
}

std::string label_of(const StatSpec& stat) {
  if (stat.name == "lp") return "log density";
  std::string label = stat.name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return stat.type == StatSpec::boolean ? label + " (share of the draws)" : label;
}

// Step size and acceptance rate first, the others as the sampler has them.
std::vector<Index> columns_in_order(const std::vector<StatSpec>& stats) {
  std::vector<Index> order;
  const auto add_if = [&](auto&& wanted) {
    for (std::size_t i = 0; i < stats.size(); ++i) {
      if (wanted(stats[i].name)) order.push_back(static_cast<Index>(i));
    }
  };
  add_if([](const std::string& name) { return name == "step_size"; });
  add_if([](const std::string& name) { return name == "acceptance_rate"; });
  add_if([](const std::string& name) { return name != "step_size" && name != "acceptance_rate"; });
  return order;
}

}  // namespace

nlohmann::ordered_json steps_over_time(const Run& run) {
  const std::vector<PhaseOfRun> phases = phases_of(run);
  std::vector<double> at;
  for (const PhaseOfRun& one : phases) {
    for (const Block& block : one.blocks) at.push_back(rounded(one.iteration(block)));
  }
  const std::size_t warmup = phases.size() > 1 ? phases.front().blocks.size() : 0;
  Json all = Json::array();
  if (at.empty()) return all;
  for (const Index column : columns_in_order(run.stats)) {
    const StatSpec& stat = run.stats[static_cast<std::size_t>(column)];
    bool wanted = stat.name == "step_size" || stat.name == "acceptance_rate";
    Json values = Json::array();
    for (Index chain = 0; chain < run.chains(); ++chain) {
      const Series series = series_of(run, phases, chain, column);
      wanted = wanted || series.varies;
      values.push_back(series.means);
    }
    if (!wanted) continue;
    all.push_back({{"name", stat.name}, {"label", label_of(stat)}, {"at", at}, {"warmup", warmup}, {"values", values}});
  }
  return all;
}

}  // namespace quasar::report
