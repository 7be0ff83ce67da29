// What Langevin samplers on estimated gradients really sample: closed forms of the discretised law, and values that an
// independent implementation found, with its standard errors. Where a method is biased, that bias is what has to come
// out.
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "kernels/langevin/hamcmc.hpp"
#include "kernels/langevin/qn_langevin_naive.hpp"
#include "kernels/langevin/sgld.hpp"
#include "support/statistics.hpp"
#include "targets/covariance.hpp"
#include "targets/exact_law.hpp"
#include "targets/gaussian.hpp"

namespace quasar {
namespace {

constexpr int assertions = 34;  // of this file, at most

double threshold() { return test::z_threshold(test::per_assertion(test::family_alpha, assertions)); }

struct Value {
  double value, error;  // error 0: exact
};

void expect_agreement(const Mat& values, const Value& known, const std::string& what) {
  const double error = std::hypot(mcse_mean(values), known.error);
  EXPECT_LT(std::abs(mean(values) - known.value), threshold() * error)
      << what << ": " << mean(values) << " +- " << error << ", known " << known.value;
}

RunData run(const std::string& model, const Settings& of_model, const std::string& name, const Settings& settings,
            const Schedule& schedule) {
  const ModelEntry& entry = find_model(model);
  const auto target = entry.make(Config(entry.name, entry.params, of_model), nullptr);
  const SamplerEntry& sampler = find_sampler(name);
  SampleOptions options;
  options.schedule = schedule;
  options.seed = 11;
  return sample(*target, sampler, Config(sampler.name, sampler.params, settings), options);
}

// Start from the stationary law of the discretised chain, take a few steps: the variance must stay. Replicates are
// independent, so that the sample variance of a normal law has standard error sqrt(2/n) of it.
template <class K>
void expect_variance(const K& kernel, double variance, const std::string& what) {
  constexpr int replicates = 100'000, steps = 5;
  double squares = 0;
  Vec x(1);
  for (int i = 0; i < replicates; ++i) {
    const Rng rng(17, static_cast<std::uint64_t>(i));
    x[0] = std::sqrt(variance) * rng.stream("start").normal();
    auto state = kernel.init(x, rng.child("init"));
    for (int t = 0; t < steps; ++t) kernel.step(x, state, rng.at(static_cast<std::uint64_t>(t)));
    squares += x[0] * x[0];
  }
  const double z = (squares / replicates / variance - 1) / std::sqrt(2.0 / replicates);
  EXPECT_LT(std::abs(z), threshold()) << what << ": " << squares / replicates << ", theory " << variance;
}

// U = k x^2/2 with gradient noise of variance V: Var x = (2 + e V) / (k (2 - e k)), a bias of first order in e.
TEST(Sgld, HasItsDiscretisedLaw) {
  struct Case {
    double step, k, v;
  };
  for (const Case& c : {Case{0.4, 1, 0}, Case{0.2, 1, 0}, Case{0.1, 2, 0}, Case{0.1, 2, 4}, Case{0.02, 5, 50}}) {
    Gaussian target(std::make_shared<DiagonalCovariance>(Vec::Constant(1, 1 / c.k)));
    EstimatorSettings estimator;
    estimator.added_noise = c.v;
    StochasticParams params;
    params.step.size = c.step;
    expect_variance(Sgld(target, {0, 1}, estimator, params), (2 + c.step * c.v) / (c.k * (2 - c.step * c.k)),
                    "step " + std::to_string(c.step) + ", V " + std::to_string(c.v));
  }
}

// With a Metropolis test mirrored trajectories are exact, also where the density is largest at the wall: means of
// exponential laws with rates 1 and 2.
TEST(SghmcNaive, IsExactAtAWall) {
  const Settings natural{{"coordinates", "natural"}, {"shapes", "1,1"}, {"rates", "1,2"}};
  const RunData found = run("gamma", natural, "sghmc-naive",
                            {{"metropolis", "true"}, {"step_size", "0.3"}, {"gradient_noise", "1"}}, {1000, 40'000, 1});
  expect_agreement(draws_of(found, 0), {1, 0}, "rate 1");
  expect_agreement(draws_of(found, 1), {0.5, 0}, "rate 2");
}

// Friction keeps the mirrored law too, up to the order of its bias: e^2 here.
TEST(Sghmc, MirrorsItsMomentum) {
  const Settings natural{{"coordinates", "natural"}, {"shapes", "1,1"}, {"rates", "1,2"}};
  const RunData found = run("gamma", natural, "sghmc", {{"step_size", "0.02"}, {"friction", "2"}}, {1000, 400'000, 20});
  expect_agreement(draws_of(found, 0), {1, 0.0004}, "rate 1");
  expect_agreement(draws_of(found, 1), {0.5, 0.0004}, "rate 2");
}

// A constant metric G = P contracts every direction by 1 - e: the covariance is 2/(2 - e) times the posterior's.
TEST(Sgrld, HasItsDiscretisedLaw) {
  const ModelEntry& entry = find_model("linear-gaussian");
  const auto target = entry.make(Config(entry.name, entry.params, {{"dim", "3"}}), nullptr);
  const Vec mean = dynamic_cast<const ExactLaw&>(*target).moments().mean;
  Mat precision;
  target->geometry()->metric(mean, precision);
  for (const double step : {0.1, 0.2, 0.4}) {
    const RunData found = run("linear-gaussian", {{"dim", "3"}}, "sgrld",
                              {{"step_size", std::to_string(step)}, {"estimator", "full"}}, {1000, 20'000, 1});
    Mat energy(common_draws(found.sampling), std::ssize(found.sampling));  // x'Px / D
    for (Index chain = 0; chain < energy.cols(); ++chain) {
      const Eigen::Map<const Mat> x(found.sampling[static_cast<std::size_t>(chain)].values.data(), 3, energy.rows());
      const Mat centred = x.colwise() - mean;
      energy.col(chain) = (precision * centred).cwiseProduct(centred).colwise().sum().transpose() / 3;
    }
    expect_agreement(energy, {2 / (2 - step), 0}, "constant metric, step " + std::to_string(step));
  }
}

// N(0, 1) with exact gradients, lambda = 1/2: the law is exp(-U)/H where v follows x.
TEST(Psgld, HasTheLawItIsKnownToHave) {
  const Settings fast{{"averaging", "0.9"}, {"regularization", "0.5"}, {"step_size", "0.001"}};
  const auto with = [](Settings settings, const Settings& more) {
    for (const auto& [key, value] : more) settings[key] = value;
    return settings;
  };
  struct Case {
    const char* what;
    Settings settings;
    Value second_moment;
  };
  const Case cases[] = {
      {"after", fast, {1.568, 0.016}},
      {"first", with(fast, {{"update_first", "true"}}), {1.611, 0.013}},
      {"ema", with(fast, {{"correction", "ema"}}), {1.526, 0.014}},
      {"full", with(fast, {{"correction", "full"}}), {0.976, 0.012}},
      {"full, no memory", with(fast, {{"correction", "full"}, {"averaging", "0"}}), {0.997, 0.008}},
      {"slow", {{"averaging", "0.99"}, {"regularization", "0.5"}, {"step_size", "0.01"}}, {1.262, 0.005}},
      {"frozen", {{"averaging", "0.9999"}, {"regularization", "0.5"}, {"step_size", "0.01"}}, {1.006, 0.003}},
  };
  for (const Case& c : cases) {
    const RunData found = run("gaussian", {{"dim", "1"}}, "psgld", c.settings, {10'000, 1'000'000, 20});
    expect_agreement(draws_of(found, 0).array().square(), c.second_moment, c.what);
  }
}

// U = e^y - y: e^y ~ Exp(1).
struct LogExponential final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<LogExponential>(*this); }
  Index dim() const override { return 1; }
  Eval logp_grad(In x, Out grad) override {
    grad[0] = 1 - std::exp(x[0]);
    return {x[0] - std::exp(x[0])};
  }
};

template <class K>
Mat path(const K& kernel, Index draws, Index thin) {
  constexpr Index chains = 4;
  Mat found(draws, chains);
  for (Index c = 0; c < chains; ++c) {
    const Rng rng(23, static_cast<std::uint64_t>(c));
    Vec x = Vec::Zero(1);
    auto state = kernel.init(x, rng.child("init"));
    for (Index i = 0; i < draws * thin; ++i) {
      kernel.step(x, state, rng.at(static_cast<std::uint64_t>(i)));
      found(i / thin, c) = x[0];
    }
  }
  return found;
}

// Curvature of the chain's own past: the law is exp(-U)/H for ever, E y = 0.256 instead of -0.577.
TEST(QnLangevinNaive, IsBiasedForEver) {
  LogExponential target;
  QnLangevinNaiveParams params;
  params.memory = 2;
  params.shift = 0.2;
  params.step.size = 0.01;
  expect_agreement(path(QnLangevinNaive(target, {0, 1}, {}, params), 20'000, 20), {0.2535, 0.0019}, "naive");
}

// In one dimension there is one direction, and the published pairs are harmless.
TEST(Hamcmc, PrintedIsRightInOneDimension) {
  LogExponential target;
  HamcmcParams params;
  params.memory = 2;
  params.shift = 0.2;
  params.pairs = HamcmcParams::printed;
  params.step.size = 0.01;
  expect_agreement(path(Hamcmc(target, {0, 1}, {}, params), 20'000, 21), {-0.584, 0.004}, "printed, 1-D");
}

TEST(Hamcmc, HasTheLawItIsKnownToHave) {
  const auto settings = [](const char* memory, const char* scale, const char* shift, const char* step,
                           const char* pairs) {
    return Settings{{"memory", memory},  {"initial_scale", scale}, {"shift", shift},
                    {"step_size", step}, {"pairs", pairs},         {"freeze", "false"}};
  };
  // A constant H: what is left is a bias of order e; the truth is -0.57722.
  Settings frozen = settings("2", "5", "1", "0.0025", "printed");
  frozen["freeze"] = "true";
  struct Case {
    const char* what;
    Settings settings;
    Value mean_y;
    std::int64_t draws;
  };
  const Case cases[] = {
      {"printed", settings("2", "5", "1", "0.01", "printed"), {-0.7309, 0.0025}, 400'000},
      {"printed, small step", settings("2", "5", "1", "0.0025", "printed"), {-0.7229, 0.0033}, 400'000},
      {"printed, memory 3", settings("3", "5", "0.2", "0.005", "printed"), {-0.660, 0.004}, 200'000},
      {"printed, other sign", settings("2", "0.2", "0.2", "0.0025", "printed"), {-0.510, 0.008}, 400'000},
      {"random", settings("2", "5", "1", "0.01", "random"), {-0.589, 0.002}, 400'000},
      {"random, small step", settings("2", "5", "1", "0.0025", "random"), {-0.573, 0.004}, 400'000},
      {"random, memory 3", settings("3", "5", "0.2", "0.005", "random"), {-0.581, 0.003}, 200'000},
      {"frozen", frozen, {-0.587, 0.009}, 400'000},
  };
  for (const Case& c : cases) {
    const RunData found = run("normal-loggamma", {}, "hamcmc", c.settings, {1000, c.draws, 10});
    expect_agreement(draws_of(found, 1), c.mean_y, c.what);
  }
}

}  // namespace
}  // namespace quasar
