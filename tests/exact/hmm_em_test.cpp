// Expectation maximisation of hidden Markov models against sums over all paths. No statistics.
#include "models/sequences/hmm_em.hpp"

#include <Eigen/LU>
#include <boost/math/distributions/poisson.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <quasar/errors.hpp>

#include "experiments/known_states.hpp"
#include "models/sequences/agreement.hpp"
#include "models/sequences/forward_backward.hpp"
#include "models/sequences/state_laws.hpp"
#include "support/error_message.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

using test::missing;

struct Kind {
  Emission emission;
  StateCovariance covariance;
};

constexpr Kind kinds[] = {{Emission::normal, StateCovariance::shared},
                          {Emission::normal, StateCovariance::state},
                          {Emission::normal, StateCovariance::full},
                          {Emission::poisson, StateCovariance::shared},
                          {Emission::categorical, StateCovariance::shared}};

HmmEmOptions options_of(const Kind& kind, int states) {
  HmmEmOptions options;
  options.emission = kind.emission;
  options.covariance = kind.covariance;
  options.states = states;
  return options;
}

Mat random_rows(Index rows, Index columns, Stream& draws) {
  Mat all(rows, columns);
  for (double& x : all.reshaped()) x = 0.1 + draws.exponential();
  return all.rowwise().sum().cwiseInverse().asDiagonal() * all;
}

HmmModel random_model(const Kind& kind, Index states, Index dim, Stream draws) {
  HmmModel model{random_rows(1, states, draws).transpose(),
                 random_rows(states, states, draws),
                 random_rows(states, dim, draws).transpose(),
                 {}};
  if (kind.emission != Emission::categorical) model.centres *= 6;
  model.variances = Vec::Constant(kind.covariance == StateCovariance::shared ? 1 : states, 1);
  for (double& v : model.variances) v = 0.5 + draws.uniform();
  for (Index k = 0; kind.covariance == StateCovariance::full && k < states; ++k) {
    const Mat root = random_rows(dim, dim, draws);
    model.covariances.push_back(root * root.transpose() + 0.3 * Mat::Identity(dim, dim));
  }
  return model;
}

// The density of what is seen of a point, by its definition.
double density(const Kind& kind, const HmmModel& model, In point, Index k) {
  std::vector<Index> seen;
  for (Index i = 0; i < point.size(); ++i) {
    if (!std::isnan(point[i])) seen.push_back(i);
  }
  if (seen.empty()) return 1;
  const Vec x = point(seen), centre = model.centres.col(k)(seen);
  double product = 1;
  if (kind.emission == Emission::poisson) {
    for (Index i = 0; i < x.size(); ++i) product *= boost::math::pdf(boost::math::poisson(centre[i]), x[i]);
    return product;
  }
  if (kind.emission == Emission::categorical) return x.dot(centre);
  const Mat covariance = kind.covariance == StateCovariance::full
                             ? Mat(model.covariances[static_cast<std::size_t>(k)](seen, seen))
                             : Mat(model.variances[kind.covariance == StateCovariance::shared ? 0 : k] *
                                   Mat::Identity(x.size(), x.size()));
  return std::exp(-0.5 * (x - centre).dot(covariance.inverse() * (x - centre))) /
         std::sqrt((2 * std::numbers::pi * covariance).determinant());
}

// p(x, z) summed over all paths, with what the E step wants to know of them.
struct SumOverPaths {
  double likelihood = 0;
  Expected expected;
};

SumOverPaths sum_over_paths(const Sequences& data, const Kind& kind, const HmmModel& model) {
  const Index states = model.initial.size();
  SumOverPaths all{0, {Vec::Zero(states), Mat::Zero(states, states), Mat::Zero(states, data.size())}};
  test::for_each_path(data.size(), states, [&](const Path& path) {
    double p = 1;
    for (Index t = 0; t < data.size(); ++t) {
      const auto at = static_cast<std::size_t>(t);
      p *= density(kind, model, data.values.col(t), path[at]);
      p *= test::is_start(data, t) ? model.initial[path[at]] : model.transition(path[at - 1], path[at]);
    }
    all.likelihood += p;
    for (Index t = 0; t < data.size(); ++t) {
      const auto at = static_cast<std::size_t>(t);
      all.expected.states(path[at], t) += p;
      if (test::is_start(data, t)) {
        all.expected.initial[path[at]] += p;
      } else {
        all.expected.transition(path[at - 1], path[at]) += p;
      }
    }
  });
  all.expected.states /= all.likelihood;
  all.expected.initial /= all.likelihood;
  all.expected.transition /= all.likelihood;
  return all;
}

TEST(HmmEm, SumsOverAllPaths) {
  for (const Kind& kind : kinds) {
    for (std::uint64_t number = 0; number < 10; ++number) {
      const Rng rng = Rng(1).child("problem", number);
      const Sequences data = test::random_sequences(kind.emission, 6, 3, {0, 1, 4}, rng.stream("data"));
      const HmmModel model = random_model(kind, 3, 3, rng.stream("model"));
      const HmmEmOptions options = options_of(kind, 3);
      const SumOverPaths all = sum_over_paths(data, kind, model);
      EXPECT_NEAR(log_likelihood(data, options, model), std::log(all.likelihood), 1e-11);
      const StateLaws laws(data, kind.emission, kind.covariance);
      const Expected expected = backward(data, model, forward(data, model, laws.log_densities(model)));
      EXPECT_TRUE(expected.states.isApprox(all.expected.states, 1e-11));
      EXPECT_TRUE(expected.initial.isApprox(all.expected.initial, 1e-11));
      EXPECT_TRUE(expected.transition.isApprox(all.expected.transition, 1e-11));
    }
  }
}

TEST(HmmEm, GoesTheWayOfTheSixPoints) {
  const HmmEmFit fit = fit_hmm_em(test::six_points(), options_of(kinds[0], 3),
                                  {Vec::Constant(3, 1.0 / 3), test::three_rows(), test::three_centres(), Vec::Ones(1)});
  ASSERT_GT(fit.trace.size(), 3);
  EXPECT_NEAR(fit.trace[0], -12.755601247424872, 1e-13);
  EXPECT_NEAR(fit.trace[1], -7.476457332940621, 1e-13);
  EXPECT_NEAR(fit.trace[2], -2.5339346622982095, 1e-13);
  EXPECT_EQ(fit.states, (Path{0, 0, 1, 1, 0, 2}));
}

TEST(HmmEm, NeverFalls) {
  for (const Kind& kind : kinds) {
    for (std::uint64_t number = 0; number < 60; ++number) {
      const Rng rng = Rng(2).child("problem", number);
      const Index dim = 1 + static_cast<Index>(number % 3), points = 5 + static_cast<Index>(number % 40);
      const Sequences data = test::random_sequences(kind.emission, points, dim, {0, 2}, rng.stream("data"));
      HmmEmOptions options = options_of(kind, 1 + static_cast<int>(number % 4));
      options.restarts = 1;
      const HmmEmFit fit = fit_hmm_em(data, options, rng);
      for (std::size_t i = 1; i < fit.trace.size(); ++i) {
        ASSERT_GE(fit.trace[i], fit.trace[i - 1] - 1e-10 * (1 + std::abs(fit.trace[i]))) << number;
      }
      ASSERT_NEAR(fit.log_likelihood, log_likelihood(data, options, fit.model),
                  1e-10 * (1 + std::abs(fit.log_likelihood)));
      ASSERT_TRUE(fit.filtered.colwise().sum().isOnes(1e-12));
    }
  }
}

// After many turns nothing near it is more likely: means, and variances in every direction.
TEST(HmmEm, EndsWhereItIsMostLikely) {
  for (const Kind& kind : kinds) {
    if (kind.emission == Emission::categorical) continue;  // centres cannot be moved one value at a time
    const Sequences data = test::random_sequences(kind.emission, 80, 2, {0, 30}, Rng(4).stream("data"));
    const HmmEmOptions options = options_of(kind, 2);
    HmmModel model = fit_hmm_em(data, options, Rng(4)).model;
    for (int more = 0; more < 400; ++more) model = fit_hmm_em(data, options, model).model;
    const double most = log_likelihood(data, options, model);
    const auto less_likely = [&](double& value) {
      const double at = value;
      for (const double step : {-1e-3, 1e-3}) {
        value = at * (1 + step);
        EXPECT_LT(log_likelihood(data, options, model), most);
      }
      value = at;
    };
    for (double& centre : model.centres.reshaped()) less_likely(centre);
    if (kind.emission != Emission::normal) continue;
    if (kind.covariance != StateCovariance::full) {
      for (double& variance : model.variances) less_likely(variance);
    }
    for (Mat& covariance : model.covariances) {
      for (Index i = 0; i < 2; ++i) less_likely(covariance(i, i));
      const double across = covariance(0, 1);
      for (const double step : {-1e-3, 1e-3}) {
        covariance(0, 1) = covariance(1, 0) = across + step * covariance(0, 0);
        EXPECT_LT(log_likelihood(data, options, model), most);
      }
      covariance(0, 1) = covariance(1, 0) = across;
    }
  }
}

// The same centre and two shapes: only matrices tell the states apart.
TEST(HmmEm, TellsStatesApartByTheirCovariances) {
  Sequences data{Mat(2, 1000)};
  Path truth(1000);
  Stream draws = Rng(5).stream("data");
  draws.normals(data.values.reshaped());
  for (Index t = 0; t < 1000; ++t) {
    const int z = static_cast<int>(t / 100 % 2);
    truth[static_cast<std::size_t>(t)] = z;
    data.values(1, t) = 0.3 * data.values(1, t) + (z == 0 ? 1 : -1) * data.values(0, t);
  }
  const auto agreement = [&](StateCovariance covariance) {
    return normalized_mutual_information(fit_hmm_em(data, options_of({Emission::normal, covariance}, 2), Rng(1)).states,
                                         truth);
  };
  EXPECT_GT(agreement(StateCovariance::full), 0.9);
  EXPECT_LT(agreement(StateCovariance::state), 0.5);
}

// The maximum is above the parameters that made the data, whether states stay for long or never.
TEST(HmmEm, FindsLevelsThatStayAndLevelsThatTakeTurns) {
  constexpr Index states = 8;
  for (const bool stay : {true, false}) {
    Mat rows = Mat::Constant(states, states, 0.01 / (states - 1));
    rows.diagonal().setConstant(0.99);
    for (Index k = 0; !stay && k < states; ++k) {
      rows.row(k).setZero();
      rows(k, (k + 1) % states) = 0.8;
      rows(k, (k + 2) % states) = 0.2;
    }
    HmmModel truth{Vec::Constant(states, 1.0 / states), rows, Mat(1, states), Vec::Ones(1)};
    for (Index k = 0; k < states; ++k) truth.centres(0, k) = 4 * static_cast<double>(k);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Sequences data = drawn_from(truth, 2000, Rng(seed)).data;
      HmmEmOptions options = options_of(kinds[0], states);
      options.restarts = 1;
      EXPECT_GT(fit_hmm_em(data, options, Rng(1)).log_likelihood, log_likelihood(data, options, truth)) << seed;
    }
  }
}

// A path has every label in one state only where labels take turns quickly; both states of the truth have all three.
TEST(HmmEm, StartsFromAPathWithDoubt) {
  const HmmModel truth{Vec::Constant(2, 0.5), (Mat(2, 2) << 0.3, 0.7, 0.7, 0.3).finished(),
                       (Mat(3, 2) << 0.8, 0.1, 0.15, 0.2, 0.05, 0.7).finished(), Vec::Ones(1)};
  Sequences data{Mat::Zero(3, 2000)};
  Stream draws = Rng(6).stream("labels");
  Index state = 0;
  for (Index t = 0; t < data.size(); ++t) {
    state = draws.categorical(Vec(truth.transition.row(state)));
    data.values(draws.categorical(Vec(truth.centres.col(state))), t) = 1;
  }
  HmmEmOptions options = options_of(kinds[4], 2);
  options.restarts = 1;
  EXPECT_GT(fit_hmm_em(data, options, Rng(1)).log_likelihood, log_likelihood(data, options, truth));
}

TEST(HmmEm, IsDefinedForDataThatSayLittle) {
  for (const StateCovariance covariance : {StateCovariance::shared, StateCovariance::state, StateCovariance::full}) {
    Mat outlier = Mat::Zero(1, 50), jumps = Mat::Zero(1, 40);
    outlier(0, 20) = 1e100;
    jumps.rightCols(20).setConstant(1e6);
    for (const Mat& values : {Mat(Mat::Constant(2, 20, 5)), Mat(Mat::Ones(2, 1)), Mat(Mat::Constant(1, 3, missing)),
                              Mat((Mat(1, 4) << 1, 1, 2, 2).finished()), outlier, jumps}) {
      const HmmEmFit fit = fit_hmm_em({values}, options_of({Emission::normal, covariance}, 5), Rng(1));
      EXPECT_TRUE(std::isfinite(fit.log_likelihood));
      EXPECT_TRUE(fit.model.centres.allFinite() && fit.model.transition.allFinite() && fit.filtered.allFinite());
      for (std::size_t i = 1; i < fit.trace.size(); ++i) {
        EXPECT_GE(fit.trace[i], fit.trace[i - 1] - 1e-9 * (1 + std::abs(fit.trace[i])));
      }
    }
  }
}

// Densities that differ by more than a double can hold, and states that cannot be left.
TEST(HmmEm, SurvivesPointsThatOnlyOneStateExplains) {
  Sequences data{(Mat(1, 4) << 0, 0, 1e5, 1e5).finished()};
  const HmmModel model{Vec::Unit(2, 0), (Mat(2, 2) << 1, 0, 0, 1).finished(), (Mat(1, 2) << 0, 1e5).finished(),
                       Vec::Ones(1)};
  const double known = -2 * std::log(2 * std::numbers::pi) - 1e10;
  EXPECT_NEAR(log_likelihood(data, options_of(kinds[0], 2), model), known, 1e-15 * 1e10);
}

TEST(HmmEm, RefusesAStartThatCannotBe) {
  const Sequences data{(Mat(2, 2) << 1, 0, 0, 1).finished()};
  const HmmModel model{Vec::Ones(1), Mat::Ones(1, 1), (Mat(2, 1) << 1, 0).finished(), {}};
  EXPECT_EQ(test::error_message<RunError>([&] { fit_hmm_em(data, options_of(kinds[4], 1), model); }),
            "hmm-em: the data have probability 0 in the model that the fit starts from; start from another");
}

}  // namespace
}  // namespace quasar
