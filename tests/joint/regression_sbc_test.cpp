// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman 2018): where parameters are drawn from
// the prior, data from the parameters and draws from the posterior of the data, the rank of the parameter among the
// draws is uniform. It tests model, transforms, predictor and sampler together.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <quasar/sample.hpp>

#include "support/regression.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int replicates = 600;
constexpr Index ranks = 20, rows = 15, groups = 3;
constexpr int assertions = 40;  // upper bound: the values of all models below
const double alpha = test::per_assertion(test::family_alpha, assertions);

struct Calibrated {
  std::string model;
  Settings settings;
  std::function<void(Stream&, Out)> draw_prior;  // in the coordinates that are sampled

  Config config() const { return test::model_config(model, settings); }
};

// The rank of each true value among the draws of one data set.
std::vector<Index> ranks_of(const Calibrated& trial, const ConstantData& kept, Table table, Target& simulated,
                            const Rng& rng) {
  Vec x(simulated.dim()), truth(simulated.layout().size());
  Stream stream = rng.stream("prior");
  trial.draw_prior(stream, x);
  simulated.constrain(x, truth, rng);
  const auto law = find_model(trial.model).predictor(trial.config(), kept, table);
  law->take({truth.data(), static_cast<std::size_t>(truth.size())}, rng);
  law->replicate(0, table.values.col(table.columns() - 1));

  const auto target = test::regression(trial.model, table, trial.settings);
  const SamplerEntry& nuts = find_sampler("nuts");
  SampleOptions options;
  options.chains = 1;
  options.threads = 1;
  options.seed = rng.stream("seed").key();
  options.schedule = {.warmup = 300, .draws = 15 * (ranks - 1), .thin = 15};  // nearly independent
  options.initial = {x};
  const RunData run = sample(*target, nuts, Config(nuts.name, nuts.params, {}), options);
  std::vector<Index> found;
  for (Index i = 0; i < truth.size(); ++i) found.push_back((draws_of(run, i).array() < truth[i]).count());
  return found;
}

void expect_uniform_ranks(const Calibrated& trial, Index grouped) {
  const Table table = test::make_table_for(trial.model, rows, 2, grouped);
  const auto simulated = test::regression(trial.model, table, trial.settings);
  const ConstantData kept = simulated->constant_data();
  Mat counts = Mat::Zero(ranks, simulated->layout().size());
  for (int r = 0; r < replicates; ++r) {
    const auto found = ranks_of(trial, kept, table, *simulated, Rng(17).child("data", static_cast<std::uint64_t>(r)));
    for (std::size_t i = 0; i < found.size(); ++i) counts(found[i], static_cast<Index>(i)) += 1;
  }
  const std::vector<double> uniform(static_cast<std::size_t>(ranks), replicates / static_cast<double>(ranks));
  for (Index i = 0; i < counts.cols(); ++i) {
    const Vec column = counts.col(i);
    EXPECT_GT(test::goodness_of_fit_p_value({column.data(), uniform.size()}, uniform), alpha)
        << trial.model << ", value " << i << ": " << column.transpose();
  }
}

double half_normal(Stream& stream, double sd) { return sd * std::fabs(stream.normal()); }

TEST(Calibration, Logistic) {
  expect_uniform_ranks(
      {"logistic", {{"prior_sd", "1"}, {"intercept_prior_sd", "1"}}, [](Stream& stream, Out x) { stream.normals(x); }},
      0);
}

TEST(Calibration, LogisticWithStudentsPriorInGroups) {
  const auto prior = [](Stream& stream, Out x) {
    x[0] = 0.6 * stream.normal();
    for (Index j = 1; j < 3; ++j) x[j] = 0.8 * stream.normal() / std::sqrt(stream.gamma(2.5) / 2.5);
    x[3] = std::log(half_normal(stream, 0.9));
    stream.normals(x.tail(groups));
  };
  expect_uniform_ranks({"logistic",
                        {{"prior_sd", "0.8"},
                         {"intercept_prior_sd", "0.6"},
                         {"scale_prior_sd", "0.9"},
                         {"prior", "student_t"},
                         {"prior_df", "5"},
                         {"group", "g"}},
                        prior},
                       groups);
}

TEST(Calibration, Poisson) {
  const auto prior = [](Stream& stream, Out x) {
    stream.normals(x);
    x *= 0.7;
  };
  expect_uniform_ranks({"poisson", {{"prior_sd", "0.7"}, {"intercept_prior_sd", "0.7"}}, prior}, 0);
}

TEST(Calibration, NegativeBinomialWithLaplacePrior) {
  const auto prior = [](Stream& stream, Out x) {
    x[0] = 0.7 * stream.normal();
    for (Index j = 1; j < 3; ++j) x[j] = 0.7 / std::sqrt(2.0) * (stream.exponential() - stream.exponential());
    x[3] = std::log(half_normal(stream, 1));
  };
  expect_uniform_ranks(
      {"negative-binomial", {{"prior_sd", "0.7"}, {"intercept_prior_sd", "0.7"}, {"prior", "laplace"}}, prior}, 0);
}

TEST(Calibration, PoissonWithAHorseshoe) {
  const auto prior = [](Stream& stream, Out x) {
    stream.normals(x);  // of z and the intercept
    x[0] *= 0.7;
    for (Index i = 3; i < 6; ++i) x[i] = std::log(std::fabs(stream.normal() / stream.normal()));
  };
  expect_uniform_ranks({"poisson", {{"prior_sd", "0.7"}, {"intercept_prior_sd", "0.7"}, {"prior", "horseshoe"}}, prior},
                       0);
}

}  // namespace
}  // namespace quasar
