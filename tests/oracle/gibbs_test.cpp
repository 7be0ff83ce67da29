// The law of chains that draw a coordinate of a Gaussian exactly between the steps of a kernel, the others by it.
//
// Kernels with a Metropolis test have the Gaussian's own law: started there, independent chains are still there after a
// few iterations. A step of sghmc followed by the exact draw is a linear recursion z <- F z + N(0, Q), z = (x, p), and
// has the law S = F S F' + Q. hamcmc's is the Gaussian's as the step becomes small: here its bias is a tenth of the
// standard error.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "support/partly_exact.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 18;  // of this file, those against a threshold
using test::PartlyExact;

double alpha() { return test::per_assertion(test::family_alpha, assertions); }

struct LastDraw final : Sink {
  Vec x;
  void on_draw(const Draw& draw) override { x = Eigen::Map<const Vec>(draw.values.data(), std::ssize(draw.values)); }
};

// L'x of precision P = L L' has independent standard normal coordinates.
void expect_invariant(const char* name, const Settings& settings) {
  constexpr int replicates = 10'000, iterations = 3;
  const Eigen::LLT<Mat> root(test::partly_exact_precision);
  const SamplerEntry& sampler = find_sampler(name);
  const Config config(sampler.name, sampler.params, settings);
  std::vector<std::vector<double>> coordinates(3, std::vector<double>(replicates));
  for (int i = 0; i < replicates; ++i) {
    ChainSpec spec;
    spec.schedule = {0, iterations, 1};
    spec.chain = i;
    Vec z(3);
    Rng(7, static_cast<std::uint64_t>(i)).stream("start").normals(z);
    spec.initial = root.matrixU().solve(z);
    LastDraw last;
    sampler.make(std::make_unique<PartlyExact>(), config, spec)->run_to(iterations, last, {});
    z = root.matrixU() * last.x;
    for (int k = 0; k < 3; ++k) coordinates[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)] = z[k];
  }
  for (std::vector<double>& one : coordinates) {
    std::sort(one.begin(), one.end());
    const double p = test::ks_p_value(one, [](double value) { return 0.5 * std::erfc(-value / std::sqrt(2)); });
    EXPECT_GT(p, alpha()) << name;
  }
}

TEST(Gibbs, LeavesTheLawOfMetropolisKernelsUnchanged) {
  expect_invariant("nuts", {{"step_size", "0.9"}, {"metric", "identity"}});
  expect_invariant("hmc", {{"step_size", "1"}, {"leapfrog_steps", "2"}, {"metric", "identity"}});
}

RunData run(const char* name, const Settings& settings, std::int64_t draws, std::int64_t thin) {
  SampleOptions options;
  options.schedule = {5000, draws, thin};
  options.seed = 11;
  const SamplerEntry& sampler = find_sampler(name);
  return sample(PartlyExact(), sampler, Config(sampler.name, sampler.params, settings), options);
}

// All six second moments.
void expect_covariance(const RunData& run, const Mat& known) {
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Mat products = draws_of(run, i).cwiseProduct(draws_of(run, j));
      EXPECT_LT(std::abs(mean(products) - known(i, j)), test::z_threshold(alpha()) * mcse_mean(products))
          << i << j << ": " << mean(products) << " +- " << mcse_mean(products) << ", not " << known(i, j);
    }
  }
}

TEST(Gibbs, SghmcHasTheLawOfItsRecursion) {
  constexpr double step = 0.5, friction = 0.8;
  const Mat& p = test::partly_exact_precision;
  // z = (x_0, x_1, x_2, p_0, p_1): x moves, then p by the gradient there, friction and noise, then x_2 is drawn.
  Mat drift = Mat::Identity(5, 5), kick = Mat::Identity(5, 5), draw = Mat::Identity(5, 5);
  drift.block(0, 3, 2, 2) = step * Mat::Identity(2, 2);
  kick.block(3, 0, 2, 3) = -step * p.topRows(2);
  kick.block(3, 3, 2, 2) = (1 - step * friction) * Mat::Identity(2, 2);
  draw.row(2) << -p(2, 0) / p(2, 2), -p(2, 1) / p(2, 2), 0, 0, 0;
  const Mat before = kick * drift;
  Mat noise = Mat::Zero(5, 5), drawn = Mat::Zero(5, 5);
  noise(3, 3) = noise(4, 4) = 2 * step * friction;
  drawn(2, 2) = 1 / p(2, 2);
  Mat f = draw * before, s = draw * noise * draw.transpose() + drawn;
  for (int doubling = 0; doubling < 40; ++doubling) {
    s = (s + f * s * f.transpose()).eval();
    f = (f * f).eval();
  }
  const Mat recorded = before * s * before.transpose() + noise;  // a draw is recorded before x_2 is drawn anew
  const RunData draws = run("sghmc", {{"step_size", "0.5"}, {"friction", "0.8"}, {"noise_variance", "0"}}, 200'000, 1);
  expect_covariance(draws, recorded.topLeftCorner(3, 3));
}

TEST(Gibbs, HamcmcHasTheLawOfTheTarget) {
  const RunData draws = run("hamcmc", {{"step_size", "0.005"}}, 200'000, 50);
  expect_covariance(draws, test::partly_exact_precision.inverse());
}

}  // namespace
}  // namespace quasar
