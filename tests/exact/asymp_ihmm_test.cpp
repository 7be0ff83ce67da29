// asymp-iHMM: all partitions of a small series, every change of J by its definition, proposed paths by a plain dynamic
// programme and by all paths, what never rises, and data that have little to tell. No statistics.
#include "models/sequences/asymp_ihmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <quasar/errors.hpp>

#include "models/sequences/divided_state.hpp"
#include "models/sequences/local_moves.hpp"
#include "models/sequences/proposed_path.hpp"
#include "support/error_message.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

AsympIhmmOptions options_with(IhmmPenalties penalties, Emission emission = Emission::normal, bool merge = true) {
  AsympIhmmOptions options;
  options.emission = emission;
  options.penalties = penalties;
  options.merge = merge;
  return options;
}

Sequences eight_points() { return {(Mat(1, 8) << 0, 3.1, .2, 2.9, -.1, 3, .1, 3.2).finished()}; }

Path renumbered(const Path& path) {
  std::map<int, int> number;
  Path next;
  for (const int state : path) next.push_back(number.try_emplace(state, static_cast<int>(number.size())).first->second);
  return next;
}

double objective_at(const Sequences& data, const AsympIhmmOptions& options, const Path& path) {
  return objective(options.emission, stats_of(options.emission, data, renumbered(path)), options.penalties);
}

// J word by word.
double by_definition(const Sequences& data, const AsympIhmmOptions& options, const Path& path) {
  const IhmmPenalties& p = options.penalties;
  const std::set<int> states(path.begin(), path.end());
  const Mat centres = centres_of(data, path, Mat::Zero(data.dim(), *states.rbegin() + 1));
  std::map<int, std::map<int, double>> follow;
  double sum = 0;
  for (Index t = 0; t < data.size(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    sum += divergence(options.emission, data.values.col(t), centres.col(path[at]));
    if (!test::is_start(data, t)) follow[path[at - 1]][path[at]] += 1;
  }
  for (const auto& row : follow) {
    double n = 0;
    for (const auto& to : row.second) n += to.second;
    for (const auto& to : row.second) sum -= p.lambda * to.second * std::log(to.second / n);
    sum += p.lambda1 * static_cast<double>(row.second.size() - 1);
  }
  return sum + p.lambda2 * static_cast<double>(states.size() - 1);
}

struct Problem {
  Sequences data;
  AsympIhmmOptions options;
  Path path;
};

Problem problem(std::uint64_t number, Index most_points, Index most_states = 4) {
  const Rng rng = Rng(20130).child("problem", number);
  Stream draws = rng.stream("settings");
  const Emission emission = test::emissions[draws.index(3)];
  const Index points = 2 + draws.index(most_points - 1),
              dim = emission == Emission::categorical ? 3 : 1 + draws.index(2);
  std::vector<Index> starts = {0};
  if (points > 4 && draws.uniform() < 0.5) starts.push_back(points / 2);
  Problem made{
      test::random_sequences(emission, points, dim, starts, rng.stream("values")),
      options_with({2 * draws.uniform(), 2 * draws.uniform(), 5 * draws.uniform()}, emission, draws.uniform() < 0.5),
      {}};
  const Index states = 1 + draws.index(most_states);
  for (Index t = 0; t < points; ++t) made.path.push_back(static_cast<int>(draws.index(states)));
  made.path = renumbered(made.path);
  return made;
}

TEST(AsympIhmm, FindsTheBestOfAllPartitionsOfEightPoints) {
  const Sequences data = eight_points();
  const AsympIhmmOptions options = options_with({1, .5, 2}, Emission::normal, false);
  const IhmmFit fit = fit_asymp_ihmm(data, options);
  const std::vector<double> trace = {18.1, 18.1, 17.354286, 16.275345, 14.879543, 2.1};
  ASSERT_GE(fit.trace.size(), trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) EXPECT_NEAR(fit.trace[i], trace[i], 5e-7);
  EXPECT_EQ(fit.states, (Path{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(fit.converged);

  double least = std::numeric_limits<double>::infinity();
  int partitions = 0;
  Path path(8, 0);
  const auto all = [&](const auto& self, std::size_t t, int states) -> void {
    if (t == path.size()) {
      ++partitions;
      least = std::min(least, objective_at(data, options, path));
      return;
    }
    for (path[t] = 0; path[t] <= states; ++path[t]) self(self, t + 1, std::max(states, path[t] + 1));
  };
  all(all, 0, 0);
  EXPECT_EQ(partitions, 4140);
  EXPECT_NEAR(least, 2.1, 1e-12);
  EXPECT_NEAR(fit.objective, least, 1e-12);
}

TEST(PathObjective, IsItsDefinition) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Problem p = problem(i, 20);
    const double expected = by_definition(p.data, p.options, p.path);
    EXPECT_NEAR(objective_at(p.data, p.options, p.path), expected, 1e-11 * (1 + expected)) << i;
  }
}

TEST(PathObjective, AnOffsetCostsNoDigits) {
  Sequences data = eight_points();
  const AsympIhmmOptions options = options_with({1, .5, 2});
  data.values.array() += 1e8;
  EXPECT_NEAR(objective_at(data, options, {0, 1, 0, 1, 0, 1, 0, 1}), 2.1, 1e-6);
}

TEST(LocalMoves, TheBestSplitIsThatOfLeastJAndTheBestUnionAtLeastThatOfTwo) {
  int unions_of_more = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Problem p = problem(i, 20);
    const PathStats stats = stats_of(p.options.emission, p.data, p.path);
    const LocalMoves moves(p.data, p.options, p.path, stats);
    const double now = objective_at(p.data, p.options, p.path);
    double split = std::numeric_limits<double>::infinity(), merge = split;
    for (int a = 0; a < stats.size(); ++a) {
      for (int b = 0; b < stats.size(); ++b) {
        const Path changed = moves.with(Split{a, b, 0});
        const bool any = changed != p.path;
        const bool all = std::count(changed.begin(), changed.end(), b) == 0;
        if (any && !all) split = std::min(split, objective_at(p.data, p.options, changed));
        if (a < b) merge = std::min(merge, objective_at(p.data, p.options, moves.with(Union{{a, b}, 0})));
      }
    }
    const auto best_split = moves.best_split();
    const auto best_union = moves.best_union();
    ASSERT_EQ(best_split.has_value(), std::isfinite(split)) << i;
    ASSERT_EQ(best_union.has_value(), std::isfinite(merge)) << i;
    if (best_split) {
      EXPECT_NEAR(now + best_split->change, split, 1e-10) << i;
      EXPECT_NEAR(objective_at(p.data, p.options, moves.with(*best_split)), split, 1e-10) << i;
    }
    if (best_union) {
      const double after = objective_at(p.data, p.options, moves.with(*best_union));
      EXPECT_NEAR(now + best_union->change, after, 1e-10) << i;
      EXPECT_LE(after, merge + 1e-10) << i;
      unions_of_more += best_union->states.size() > 2;
    }
  }
  EXPECT_GT(unions_of_more, 10);
}

// Noise of one level, cut into three states that take turns. Any two of them had better stay apart.
TEST(AsympIhmm, ThreeStatesOfTheSameMeanThatTakeTurnsBecomeOne) {
  Sequences data{Mat(1, 300)};
  Stream draws = Rng(9).stream("noise");
  Path turns;
  for (Index t = 0; t < data.size(); ++t) {
    data.values(0, t) = draws.normal();
    turns.push_back(static_cast<int>(t % 3));
  }
  const AsympIhmmOptions options = options_with({2, 6, 18});
  const PathStats stats = stats_of(Emission::normal, data, turns);
  const LocalMoves moves(data, options, turns, stats);
  const double now = objective_at(data, options, turns);
  EXPECT_GT(objective_at(data, options, moves.with(Union{{0, 1}, 0})), now + 50);
  EXPECT_EQ(moves.best_union()->states.size(), 3);
  EXPECT_EQ(fit_asymp_ihmm(data, options, turns).stats.size(), 1);
}

// Levels 4 standard deviations apart, each for 40 points: by where its points come from, no state can be divided.
TEST(AsympIhmm, LastingLevelsThatWereTakenForOneAreDivided) {
  Sequences data{Mat(1, 640)};
  Stream draws = Rng(10).stream("levels");
  Path levels, pairs;
  for (Index t = 0; t < data.size(); ++t) {
    const auto level = static_cast<int>(t / 40 * 3 % 8);
    levels.push_back(level);
    pairs.push_back(level / 2);
    data.values(0, t) = 4.0 * level + draws.normal();
  }
  AsympIhmmOptions options = options_with({2, 6, 18});
  EXPECT_LE(fit_asymp_ihmm(data, options, renumbered(pairs)).objective, objective_at(data, options, levels) + 1e-9);
  EXPECT_EQ(fit_asymp_ihmm(data, options, renumbered(pairs)).stats.size(), 8);
  options.divide = false;
  EXPECT_EQ(fit_asymp_ihmm(data, options, renumbered(pairs)).stats.size(), 4);
}

TEST(DividedState, IsAPartOfTheStateAndLeavesTheOthersAlone) {
  int divided = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Problem p = problem(i, 20);
    const int states = *std::max_element(p.path.begin(), p.path.end()) + 1;
    for (int k = 0; k < states; ++k) {
      for (const Path& path : with_state_divided(p.data, p.options, p.path, k)) {
        for (std::size_t t = 0; t < path.size(); ++t) {
          EXPECT_TRUE(path[t] == p.path[t] || (p.path[t] == k && path[t] == states)) << i;
        }
        divided += path != p.path;
      }
    }
  }
  EXPECT_GT(divided, 100);
}

// Costs of transitions, word by word; `old`: the states of the present path.
double transition_cost(const Problem& p, const PathStats& present, PathBound bound, Index from, Index to) {
  const IhmmPenalties& q = p.options.penalties;
  const Index old = present.size();
  const double n = from < old ? present.counts.row(from).sum() : 0;
  if (from < old && to < old && present.counts(from, to) > 0) {
    return -q.lambda * std::log(present.counts(from, to) / n);
  }
  const double log_all = std::log(static_cast<double>(p.data.size() - 1));
  if (bound == PathBound::safe) {
    if (from < old) return q.lambda * (1 + log_all) + q.lambda1 + (to < old ? 0 : q.lambda2);
    return q.lambda * log_all + q.lambda1 + (to >= old && to != from ? q.lambda2 : 0);
  }
  if (from >= old) return q.lambda1;
  const double m = present.counts.row(from).maxCoeff();
  return q.lambda * (std::log(std::max(n, 1.0)) + (m > 1 ? (m - 1) * std::log(m / (m - 1)) : 0)) + q.lambda1;
}

// One point after the other; for a single sequence of normal values.
Path plain_dynamic_programme(const Problem& p, const PathStats& present, PathBound bound) {
  const IhmmPenalties& q = p.options.penalties;
  std::vector<double> centres, cost;
  const Mat old_centres = centres_of(Emission::normal, present);
  for (Index k = 0; k < present.size(); ++k) centres.push_back(old_centres(0, k));
  const auto far = [&](Index t, std::size_t k) { return std::pow(p.data.values(0, t) - centres[k], 2); };
  std::vector<std::vector<std::size_t>> from(1);
  for (std::size_t k = 0; k < centres.size(); ++k) cost.push_back(far(0, k));
  for (Index t = 1; t < p.data.size(); ++t) {
    const std::size_t states = cost.size();
    std::vector<double> next;
    std::vector<std::size_t> who;
    double least = std::numeric_limits<double>::infinity();
    const auto enter = [&](auto cost_from, double entry) {
      std::size_t best = 0;
      for (std::size_t j = 1; j < states; ++j) {
        if (cost[j] + cost_from(j) < cost[best] + cost_from(best)) best = j;
      }
      next.push_back(cost[best] + cost_from(best) + entry);
      who.push_back(best);
    };
    for (std::size_t k = 0; k < states; ++k) {
      const auto from_old = [&](std::size_t j) {
        return transition_cost(p, present, bound, static_cast<Index>(j), static_cast<Index>(k));
      };
      for (std::size_t j = 0; j < states; ++j) least = std::min(least, from_old(j) + far(t, k));
      enter(from_old, far(t, k));
    }
    if (least > q.lambda1 + q.lambda2 && static_cast<int>(states) < p.options.most_states) {
      enter(
          [&](std::size_t j) {
            return bound == PathBound::published
                       ? q.lambda1 + q.lambda2
                       : transition_cost(p, present, bound, static_cast<Index>(j), static_cast<Index>(states));
          },
          0);
      centres.push_back(p.data.values(0, t));
    }
    cost = next;
    from.push_back(who);
  }
  Path path(static_cast<std::size_t>(p.data.size()));
  auto state = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  for (std::size_t t = path.size(); t-- > 0;) {
    path[t] = static_cast<int>(state);
    if (t > 0) state = from[t][state];
  }
  return path;
}

TEST(ProposedPath, IsThatOfAPlainDynamicProgramme) {
  std::size_t opened = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    Problem p = problem(i, 3);
    Stream draws = Rng(5).child("long", i).stream("values");
    const Index points = 600 + draws.index(900);  // longer than what is run through at once
    p.data = {Mat(1, points)};
    for (double& x : p.data.values.reshaped()) x = 5 * static_cast<double>(draws.index(4)) + draws.normal();
    p.options = options_with({draws.uniform(), draws.uniform(), 30 * draws.uniform()});
    p.options.most_states = 12;
    p.path.assign(static_cast<std::size_t>(points), 0);
    for (std::size_t t = 0; t < p.path.size(); ++t) p.path[t] = static_cast<int>(t % (1 + i % 3));
    const PathStats present = stats_of(Emission::normal, p.data, p.path);
    for (const PathBound bound : {PathBound::published, PathBound::safe}) {
      const Path path = proposed_path(p.data, p.options, present, bound);
      EXPECT_EQ(path, plain_dynamic_programme(p, present, bound)) << i;
      opened += *std::max_element(path.begin(), path.end()) >= present.size();
    }
  }
  EXPECT_GE(opened, 30);
}

double safe_cost(const Problem& p, const PathStats& present, const Path& path) {
  const Mat centres = centres_of(p.options.emission, present);
  double sum = 0;
  for (Index k = 0; k < present.size(); ++k) {
    const auto kinds = static_cast<double>((present.counts.row(k).array() > 0).count());
    sum += p.options.penalties.lambda1 * std::max(kinds - 1, 0.0);  // new kinds are part of what a transition costs
  }
  for (Index t = 0; t < p.data.size(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    sum += divergence(p.options.emission, p.data.values.col(t), centres.col(path[at]));
    if (!test::is_start(p.data, t)) sum += transition_cost(p, present, PathBound::safe, path[at - 1], path[at]);
  }
  return sum + p.options.penalties.lambda2 * static_cast<double>(present.size() - 1);
}

TEST(SafeCosts, BoundEveryPathAreTightAtThePresentOneAndLeadToTheCheapest) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Problem p = problem(1000 + i, 7, 3);
    const PathStats present = stats_of(p.options.emission, p.data, p.path);
    p.options.most_states = static_cast<int>(present.size());  // opens none
    EXPECT_NEAR(safe_cost(p, present, p.path), objective_at(p.data, p.options, p.path), 1e-10) << i;
    const double proposed = safe_cost(p, present, proposed_path(p.data, p.options, present, PathBound::safe));
    test::for_each_path(p.data.size(), present.size(), [&](const Path& path) {
      const double cost = safe_cost(p, present, path);
      EXPECT_LE(objective_at(p.data, p.options, path), cost + 1e-10) << i;
      EXPECT_LE(proposed, cost + 1e-10) << i;
    });
  }
}

TEST(AsympIhmm, JNeverRisesAndThePublishedCostsAloneWouldLetIt) {
  int published_rises = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const Problem p = problem(i, 16);
    const IhmmFit fit = fit_asymp_ihmm(p.data, p.options);
    for (std::size_t k = 1; k < fit.trace.size(); ++k) ASSERT_LE(fit.trace[k], fit.trace[k - 1] + 1e-9) << i;
    EXPECT_NEAR(fit.objective, objective_at(p.data, p.options, fit.states), 1e-12) << i;
    const PathStats present = stats_of(p.options.emission, p.data, p.path);
    const double now = objective_at(p.data, p.options, p.path);
    const auto after = [&](PathBound bound) {
      return objective_at(p.data, p.options, proposed_path(p.data, p.options, present, bound));
    };
    ASSERT_LE(after(PathBound::safe), now + 1e-9) << i;
    published_rises += after(PathBound::published) > now + 1e-9;
  }
  EXPECT_GT(published_rises, 100);
}

TEST(AsympIhmm, AStateOpenedInOneSequenceIsPaidWhereAnotherBeginsInIt) {
  // Three sequences of one point each behind one that opens a state and does not take it: free there, it would be used.
  int later = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Stream draws = Rng(6).child("sequences", i).stream("values");
    Problem p{{Mat(1, 9), {0, 5, 6, 7, 8}},
              options_with({draws.uniform(), draws.uniform(), 6 * draws.uniform()}),
              Path(9, 0)};
    for (double& x : p.data.values.reshaped()) x = 3 * static_cast<double>(draws.index(2)) + 0.3 * draws.normal();
    const PathStats present = stats_of(Emission::normal, p.data, p.path);
    const Path path = proposed_path(p.data, p.options, present, PathBound::safe);
    EXPECT_LE(objective_at(p.data, p.options, path), objective_at(p.data, p.options, p.path) + 1e-9) << i;
    later += std::count(path.begin(), path.begin() + 5, 0) == 5 && std::count(path.begin(), path.end(), 0) < 9;
  }
  EXPECT_GT(later, 0);
}

TEST(AsympIhmm, DataThatTellLittleHaveAnAnswer) {
  const AsympIhmmOptions options = options_with({1, 1, 10});
  const auto states_of = [&](const Sequences& data) { return fit_asymp_ihmm(data, options).stats.size(); };
  EXPECT_EQ(states_of({Mat::Constant(1, 50, 7)}), 1);
  EXPECT_EQ(states_of({Mat::Constant(1, 1, 7)}), 1);
  EXPECT_EQ(states_of({Mat::Constant(2, 20, test::missing)}), 1);
  EXPECT_EQ(states_of({Mat(1, 0)}), 0);
  EXPECT_EQ(fit_asymp_ihmm({Mat(1, 0)}, options).objective, 0);
  Sequences outlier{Mat::Zero(1, 50)};
  outlier.values(0, 20) = 1e12;
  const IhmmFit alone = fit_asymp_ihmm(outlier, options);
  EXPECT_EQ(alone.stats.size(), 2);
  EXPECT_EQ(std::count(alone.states.begin(), alone.states.end(), alone.states[20]), 1);
}

TEST(AsympIhmm, WhatCannotBeIsNamed) {
  const auto message = [](const AsympIhmmOptions& options) {
    return test::error_message<UsageError>([&] { fit_asymp_ihmm(eight_points(), options); });
  };
  EXPECT_EQ(message(options_with({-1, 0, 0})), "penalties must not be negative");
  EXPECT_EQ(message(options_with({1, test::missing, 0})), "penalties must not be negative");
  AsympIhmmOptions many;
  many.most_states = 300;
  EXPECT_EQ(message(many), "asymp-ihmm has at most 256 states");
  const Sequences endless{Mat::Constant(1, 5, std::numeric_limits<double>::infinity())};
  EXPECT_THROW(fit_asymp_ihmm(endless, {}), DataError);
}

}  // namespace
}  // namespace quasar
