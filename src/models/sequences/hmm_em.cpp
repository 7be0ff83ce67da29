#include "models/sequences/hmm_em.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "models/sequences/forward_backward.hpp"
#include "models/sequences/starts.hpp"
#include "models/sequences/state_laws.hpp"

namespace quasar {
namespace {

constexpr double least_gain = 1e-6;  // relative

void maximize(const StateLaws& laws, const Expected& expected, HmmModel& model) {
  model.initial = expected.initial / expected.initial.sum();
  for (Index j = 0; j < expected.transition.rows(); ++j) {
    const double total = expected.transition.row(j).sum();
    if (total > 0) model.transition.row(j) = expected.transition.row(j) / total;
  }
  laws.maximize(expected.states, model);
}

Path most_probable(const Sequences& data, const HmmModel& model, const Mat& log_densities) {
  const EntryCosts costs = [&](Index begin, Eigen::Ref<Mat> to) { to = -log_densities.middleCols(begin, to.cols()); };
  return viterbi(data, {costs, -model.initial.array().log(), -model.transition.array().log()}).states;
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
    fit.converged = iteration > 0 && gain < least_gain * std::abs(fit.log_likelihood);
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
    const Index states = options.states;
    HmmModel start{Vec::Constant(states, 1 / static_cast<double>(states)),
                   random_rows(states, own.stream("transition")),
                   kmeans(data, options.emission, states, own),
                   {}};
    laws.spread_out(start);
    HmmEmFit fit = fit_hmm_em(data, options, std::move(start));
    if (restart == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  return best;
}

}  // namespace quasar
