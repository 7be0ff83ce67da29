// The law that blocked samplers really have, coarse steps and the noise of parts included, where it is known.
//
// Ratings k_ij sd^2 with a very large noise_sd = sd leave w'h out of account: the slope of w_i is sum_j k_ij h_j, and U
// is quadratic with the Hessian A = prior - couplings k. On part p a step is linear, u <- F_p u + noise of covariance
// Q, and the stationary covariance solves S = sum_p P(p) F_p S F_p' + Q (Kronecker products, written out). Chains of
// 10^5 draws must have it.
//
// Assertions: 21 products of coordinates for each of three samplers, 63; means over 100 batches, Student's law.
#include <Eigen/LU>
#include <gtest/gtest.h>
#include <unsupported/Eigen/KroneckerProduct>

#include <cmath>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/fields.hpp>
#include <quasar/registry.hpp>

#include "kernels/blocked/dhamcmc.hpp"
#include "metrics/lbfgs.hpp"
#include "support/statistics.hpp"
#include "support/toy_blocks.hpp"

namespace quasar {
namespace {

using test::ToyBlocks;

constexpr Index side = 3, dim = 2 * side;
constexpr int samplers_tested = 3, products = dim * (dim + 1) / 2;
constexpr std::int64_t warmup = 300, draws = 100'000, batches = 100;

double coupling(Index i, Index j) { return 0.12 * static_cast<double>((2 * i + 3 * j) % 5 - 2); }

ToyBlocks quadratic() {
  BlockedFactorizationSettings settings;
  settings.rank = 1;
  settings.blocks = 3;
  settings.noise_sd = 1e4;
  settings.user_sd = 1;
  settings.item_sd = 0.8;
  std::vector<ToyBlocks::Rating> ratings;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      if (i == 2 && j == 1) continue;  // parts of different size
      ratings.push_back({i, j, coupling(i, j) * settings.noise_sd * settings.noise_sd});
    }
  }
  return {side, side, settings, std::move(ratings)};
}

struct Part {
  double probability;
  Mat hessian;  // of the estimate of U
};

// In the order of labels, which is that of places but for a rotation: place b of users meets place b + p of items.
std::vector<Part> parts_of(const ToyBlocks& target) {
  std::vector<Part> parts(side, {0, Mat::Identity(dim, dim)});
  const auto count = static_cast<double>(target.ratings().size());
  const auto part_of = [](const ToyBlocks::Rating& one) {
    return static_cast<std::size_t>((one.item - one.user + side) % side);
  };
  for (const auto& one : target.ratings()) parts[part_of(one)].probability += 1 / count;
  for (Part& part : parts) part.hessian.diagonal().tail(side).array() = 1 / 0.64;
  for (const auto& one : target.ratings()) {
    Part& part = parts[part_of(one)];
    part.hessian(one.user, side + one.item) = part.hessian(side + one.item, one.user) =
        -coupling(one.user, one.item) / part.probability;
  }
  return parts;
}

template <class Step>
Mat stationary(const std::vector<Part>& parts, const Mat& noise, const Step& step) {
  const Index n = noise.rows();
  Mat system = Mat::Identity(n * n, n * n);
  for (const Part& part : parts) {
    const Mat f = step(part.hessian);
    system -= part.probability * Mat(Eigen::kroneckerProduct(f, f));
  }
  const Vec solved = system.partialPivLu().solve(Vec(noise.reshaped()));
  return solved.reshaped(n, n);
}

struct Moments final : Sink {
  std::vector<Mat> means = std::vector<Mat>(batches, Mat::Zero(dim, dim));
  void on_draw(const Draw& draw) override {
    const Eigen::Map<const Vec> x(draw.values.data(), dim);
    means[static_cast<std::size_t>((draw.iteration - warmup) * batches / draws)] += x * x.transpose();
    ++counted;
  }
  std::int64_t counted = 0;
};

std::unique_ptr<Chain> run(const std::string& name, const Settings& settings, Moments& found) {
  const SamplerEntry& sampler = find_sampler(name);
  ChainSpec spec;
  spec.schedule = {warmup, draws, 1};
  spec.seed = 17;
  auto chain = sampler.make(quadratic().fork(), Config(sampler.name, sampler.params, settings), spec);
  chain->run_to(warmup + draws, found, {});
  return chain;
}

void expect_law(const Moments& found, const Mat& expected) {
  const double each = static_cast<double>(found.counted) / batches;
  const double alpha = test::per_assertion(test::family_alpha, samplers_tested * products);
  const double limit = test::t_threshold(alpha, batches - 1);
  for (Index i = 0; i < dim; ++i) {
    for (Index j = i; j < dim; ++j) {
      Vec means(batches);
      for (Index b = 0; b < batches; ++b) means[b] = found.means[static_cast<std::size_t>(b)](i, j) / each;
      const double mean = means.mean();
      const double error = std::sqrt((means.array() - mean).square().sum() / (batches - 1) / batches);
      EXPECT_LT(std::abs(mean - expected(i, j)), limit * error)
          << i << ", " << j << ": " << mean << " instead of " << expected(i, j) << ", standard error " << error;
    }
  }
}

TEST(BlockedLaw, Dsgld) {
  const double e = 0.3;
  Moments found;
  run("dsgld", {{"step_size", "0.3"}}, found);
  expect_law(found, stationary(parts_of(quadratic()), 2 * e * Mat::Identity(dim, dim),
                               [&](const Mat& a) { return Mat(Mat::Identity(dim, dim) - e * a); }));
}

TEST(BlockedLaw, Dsghmc) {
  const double e = 0.5, friction = 0.9, variance = 0.4;
  Moments found;
  run("dsghmc", {{"step_size", "0.5"}, {"friction", "0.9"}, {"noise_variance", "0.4"}}, found);
  Mat noise = Mat::Zero(2 * dim, 2 * dim);
  noise.bottomRightCorner(dim, dim).diagonal().setConstant(2 * e * (friction - e * variance / 2));
  const Mat one = Mat::Identity(dim, dim);
  const Mat law = stationary(parts_of(quadratic()), noise, [&](const Mat& a) {
    Mat f(2 * dim, 2 * dim);
    f << one, e * one, -e * a, (1 - e * friction) * one - e * e * a;
    return f;
  });
  expect_law(found, law.topLeftCorner(dim, dim));
}

// H is that of the pairs that warm-up has left; all members have the same law.
TEST(BlockedLaw, DhamcmcWithFrozenPairs) {
  const double e = 0.3, gamma = 0.8;
  constexpr Index memory = 3, pairs = memory - 1;
  Moments found;
  const auto chain = run("dhamcmc", {{"step_size", "0.3"}, {"initial_scale", "0.8"}, {"memory", "3"}}, found);
  DhamcmcParams params;
  params.memory = memory;
  Dhamcmc method(params);
  std::int64_t iteration = 0, unreported = 0;
  std::vector<Vec> arrays(static_cast<std::size_t>(method.arrays()), Vec(dim));
  Writer out;
  chain->save(out);
  Reader in(out.bytes());
  in("iteration", iteration);
  in("unreported_evals", unreported);
  in("params", method.params());
  in("method", method);
  for (std::size_t k = 0; k < arrays.size(); ++k) in("array " + std::to_string(k), arrays[k]);
  Lbfgs h(dim, pairs);
  h.set_initial_scale(gamma);
  for (Index k = 0; k < pairs; ++k) {
    const auto slot = static_cast<std::size_t>((warmup * memory + k) % pairs);
    const Vec &s = arrays[memory + slot], &y = arrays[memory + pairs + slot];
    Vec by_label(dim), y_by_label(dim);
    for (Index i = 0; i < side; ++i) {
      const Index place = ToyBlocks::place_of(i, side);
      by_label[i] = s[place];
      by_label[side + i] = s[side + place];
      y_by_label[i] = y[place];
      y_by_label[side + i] = y[side + place];
    }
    h.add_pair(by_label, y_by_label, 1e-3);
  }
  const Mat dense = h.inverse_metric(dim);
  EXPECT_GT((dense - gamma * Mat::Identity(dim, dim)).norm(), 0.1);
  expect_law(found, stationary(parts_of(quadratic()), 2 * e * dense,
                               [&](const Mat& a) { return Mat(Mat::Identity(dim, dim) - e * dense * a); }));
}

}  // namespace
}  // namespace quasar
