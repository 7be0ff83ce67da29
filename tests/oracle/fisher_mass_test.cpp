// A mass learned from the variance of minibatches makes coordinates of any scale mix alike, and keeps their law.
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "support/error_message.hpp"
#include "support/regression.hpp"
#include "support/statistics.hpp"
#include "targets/linear_gaussian.hpp"

namespace quasar {
namespace {

constexpr int assertions = 24;  // of this file, those against a threshold
constexpr Index dim = 4, rows = 2000;
const Vec scales{{1, 3, 10, 30}};  // of the predictors: curvatures from 1 to 900

LinearGaussian scaled_regression() {
  LinearGaussianData data{Mat(dim, rows), Vec(rows), 1};
  Stream normals = Rng(8).stream("data");
  for (Index i = 0; i < rows; ++i) {
    normals.normals(data.predictors.col(i));
    data.predictors.col(i).array() *= scales.array();
    data.responses[i] = data.predictors.col(i).dot(scales.cwiseInverse()) + normals.normal();
  }
  return LinearGaussian(std::move(data));
}

RunData sampled(const Target& target, const char* name, const char* mass, const Settings& more = {}) {
  const SamplerEntry& sampler = find_sampler(name);
  Settings settings{{"mass", mass}, {"batch_size", "50"}};
  settings.insert(more.begin(), more.end());
  SampleOptions options;
  options.schedule = {2000, 20'000, 1};
  options.seed = 3;
  options.threads = 1;
  return sample(target, sampler, Config(sampler.name, sampler.params, settings), options);
}

Vec effective_sizes(const RunData& run) {
  Vec sizes(dim);
  for (Index i = 0; i < dim; ++i) sizes[i] = ess_bulk(draws_of(run, i));
  return sizes;
}

TEST(FisherMass, EveryCoordinateMixesAlike) {
  const LinearGaussian target = scaled_regression();
  for (const char* sampler : {"sghmc", "sgnht", "sg-nphmc-canonical"}) {
    const Vec learned = effective_sizes(sampled(target, sampler, "fisher"));
    const Vec unit = effective_sizes(sampled(target, sampler, "1"));
    EXPECT_LT(learned.maxCoeff() / learned.minCoeff(), 2) << sampler << ": " << learned.transpose();
    EXPECT_GT(unit.maxCoeff() / unit.minCoeff(), 20) << sampler << ": " << unit.transpose();
    EXPECT_GT(learned.minCoeff() / unit.minCoeff(), 20) << sampler;
  }
}

// With a small step the law is the posterior.
TEST(FisherMass, TheLawStays) {
  const LinearGaussian target = scaled_regression();
  const Moments moments = target.moments();
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  for (const char* sampler : {"sghmc", "sgnht", "sg-nphmc-canonical"}) {
    const RunData run =
        sampled(target, sampler, "fisher", {{"step_size", "0.02"}, {"leapfrog_steps", "5"}, {"friction", "2"}});
    for (Index i = 0; i < dim; ++i) {
      const Mat draws = draws_of(run, i);
      const double sd = std::sqrt(moments.variance[i]);
      EXPECT_LT(std::abs(mean(draws) - moments.mean[i]), z * mcse_mean(draws)) << sampler << " " << i;
      const Mat squares = ((draws.array() - moments.mean[i]) / sd).square();
      EXPECT_LT(std::abs(mean(squares) - 1), z * mcse_mean(squares)) << sampler << " " << i;
    }
  }
}

TEST(FisherMass, NeedsMinibatches) {
  const LinearGaussian target = scaled_regression();
  for (const char* sampler : {"sghmc", "sgnht", "sg-nphmc-canonical"}) {
    for (const Settings& wrong : {Settings{{"estimator", "full"}}, Settings{{"estimator", "control_variates"}}}) {
      EXPECT_THROW(sampled(target, sampler, "fisher", wrong), UsageError);
    }
  }
  EXPECT_THROW(sampled(target, "sgnht", "fisher", {{"variant", "b"}}), UsageError);
}

}  // namespace
}  // namespace quasar
