#include "models/sequences/asymp_hmm.hpp"

#include <cmath>
#include <limits>

#include "models/sequences/starts.hpp"
#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

// Relative gains of a turn at which a fit has converged, and at which it is clear which of several starts is best.
constexpr double least_cost_gain = 1e-9, gain_to_compare = 1e-3;

// sum_jk n_jk c_jk, where what is never used costs nothing even if c is infinite.
double sum_of(const Mat& counts, const Mat& costs) {
  return (counts.array() > 0).select(counts.array() * costs.array(), 0).sum();
}

// Viterbi, means and frequencies by turns, from where the fit stands until a turn gains less than `enough`.
void take_turns(const Sequences& data, const AsympHmmOptions& options, double enough, HmmFit& fit) {
  const Index states = fit.centres.cols();
  const Mat added = Mat::Constant(states, states, options.smoothing);
  PathCosts costs{{}, Vec::Zero(states), transition_costs(options.lambda, fit.transition)};
  fit.converged = false;
  for (int turn = 0; turn < options.most_iterations && !fit.converged; ++turn) {
    const double before = fit.trace.empty() ? std::numeric_limits<double>::infinity() : fit.trace.back();
    costs.entry = divergences(data, options.emission, fit.centres);
    CheapestPath path = viterbi(data, costs);
    fit.trace.push_back(path.cost + sum_of(added, costs.transition));
    const bool same = path.states == fit.states;
    fit.states = std::move(path.states);

    const Mat counts = transition_counts(data, fit.states, states);
    fit.centres = centres_of(data, fit.states, fit.centres);
    fit.transition = frequencies(counts + added, fit.transition);
    costs.transition = transition_costs(options.lambda, fit.transition);
    fit.objective =
        total_divergence(options.emission, data, fit.states, fit.centres) + sum_of(counts, costs.transition);
    fit.trace.push_back(fit.objective + sum_of(added, costs.transition));
    fit.converged = same || before - fit.trace.back() < enough * std::abs(fit.trace.back());
  }
}

}  // namespace

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, Mat centres, Mat transition) {
  check(data, options.emission);
  HmmFit fit{{}, std::move(centres), std::move(transition), 0, {}, false};
  take_turns(data, options, least_cost_gain, fit);
  return fit;
}

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, const Rng& rng) {
  check(data, options.emission);
  check_states(options.states);
  HmmFit best;
  for (int start = 0; start < options.restarts; ++start) {
    const Rng own = rng.child("restart", static_cast<std::uint64_t>(start));
    HmmFit fit{{},
               kmeans(data, options.emission, options.states, own),
               random_rows(options.states, own.stream("transition")),
               0,
               {},
               false};
    take_turns(data, options, gain_to_compare, fit);
    if (start == 0 || fit.objective < best.objective) best = std::move(fit);
  }
  take_turns(data, options, least_cost_gain, best);
  return best;
}

double lambda_by_data(const Sequences& data, AsympHmmOptions options, const Rng& rng) {
  if (options.emission != Emission::normal) return 1;
  const auto values = static_cast<double>((!data.values.array().isNaN()).count());
  const auto twice_the_variance = [&](const HmmFit& fit) {
    return values > 0 ? 2 * total_divergence(options.emission, data, fit.states, fit.centres) / values : 0;
  };
  options.lambda = 0;
  const HmmFit clusters = fit_asymp_hmm(data, options, rng);
  options.lambda = twice_the_variance(clusters);
  return twice_the_variance(fit_asymp_hmm(data, options, clusters.centres, clusters.transition));
}

}  // namespace quasar
