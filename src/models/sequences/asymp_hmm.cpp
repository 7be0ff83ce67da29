#include "models/sequences/asymp_hmm.hpp"

#include <cmath>

#include "models/sequences/starts.hpp"
#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

constexpr double least_gain = 1e-9;  // relative

Mat frequencies(const Mat& counts, const Mat& otherwise) {
  Mat transition = otherwise;
  for (Index j = 0; j < counts.rows(); ++j) {
    const double total = counts.row(j).sum();
    if (total > 0) transition.row(j) = counts.row(j) / total;
  }
  return transition;
}

// -lambda log T; nothing for lambda = 0, even where T is 0.
Mat transition_costs(double lambda, const Mat& transition) {
  if (lambda == 0) return Mat::Zero(transition.rows(), transition.cols());
  return -lambda * transition.array().log();
}

// sum_jk n_jk c_jk, where what is never used costs nothing even if c is infinite.
double sum_of(const Mat& counts, const Mat& costs) {
  return (counts.array() > 0).select(counts.array() * costs.array(), 0).sum();
}

}  // namespace

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, Mat centres, Mat transition) {
  const Index states = centres.cols();
  const Mat added = Mat::Constant(states, states, options.smoothing);
  HmmFit fit{{}, std::move(centres), std::move(transition), 0, {}, false};
  PathCosts costs{{}, Vec::Zero(states), transition_costs(options.lambda, fit.transition)};
  for (int iteration = 0; iteration < options.most_iterations && !fit.converged; ++iteration) {
    costs.entry = divergences(data, options.emission, fit.centres);
    CheapestPath path = viterbi(data, costs);
    fit.trace.push_back(path.cost + sum_of(added, costs.transition));
    fit.converged = path.states == fit.states;
    fit.states = std::move(path.states);

    const Mat counts = transition_counts(data, fit.states, states);
    fit.centres = centres_of(data, fit.states, fit.centres);
    fit.transition = frequencies(counts + added, fit.transition);
    costs.transition = transition_costs(options.lambda, fit.transition);
    fit.objective =
        total_divergence(options.emission, data, fit.states, fit.centres) + sum_of(counts, costs.transition);
    const double monitored = fit.objective + sum_of(added, costs.transition);
    const double gain = iteration > 0 ? fit.trace[fit.trace.size() - 2] - monitored : monitored;
    fit.converged = fit.converged || gain < least_gain * std::abs(monitored);
    fit.trace.push_back(monitored);
  }
  return fit;
}

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, const Rng& rng) {
  HmmFit best;
  for (int start = 0; start < options.restarts; ++start) {
    const Rng own = rng.child("restart", static_cast<std::uint64_t>(start));
    HmmFit fit = fit_asymp_hmm(data, options, kmeans(data, options.emission, options.states, own),
                               random_rows(options.states, own.stream("transition")));
    if (start == 0 || fit.objective < best.objective) best = std::move(fit);
  }
  return best;
}

}  // namespace quasar
