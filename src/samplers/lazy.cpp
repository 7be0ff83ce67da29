#include "samplers/lazy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/row_sparse_sum.hpp>

#include "core/gibbs.hpp"
#include "estimators/batches.hpp"

namespace quasar {

namespace {

bool rows_have_diagonal_priors(RowSparseSum& sum) {
  const Vec x = Vec::Zero(sum.dim());
  Vec mean(sum.row_length()), precision(sum.row_length());
  for (Index kind = 0; kind < sum.kinds(); ++kind) {
    if (!sum.row_prior(x, kind, mean, precision)) return false;
  }
  return true;
}

std::string_view obstacle_in(Target& target, const StochasticSetup& setup) {
  auto* sum = dynamic_cast<RowSparseSum*>(&target);
  if (!sum)
    return "the terms of the model touch all of its parameters (bpmf is a model whose terms do not, without --shards)";
  if (moving_block(target).size != sum->rows() * sum->row_length() || !target.support().empty()) {
    return "the model has parameters beside its rows";
  }
  if (!rows_have_diagonal_priors(*sum)) return "the prior of a row has correlations";
  if (setup.estimator.kind != EstimatorSettings::minibatch) return "the estimator is not minibatch";
  if (setup.estimator.added_noise > 0) return "gradient_noise moves every row";
  if (setup.step.kind != StepSchedule::constant) return "the schedule is not constant";
  return {};
}

double rows_touched_by_a_batch(RowSparseSum& sum, const EstimatorSettings& estimator) {
  std::vector<Index> ids(static_cast<std::size_t>(estimator.batch_size)), rows;
  Rng(0).child("lazy").stream("batch").sample_with_replacement(sum.terms(), ids);
  sum.rows_of(ids, rows);
  return static_cast<double>(rows.size());
}

// How often all rows have to catch up, for each step: before a draw is recorded, and before Gibbs steps.
double looks_for_each_step(const RowSparseSum& sum, const EstimatorSettings& estimator, const ChainSpec& spec) {
  const Schedule& schedule = spec.schedule;
  const std::int64_t recorded = schedule.kept(schedule.draws) + (spec.save_warmup ? schedule.kept(schedule.warmup) : 0);
  const double pass = static_cast<double>(estimator.batch_size) / static_cast<double>(sum.terms());
  double gibbs = 0;
  for (const Conditional& one : sum.conditionals()) {
    gibbs = std::max(gibbs, one.every > 0 ? pass / static_cast<double>(one.every) : 1);
  }
  return gibbs + static_cast<double>(recorded) / static_cast<double>(std::max<std::int64_t>(1, schedule.total()));
}

// To find a row's gap and its jump takes as long as eager steps take for this many coordinates: measured for sgld and
// sghmc on rows of 4 and of 21, whose second normal and saved traffic of momenta even out.
constexpr double cost_of_a_gap = 8;

bool pays(RowSparseSum& sum, const EstimatorSettings& estimator, const ChainSpec& spec) {
  const auto rows = static_cast<double>(sum.rows()), width = static_cast<double>(sum.row_length());
  const double moved = rows_touched_by_a_batch(sum, estimator) + looks_for_each_step(sum, estimator, spec) * rows;
  return moved * (width + cost_of_a_gap) < rows * width;
}

}  // namespace

void refuse_lazy_steps(const Config& config, std::string_view obstacle) {
  if (config.text("lazy") != "yes") return;
  throw UsageError(fmt::format("lazy=yes cannot be: {}. Use lazy=auto, or change that", obstacle));
}

bool takes_lazy_steps(Target& target, const Config& config, const StochasticSetup& setup, const ChainSpec& spec,
                      std::string_view obstacle) {
  const std::string& asked = config.text("lazy");
  if (asked == "no") return false;
  const std::string_view of_model = obstacle_in(target, setup);
  if (!of_model.empty()) obstacle = of_model;
  if (!obstacle.empty()) {
    refuse_lazy_steps(config, obstacle);
    return false;
  }
  return asked == "yes" || pays(dynamic_cast<RowSparseSum&>(target), setup.estimator, spec);
}

}  // namespace quasar
