#include "experiments/bpmf_ratings.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include <quasar/chain.hpp>
#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "predict/predictive_average.hpp"
#include "solvers/optimize.hpp"

namespace quasar {
namespace {

const ModelEntry& bpmf() { return find_model("bpmf"); }

Config model_config(const Settings& settings) { return {bpmf().name, bpmf().params, settings}; }

Table rows_of(const Table& table, std::span<const Index> rows) {
  Table some{.source = table.source,
             .names = table.names,
             .values = table.values(std::vector(rows.begin(), rows.end()), Eigen::all),
             .lines = {}};
  some.levels = table.levels;
  some.content_hash = table.content_hash;
  return some;
}

std::unique_ptr<Predictor> predictor_of(const RatingSplit& split, const Settings& model, const Target& target) {
  return bpmf().predictor(model_config(model), target.constant_data(), split.test);
}

// Sees the draw at the end of each round. Its own work is not part of the time of the chain.
class Watch final : public Sink {
 public:
  Watch(std::unique_ptr<Predictor> predictor, const RatingMethod& method)
      : predictor_(std::move(predictor)), method_(&method) {}

  void on_draw(const Draw& draw) override {
    const double now = seconds();
    if (!average_ || !method_->averages) average_.emplace(predictor_->fork());
    average_->add(draw.values, Rng(0).child("draw").at(static_cast<std::uint64_t>(draw.iteration)));
    outcome_.rmse.push_back(average_->scores().rmse);
    outcome_.single_rmse.push_back(average_->last().rmse);
    watching_ += seconds() - now;
  }

  void on_step(std::int64_t, const StepInfo& info) override {
    ++outcome_.iterations;
    outcome_.gradients += info.grad_evals;
    if (outcome_.gradients >= method_->gradients) stop_.request_stop();
  }

  std::stop_token token() const { return stop_.get_token(); }

  RatingOutcome result(bool diverged) && {
    outcome_.diverged = diverged;
    outcome_.seconds = seconds() - watching_;
    if (average_) {
      const Scores scores = average_->scores();
      outcome_.mae = scores.mae;
      outcome_.coverage_90 = scores.coverage_90;
    }
    return std::move(outcome_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  std::unique_ptr<Predictor> predictor_;
  const RatingMethod* method_;
  std::stop_source stop_;
  std::optional<PredictiveAverage> average_;
  RatingOutcome outcome_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double watching_ = 0;
};

}  // namespace

Table read_movielens(const std::string& data_dir) {
  if (data_dir.empty()) {
    throw UsageError(
        "this experiment reads MovieLens-1M: --data-dir names the folder that has movielens-1m/ratings.csv.gz");
  }
  const std::filesystem::path file = std::filesystem::path(data_dir) / "movielens-1m" / "ratings.csv.gz";
  Table ratings = read_csv(file, {});
  if (ratings.columns() != 3) throw DataError(file.string() + ": three columns are wanted: user, item, rating");
  return ratings;
}

RatingSplit split_ratings(const Table& ratings, Index parts, Index part, std::uint64_t seed) {
  const Index rows = ratings.rows(), begin = rows * part / parts, end = rows * (part + 1) / parts;
  std::vector<Index> order(static_cast<std::size_t>(rows));
  Rng(seed).stream("parts of the ratings").permutation(order);
  std::vector<Index> train, test;
  for (Index i = 0; i < rows; ++i) {
    (begin <= i && i < end ? test : train).push_back(order[static_cast<std::size_t>(i)]);
  }
  return {rows_of(ratings, train), rows_of(ratings, test)};
}

RatingOutcome run_on_ratings(const RatingSplit& split, const RatingMethod& method, std::uint64_t seed) {
  const SamplerEntry& sampler = find_sampler(method.sampler);
  auto target = bpmf().make(model_config(method.model), &split.train);
  auto predictor = predictor_of(split, method.model, *target);
  ChainSpec spec;
  spec.schedule = method.schedule;
  spec.seed = seed;
  spec.initial = method.initial;
  Watch watch(std::move(predictor), method);
  const auto chain = sampler.make(std::move(target), Config(sampler.name, sampler.params, method.settings), spec);
  bool diverged = false;
  try {
    chain->run_to(spec.schedule.total(), watch, watch.token());
  } catch (const Diverged&) {
    diverged = true;
  }
  return std::move(watch).result(diverged);
}

RatingMode mode_of_ratings(const RatingSplit& split, const Settings& model, std::int64_t gradients,
                           std::uint64_t seed) {
  const auto target = bpmf().make(model_config(model), &split.train);
  Vec start(target->dim());
  target->draw_start(start, Rng(seed).child("start"));
  OptimizeOptions options;
  options.max_gradients = options.max_iterations = gradients;
  const Optimum mode = optimize(*target, start, options);
  Vec values(target->layout().size());
  target->constrain(mode.x, values, Rng(seed));
  PredictiveAverage prediction(predictor_of(split, model, *target));
  prediction.add({values.data(), static_cast<std::size_t>(values.size())}, Rng(seed));
  return {mode.x, prediction.last().rmse, mode.gradients};
}

Vec start_at_mode(const RatingSplit& split, const Settings& model, const Vec& rows, std::uint64_t seed) {
  const auto target = bpmf().make(model_config(model), &split.train);
  const Rng rng = Rng(seed).child("precisions");
  Vec x(target->dim());
  target->draw_start(x, rng.child("start"));
  x.head(rows.size()) = rows;
  Index number = 0;
  for (const Conditional& one : target->conditionals()) {
    Vec drawn(one.block.size);
    target->draw_conditional(number, x, drawn, rng.child("drawn", static_cast<std::uint64_t>(number)));
    x.segment(one.block.begin, one.block.size) = drawn;
    ++number;
  }
  return x;
}

}  // namespace quasar
