#include "models/topics/variational/laws.hpp"

#include <cmath>

#include "models/topics/variational/special_functions.hpp"

namespace quasar {

double GammaLaw::mean_log() const { return digamma(shape) - std::log(rate); }

double GammaLaw::mean_exp_minus() const { return std::exp(-shape * std::log1p(1 / rate)); }

double GammaLaw::entropy() const { return shape - std::log(rate) + log_gamma(shape) + (1 - shape) * digamma(shape); }

double bound_of(const GammaLaw& law, const GammaPrior& prior) {
  return prior.shape * std::log(prior.rate) - log_gamma(prior.shape) + (prior.shape - 1) * law.mean_log() -
         prior.rate * law.mean() + law.entropy();
}

double BetaLaw::mean_log() const { return digamma(first) - digamma(first + second); }

double BetaLaw::mean_log_complement() const { return digamma(second) - digamma(first + second); }

double BetaLaw::entropy() const {
  return log_beta(first, second) - (first - 1) * mean_log() - (second - 1) * mean_log_complement();
}

double log_beta(double a, double b) { return log_gamma(a) + log_gamma(b) - log_gamma(a + b); }

}  // namespace quasar
