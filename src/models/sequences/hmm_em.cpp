#include "models/sequences/hmm_em.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "models/sequences/asymp_hmm.hpp"
#include "models/sequences/forward_backward.hpp"
#include "models/sequences/starts.hpp"
#include "models/sequences/state_laws.hpp"
#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

constexpr double least_likelihood_gain = 1e-6;  // relative
constexpr double doubt = 0.01;      // share of every point that all states have of it when a fit starts from a path
constexpr int paths_compared = 10;  // of asymp-hmm: they cost little beside a fit

void maximize(const StateLaws& laws, const Expected& expected, HmmModel& model) {
  model.initial = expected.initial / expected.initial.sum();
  model.transition = frequencies(expected.transition, model.transition);
  laws.maximize(expected.states, model);
}

Path most_probable(const Sequences& data, const HmmModel& model, const Mat& log_densities) {
  const EntryCosts costs = [&](Index begin, Eigen::Ref<Mat> to) { to = -log_densities.middleCols(begin, to.cols()); };
  return viterbi(data, {costs, -model.initial.array().log(), -model.transition.array().log()}).states;
}

HmmModel random_start(const Sequences& data, const HmmEmOptions& options, const StateLaws& laws, const Rng& rng) {
  const Index states = options.states;
  HmmModel start{Vec::Constant(states, 1 / static_cast<double>(states)),
                 random_rows(states, rng.stream("transition")),
                 kmeans(data, options.emission, states, rng),
                 {}};
  laws.spread_out(start);
  return start;
}

// What fits the path best, but for some doubt of it: a category or a transition that it has not is not ruled out.
HmmModel start_from(const Path& path, const Sequences& data, const HmmEmOptions& options, const StateLaws& laws) {
  const Index states = options.states;
  const double each = 1 / static_cast<double>(states);
  const Mat counts = transition_counts(data, path, states).array() + 1;
  HmmModel start{Vec::Constant(states, each), frequencies(counts, counts), Mat::Zero(data.dim(), states), {}};
  laws.spread_out(start);
  Mat weights = Mat::Constant(states, data.size(), doubt * each);
  for (Index t = 0; t < data.size(); ++t) weights(path[static_cast<std::size_t>(t)], t) += 1 - doubt;
  laws.maximize(weights, start);
  return start;
}

Path path_to_start_from(const Sequences& data, const HmmEmOptions& options, bool first, const Rng& rng) {
  AsympHmmOptions hard;
  hard.emission = options.emission;
  hard.states = options.states;
  hard.lambda = 0;  // k-means
  hard.restarts = first ? paths_compared : 1;
  if (first) hard.lambda = lambda_by_data(data, hard, rng.child("lambda"));
  return fit_asymp_hmm(data, hard, rng).states;
}

}  // namespace

double log_likelihood(const Sequences& data, const HmmEmOptions& options, const HmmModel& model) {
  const StateLaws laws(data, options.emission, options.covariance);
  return forward(data, model, laws.log_densities(model)).log_likelihood;
}

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, HmmModel start) {
  check(data, options.emission);
  const StateLaws laws(data, options.emission, options.covariance);
  HmmEmFit fit{std::move(start), 0, {}, {}, {}, false};
  laws.raise_to_floor(fit.model);
  Mat log_densities;
  for (int iteration = 0; iteration <= options.most_iterations; ++iteration) {
    log_densities = laws.log_densities(fit.model);
    Filtered pass = forward(data, fit.model, log_densities);
    if (!std::isfinite(pass.log_likelihood)) {
      throw RunError("hmm-em: the data have probability 0 in the model that the fit starts from; start from another");
    }
    const double gain = pass.log_likelihood - fit.log_likelihood;
    fit.converged = iteration > 0 && gain < least_likelihood_gain * std::abs(fit.log_likelihood);
    fit.log_likelihood = pass.log_likelihood;
    fit.trace.push_back(fit.log_likelihood);
    if (fit.converged || iteration == options.most_iterations) {
      fit.filtered = std::move(pass.states);
      break;
    }
    maximize(laws, backward(data, fit.model, pass), fit.model);
  }
  fit.states = most_probable(data, fit.model, log_densities);
  return fit;
}

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, const Rng& rng) {
  check(data, options.emission);
  check_states(options.states);
  const StateLaws laws(data, options.emission, options.covariance);
  HmmEmFit best;
  for (int restart = 0; restart < options.restarts; ++restart) {
    const Rng own = rng.child("restart", static_cast<std::uint64_t>(restart));
    HmmEmFit fit =
        fit_hmm_em(data, options,
                   options.starts == EmStarts::random
                       ? random_start(data, options, laws, own)
                       : start_from(path_to_start_from(data, options, restart == 0, own), data, options, laws));
    if (restart == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  return best;
}

}  // namespace quasar
