// The beam sampler of the infinite hidden Markov model, by exact starts (Geweke 2004, with independent restarts):
// concentrations, a path, shares, variance and centres from the prior without any truncation, points from them, then a
// few sweeps given these points, some of which are missing. All must still have the law of the prior; another sample of
// it is what they are compared with. False-positive rate: family_alpha over all assertions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/sequences/beam_emissions.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr Index points = 12;
constexpr int replicates = 6000, sweeps = 2;
constexpr int assertions = 3 * 9;
const double level_of_each = test::per_assertion(test::family_alpha, assertions);

// A draw of a path by its predictive law: rows of transitions are integrated out as they are needed, and states are
// broken off the rest of beta when they are first visited.
class Prior {
 public:
  Prior(const BeamOptions& options, Stream draws) : options_(options), draws_(draws) {}

  BeamState draw(const Sequences& shape) {
    BeamState state;
    state.alpha = draws_.gamma(options_.alpha_prior.shape) / options_.alpha_prior.rate;
    state.gamma = draws_.gamma(options_.gamma_prior.shape) / options_.gamma_prior.rate;
    state.variance = options_.precision_prior.rate / draws_.gamma(options_.precision_prior.shape);
    state.shares = Vec::Ones(1);
    state.centres.resize(shape.dim(), 0);
    Mat counts = Mat::Zero(1, 0);
    for (Index s = 0; s < shape.count(); ++s) {
      Index from = 0;
      for (Index t = shape.starts[static_cast<std::size_t>(s)]; t < shape.end(s); ++t) {
        const Index z = next(from, counts, state);
        counts(from, z) += 1;
        state.states.push_back(static_cast<int>(z));
        from = z + 1;
      }
    }
    return state;
  }

  // p(z_t = k) is (n_ik + alpha beta_k) / (n_i + alpha); the rest of beta breaks until its part is known.
  Index next(Index from, Mat& counts, BeamState& state) {
    double left = draws_.uniform() * (counts.row(from).sum() + state.alpha);
    for (Index k = 0;; ++k) {
      if (k == state.count()) add_state(counts, state);
      left -= counts(from, k) + state.alpha * state.shares[k];
      if (left < 0) return k;
    }
  }

  Mat points_of(const BeamState& state, const Sequences& shape) {
    Mat values = shape.values;
    for (Index t = 0; t < values.cols(); ++t) {
      const Vec centre = state.centres.col(state.states[static_cast<std::size_t>(t)]);
      Vec point(centre.size());
      switch (options_.emission) {
        case Emission::normal:
          for (Index i = 0; i < point.size(); ++i) point[i] = centre[i] + std::sqrt(state.variance) * draws_.normal();
          break;
        case Emission::poisson:
          for (Index i = 0; i < point.size(); ++i) point[i] = static_cast<double>(draws_.poisson(centre[i]));
          break;
        case Emission::categorical:
          point.setZero();
          point[draws_.categorical(centre)] = 1;
      }
      for (Index i = 0; i < point.size(); ++i) {
        if (!std::isnan(values(i, t))) values(i, t) = point[i];
      }
    }
    return values;
  }

 private:
  void add_state(Mat& counts, BeamState& state) {
    const Index k = state.count();
    const double part = draws_.beta(1, state.gamma);
    state.shares.conservativeResize(k + 2);
    state.shares[k + 1] = state.shares[k] * (1 - part);
    state.shares[k] *= part;
    counts.conservativeResizeLike(Mat::Zero(k + 2, k + 1));
    state.centres.conservativeResize(Eigen::NoChange, k + 1);
    for (Index i = 0; i < state.centres.rows(); ++i) state.centres(i, k) = centre();
    if (options_.emission == Emission::categorical) state.centres.col(k) /= state.centres.col(k).sum();
  }

  double centre() {
    if (options_.emission == Emission::normal) {
      return options_.mean + std::sqrt(options_.centre_variance) * draws_.normal();
    }
    if (options_.emission == Emission::poisson)
      return draws_.gamma(options_.rate_prior.shape) / options_.rate_prior.rate;
    return draws_.gamma(options_.category_prior);  // over their sum
  }

  const BeamOptions& options_;
  Stream draws_;
};

// Free of the names of states, all of them: some are whole numbers, for which the test is conservative.
std::vector<double> statistics(BeamState state, const Sequences& data) {
  drop_unused(state);
  const auto z = [&](Index t) { return state.states[static_cast<std::size_t>(t)]; };
  double stays = 0;
  for (Index t = 1; t < points; ++t) stays += z(t) == z(t - 1);
  const auto level = [&](Index t) { return state.centres(0, z(t)); };
  return {state.alpha,
          state.gamma,
          state.variance,
          static_cast<double>(state.count()),
          stays,
          state.shares[0],
          state.shares[state.count()],
          level(0),
          level(points - 1) * level(0) + (z(0) == z(data.starts.back()))};
}

void expect_unchanged(const BeamOptions& options, const Sequences& shape) {
  std::vector<std::vector<double>> after(9), prior(9);
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(31).child("replicate", static_cast<std::uint64_t>(r));
    Prior draws(options, rng.stream("prior"));
    BeamState state = draws.draw(shape);
    const Sequences data{draws.points_of(state, shape), shape.starts};
    for (std::uint64_t i = 0; i < sweeps; ++i) beam_sweep(data, options, rng.child("sweep").at(i), state);
    const std::vector<double> here = statistics(state, data),
                              there = statistics(Prior(options, rng.stream("another")).draw(shape), data);
    for (std::size_t i = 0; i < here.size(); ++i) after[i].push_back(here[i]), prior[i].push_back(there[i]);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    std::ranges::sort(after[i]), std::ranges::sort(prior[i]);
    EXPECT_GT(test::ks_two_sample_p_value(after[i], prior[i]), level_of_each) << "statistic " << i;
  }
}

// Two sequences, and gaps.
Sequences shape_of(Index dim) {
  Sequences shape{Mat::Zero(dim, points), {0, 7}};
  shape.values.col(2).setConstant(std::numeric_limits<double>::quiet_NaN());
  return shape;
}

TEST(BeamSampler, LeavesTheJointLawOfNormalPointsUnchanged) {
  Sequences shape = shape_of(2);
  shape.values(0, 5) = std::numeric_limits<double>::quiet_NaN();
  expect_unchanged(
      {.mean = 0.5, .centre_variance = 4, .gamma_prior = {3, 2}, .learn_variance = true, .precision_prior = {3, 1}},
      shape);
}

TEST(BeamSampler, LeavesTheJointLawOfCountsUnchanged) {
  expect_unchanged({.emission = Emission::poisson, .rate_prior = {1.5, 0.4}, .gamma_prior = {3, 2}}, shape_of(1));
}

TEST(BeamSampler, LeavesTheJointLawOfCategoriesUnchanged) {
  expect_unchanged({.emission = Emission::categorical, .category_prior = 0.7, .gamma_prior = {3, 2}}, shape_of(3));
}

}  // namespace
}  // namespace quasar
