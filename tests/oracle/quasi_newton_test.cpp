// Values of the quasi-Newton samplers that an independent implementation found, with its standard errors, and what is
// known by quadrature. Where the published adaptation is biased, that bias is what has to come out.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "io/csv.hpp"
#include "kernels/hmc/qnhmc_naive.hpp"
#include "metrics/diagonal.hpp"
#include "support/statistics.hpp"
#include "targets/covariance.hpp"
#include "targets/gaussian.hpp"

namespace quasar {
namespace {

struct Value {
  double value, error;  // error 0: exact
};

constexpr double quartic_truth = 0.46791992;  // E t^2 under exp(-t^2/2 - t^4/4), by quadrature
constexpr int assertions = 28;                // of this file

void expect_agreement(const Mat& values, const Value& known, const std::string& what) {
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  const double error = std::hypot(mcse_mean(values), known.error);
  EXPECT_LT(std::abs(mean(values) - known.value), z * error) << what << ": " << mean(values) << " +- " << error;
}

Config config_of(const SamplerEntry& sampler, const Settings& settings) {
  return Config(sampler.name, sampler.params, settings);
}

// The mean over coordinates of x^2, one number per draw; rows of `values` are whole draws.
template <class Coordinates>
Mat mean_squares(const RunData& run, Index dim, Coordinates&& coordinates) {
  const Index draws = common_draws(run.sampling), rows = std::ssize(run.sampling);
  Mat out(draws, rows);
  for (Index row = 0; row < rows; ++row) {
    const double* values = run.sampling[static_cast<std::size_t>(row)].values.data();
    for (Index i = 0; i < draws; ++i) {
      out(i, row) = coordinates(Eigen::Map<const Vec>(values + dim * i, dim)).squaredNorm() / static_cast<double>(dim);
    }
  }
  return out;
}

struct Case {
  const char* sampler;
  Settings settings;
  int dim;
  Value known;
  std::int64_t draws = 20'000;
};

const Settings coarse{{"step_size", "0.3"}, {"leapfrog_steps", "5"}, {"jitter", "0"}};

Settings with(Settings settings, const Settings& more) {
  for (const auto& [key, value] : more) settings[key] = value;
  return settings;
}

TEST(Quartic, EveryAdaptationHasTheLawItIsKnownToHave) {
  const Settings printed = with(coarse, {{"adapt", "printed"}});
  const Case cases[] = {
      {"qnhmc", {}, 2, {quartic_truth, 0}},
      {"qnhmc", {}, 10, {quartic_truth, 0}},
      {"qnhmc", {{"memory", "5"}}, 10, {quartic_truth, 0}},
      {"qnhmc", with(coarse, {{"form", "published"}}), 2, {quartic_truth, 0}},
      {"qnhmc", with(coarse, {{"form", "published"}}), 10, {quartic_truth, 0}},
      {"qnhmc", with(coarse, {{"adapt", "ensemble"}}), 1, {quartic_truth, 0}},
      {"hmc-bfgs", coarse, 2, {quartic_truth, 0}},
      {"hmc-bfgs", {}, 10, {quartic_truth, 0}},
      {"qnhmc", printed, 1, {1.0761, 0.0011}},
      {"qnhmc", with(printed, {{"step_size", "0.06"}}), 1, {1.346, 0.004}, 200'000},
      {"qnhmc", with(printed, {{"step_size", "0.6"}}), 1, {0.3673, 0.0003}},
      {"qnhmc", printed, 2, {1.0609, 0.0013}},
      {"qnhmc", printed, 10, {0.8922, 0.0017}},
      {"qnhmc", with(printed, {{"memory", "7"}}), 10, {0.5058, 0.0007}},
      {"qnhmc-naive", {{"step_size", "0.3"}}, 2, {quartic_truth, 0}},
  };
  for (const Case& c : cases) {
    const ModelEntry& model = find_model("quartic");
    const auto target = model.make(Config(model.name, model.params, {{"dim", std::to_string(c.dim)}}), nullptr);
    const SamplerEntry& sampler = find_sampler(c.sampler);
    SampleOptions options;
    options.schedule = {1000, c.draws, 1};
    options.seed = 5;
    const RunData run = sample(*target, sampler, config_of(sampler, c.settings), options);
    std::string what = std::string(c.sampler) + ", d = " + std::to_string(c.dim);
    for (const auto& [key, value] : c.settings) what += ", " + key + "=" + value;
    expect_agreement(mean_squares(run, c.dim, [](const auto& x) { return x; }), c.known, what);
  }
}

// The acceptance is known to three digits, hence its error.
// N(0, 1) with H = 1/4 and trajectories of length 1.5: with Metropolis the law is right and the acceptance is 0.70 at
// any step size; without it the law is exp(-U/4), whose variance is 4 (and a little more at a finite step).
TEST(Naive, HasTheLawItIsKnownToHave) {
  struct Setting {
    double step_size;
    std::int64_t steps;
    bool metropolis;
    Value second_moment;
    std::optional<Value> acceptance;
  };
  const Setting settings[] = {{0.3, 5, true, {1, 0}, Value{0.698, 0.0005}},
                              {0.03, 50, true, {1, 0}, Value{0.699, 0.0005}},
                              {0.3, 5, false, {4 / (1 - 0.09 / 16), 0}, std::nullopt},
                              {0.03, 50, false, {4 / (1 - 0.0009 / 16), 0}, std::nullopt}};
  Gaussian target(std::make_shared<DiagonalCovariance>(Vec::Ones(1)));
  for (const Setting& setting : settings) {
    HmcParams<Diagonal> params{{setting.step_size, setting.steps, 1, 0, setting.metropolis}, Diagonal(1)};
    params.metric.set_variance(Vec::Constant(1, 0.25));
    const NaiveQnhmc<Diagonal> kernel(target, {0, 1}, params);
    constexpr Index draws = 50'000, chains = 2;
    Mat squares(draws, chains), acceptance(draws, chains);
    for (Index c = 0; c < chains; ++c) {
      const Rng rng(9, static_cast<std::uint64_t>(c));
      Vec x = Vec::Zero(1);
      auto s = kernel.init(x, rng);
      for (Index i = 0; i < draws; ++i) {
        acceptance(i, c) = kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i))).accept_prob;
        squares(i, c) = x[0] * x[0];
      }
    }
    expect_agreement(squares, setting.second_moment, "naive, step " + std::to_string(setting.step_size));
    if (setting.acceptance) expect_agreement(acceptance, *setting.acceptance, "acceptance");
  }
}

// On a Gaussian the published adaptation settles, and the law is right.
TEST(Gaussian, PrintedAdaptationIsRightThere) {
  const ModelEntry& model = find_model("gaussian");
  const auto target = model.make(Config(model.name, model.params, {{"dim", "1"}}), nullptr);
  const SamplerEntry& sampler = find_sampler("qnhmc");
  SampleOptions options;
  options.schedule = {1000, 20'000, 1};
  const RunData run = sample(*target, sampler, config_of(sampler, with(coarse, {{"adapt", "printed"}})), options);
  expect_agreement(mean_squares(run, 1, [](const auto& x) { return x; }), {1, 0}, "printed on a Gaussian");
}

TEST(DoubleWell, AnEnsembleFindsTheSecondMoment) {
  const ModelEntry& model = find_model("double-well");
  const auto target = model.make(Config(model.name, model.params, {}), nullptr);
  const SamplerEntry& sampler = find_sampler("hmc-bfgs");
  SampleOptions options;
  options.schedule = {1000, 20'000, 1};
  const RunData run =
      sample(*target, sampler, config_of(sampler, {{"step_size", "0.1"}, {"leapfrog_steps", "20"}}), options);
  expect_agreement(mean_squares(run, 1, [](const auto& x) { return x; }), {0.8327454871, 0}, "double well");
}

class Heart : public testing::Test {
 protected:
  Heart() {
    const ModelEntry& model = find_model("logistic");
    const Table table = read_csv(std::string(QUASAR_TEST_DATA_DIR) + "/../../../examples/heart.csv");
    target = model.make(Config(model.name, model.params, {}), &table);
  }
  Mat sampled(const Settings& settings, std::int64_t draws) const {
    const SamplerEntry& sampler = find_sampler("qnhmc");
    SampleOptions options;
    options.schedule = {1000, draws, 1};
    options.initial.assign(4, Vec::Zero(14));
    const RunData run = sample(*target, sampler, config_of(sampler, settings), options);
    Vec standardised(14);
    return mean_squares(run, 14, [&](const auto& original) -> const Vec& {
      target->unconstrain(original, standardised);
      return standardised;
    });
  }
  std::unique_ptr<Target> target;
};

// Logistic regression of heart disease: the mean over coefficients of E b^2 is 0.3826(4) by HMC.
TEST_F(Heart, FrozenAndEnsembleAdaptationAreRight) {
  expect_agreement(sampled({}, 4000), {0.3826, 0.0004}, "learned in warm-up");
  expect_agreement(sampled({{"adapt", "ensemble"}}, 4000), {0.3826, 0.0004}, "ensemble");
}

TEST_F(Heart, PrintedAdaptationIsWrong) {
  const Settings printed{{"adapt", "printed"}, {"leapfrog_steps", "10"}, {"jitter", "0"}};
  expect_agreement(sampled(with(printed, {{"step_size", "0.12"}}), 40'000), {0.1865, 0.0012}, "BFGS");
  expect_agreement(sampled(with(printed, {{"step_size", "0.1"}, {"memory", "7"}}), 10'000), {0.3685, 0.0005}, "L-BFGS");
}

}  // namespace
}  // namespace quasar
