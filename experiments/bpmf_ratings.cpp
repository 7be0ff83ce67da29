#include "experiments/bpmf_ratings.hpp"

#include <fmt/core.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>

#include <quasar/chain.hpp>
#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "predict/predictive_average.hpp"
#include "solvers/optimize.hpp"

namespace quasar {
namespace {

struct RatingModel {
  const ModelEntry* entry;
  Config config;

  std::unique_ptr<Target> target(const RatingSplit& split) const { return entry->make(config, &split.train); }
  std::unique_ptr<Predictor> predictor(const RatingSplit& split, const Target& target) const {
    return entry->predictor(config, target.constant_data(), split.test);
  }
};

RatingModel rating_model(const char* name, const Settings& settings) {
  const ModelEntry& entry = find_model(name);
  return {&entry, {entry.name, entry.params, settings}};
}

Table rows_of(const Table& table, std::span<const Index> rows) {
  Table some{.source = table.source,
             .names = table.names,
             .values = table.values(std::vector(rows.begin(), rows.end()), Eigen::all),
             .lines = {}};
  some.levels = table.levels;
  some.content_hash = table.content_hash;
  return some;
}

// The model, whose chains start at rows around a mode: what it draws itself is added to them. What it draws by Gibbs
// steps is drawn given the rows.
class StartsAroundMode final : public Target {
 public:
  StartsAroundMode(std::unique_ptr<Target> model, Vec rows) : model_(std::move(model)), rows_(std::move(rows)) {}

  void draw_start(Out x, const Rng& rng) const override {
    model_->draw_start(x, rng.child("start"));
    x.head(rows_.size()) += rows_;
    Index number = 0;
    for (const Conditional& one : model_->conditionals()) {
      Vec drawn(one.block.size);
      model_->draw_conditional(number, x, drawn, rng.child("drawn", static_cast<std::uint64_t>(number)));
      x.segment(one.block.begin, one.block.size) = drawn;
      ++number;
    }
  }

  std::unique_ptr<Target> fork() const override { return std::make_unique<StartsAroundMode>(model_->fork(), rows_); }
  Index dim() const override { return model_->dim(); }
  Threads threads() const override { return model_->threads(); }
  Eval logp_grad(In x, Out grad) override { return model_->logp_grad(x, grad); }
  std::string_view rejection() const override { return model_->rejection(); }
  Layout layout() const override { return model_->layout(); }
  void constrain(In x, Out values, const Rng& rng) override { model_->constrain(x, values, rng); }
  std::span<const Conditional> conditionals() const override { return model_->conditionals(); }
  void draw_conditional(Index i, In x, Out out, const Rng& rng) override { model_->draw_conditional(i, x, out, rng); }

 private:
  std::unique_ptr<Target> model_;
  Vec rows_;
};

double rmse_of_mean(const RatingSplit& split) {
  const double mean = split.train.values.col(2).mean();
  return std::sqrt((split.test.values.col(2).array() - mean).square().mean());
}

double thread_seconds() {  // others may use the same cores
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Sees the draw at the end of each round. Its own work is not part of the time of the chain.
class Watch final : public Sink {
 public:
  Watch(std::unique_ptr<Predictor> predictor, const RatingMethod& method)
      : predictor_(std::move(predictor)), method_(&method) {}

  void on_draw(const Draw& draw) override {
    const double now = thread_seconds();
    if (!average_ || !method_->averages) average_.emplace(predictor_->fork());
    const Rng rng = Rng(0).child("draw", static_cast<std::uint64_t>(draw.chain + draw.member));
    average_->add(draw.values, rng.at(static_cast<std::uint64_t>(draw.iteration)));
    outcome_.rmse.push_back(average_->scores().rmse);
    outcome_.single_rmse.push_back(average_->last().rmse);
    watching_ += thread_seconds() - now;
  }

  void on_step(std::int64_t, const StepInfo& info) override {
    ++outcome_.iterations;
    outcome_.gradients += info.grad_evals;
    if (outcome_.gradients >= method_->gradients) stop_.request_stop();
  }

  std::stop_token token() const { return stop_.get_token(); }

  RatingOutcome result(bool stopped, double worst) && {
    outcome_.diverged = stopped || outcome_.rmse.empty() || !(outcome_.rmse.back() <= worst);
    outcome_.seconds = thread_seconds() - begin_ - watching_;
    if (average_) {
      const Scores scores = average_->scores();
      outcome_.mae = scores.mae;
      outcome_.coverage_90 = scores.coverage_90;
    }
    return std::move(outcome_);
  }

 private:
  std::unique_ptr<Predictor> predictor_;
  const RatingMethod* method_;
  std::stop_source stop_;
  std::optional<PredictiveAverage> average_;
  RatingOutcome outcome_;
  double begin_ = thread_seconds();
  double watching_ = 0;
};

void run_in_turns(std::vector<std::unique_ptr<Chain>>& chains, std::int64_t iterations, Watch& watch) {
  const std::int64_t turn = chains.size() > 1 ? 1 : iterations;
  for (std::int64_t until = turn; until <= iterations; until += turn) {
    for (const auto& chain : chains) chain->run_to(until, watch, watch.token());
  }
}

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
  if (ratings.rows() < parts) {
    throw DataError(
        fmt::format("{}: {} ratings cannot be shared out among {} parts", ratings.source, ratings.rows(), parts));
  }
  const Index rows = ratings.rows(), begin = rows * part / parts, end = rows * (part + 1) / parts;
  std::vector<Index> order(static_cast<std::size_t>(rows));
  Rng(seed).stream("parts of the ratings").permutation(order);
  std::vector<Index> train, test;
  for (Index i = 0; i < rows; ++i) {
    (begin <= i && i < end ? test : train).push_back(order[static_cast<std::size_t>(i)]);
  }
  return {rows_of(ratings, train), rows_of(ratings, test)};
}

std::vector<RatingSplit> rating_folds(const Table& ratings, Index parts, Index count, std::uint64_t seed) {
  std::vector<RatingSplit> folds;
  for (Index fold = 0; fold < count; ++fold) folds.push_back(split_ratings(ratings, parts, fold, seed));
  return folds;
}

RatingOutcome run_on_ratings(const RatingSplit& split, const RatingMethod& method, std::uint64_t seed) {
  const SamplerEntry& sampler = find_sampler(method.sampler);
  const RatingModel model = rating_model(method.factorization, method.model);
  auto target = model.target(split);
  auto predictor = model.predictor(split, *target);
  if (method.mode.size() > 0) target = std::make_unique<StartsAroundMode>(std::move(target), method.mode);
  const Config settings(sampler.name, sampler.params, method.settings);
  Watch watch(std::move(predictor), method);
  std::vector<std::unique_ptr<Chain>> chains;
  for (int chain = 0; chain < method.chains; ++chain) {
    chains.push_back(
        sampler.make(target->fork(), settings, {.schedule = method.schedule, .seed = seed, .chain = chain}));
  }
  bool stopped = false;
  try {
    run_in_turns(chains, method.schedule.total(), watch);
  } catch (const Diverged&) {
    stopped = true;
  }
  return std::move(watch).result(stopped, rmse_of_mean(split));
}

RatingMode mode_of_ratings(const RatingSplit& split, const Settings& settings, std::int64_t gradients,
                           std::uint64_t seed) {
  const RatingModel model = rating_model("bpmf", settings);
  const auto target = model.target(split);
  Vec start(target->dim());
  target->draw_start(start, Rng(seed).child("start"));
  OptimizeOptions options;
  options.max_gradients = options.max_iterations = gradients;
  const Optimum mode = optimize(*target, start, options);
  Vec values(target->layout().size());
  target->constrain(mode.x, values, Rng(seed));
  PredictiveAverage prediction(model.predictor(split, *target));
  prediction.add({values.data(), static_cast<std::size_t>(values.size())}, Rng(seed));
  return {mode.x, prediction.last().rmse, mode.gradients};
}

std::string describe(const Settings& model, const Settings& sampler) {
  std::string text;
  for (const Settings* settings : {&model, &sampler}) {
    for (const auto& [name, value] : *settings) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string describe(const RatingSplit& split, const RatingMethod& method, std::uint64_t seed) {
  const auto text = [](const Table& table) { return fmt::format("{} of {}", table.rows(), table.content_hash); };
  const Schedule& schedule = method.schedule;
  return fmt::format(
      "{} x {} of {}: {}; warmup {}, draws {}, thin {}, gradients {}, mode {}; seed {}; ratings {}, test {}",
      method.chains, method.sampler, method.factorization, describe(method.model, method.settings), schedule.warmup,
      schedule.draws, schedule.thin, method.gradients, method.mode.norm(), seed, text(split.train), text(split.test));
}

namespace {

double number(const nlohmann::json& value) { return value.is_null() ? Scores::none : value.get<double>(); }

std::vector<double> numbers(const nlohmann::json& values) {
  std::vector<double> found;
  for (const auto& value : values) found.push_back(number(value));
  return found;
}

}  // namespace

void to_json(nlohmann::json& json, const RatingOutcome& outcome) {
  json = {{"rmse", outcome.rmse},
          {"single_rmse", outcome.single_rmse},
          {"mae", outcome.mae},
          {"coverage_90", outcome.coverage_90},
          {"seconds", outcome.seconds},
          {"iterations", outcome.iterations},
          {"gradients", outcome.gradients},
          {"diverged", outcome.diverged}};
}

void from_json(const nlohmann::json& json, RatingOutcome& outcome) {
  outcome = {.rmse = numbers(json.at("rmse")),
             .single_rmse = numbers(json.at("single_rmse")),
             .mae = number(json.at("mae")),
             .coverage_90 = number(json.at("coverage_90")),
             .seconds = json.at("seconds"),
             .iterations = json.at("iterations"),
             .gradients = json.at("gradients"),
             .diverged = json.at("diverged")};
}

}  // namespace quasar
