#include "models/topics/variational/document_scales.hpp"

#include <cmath>
#include <numbers>

#include "models/topics/variational/laws.hpp"
#include "models/topics/variational/special_functions.hpp"
#include "simd/gamma_functions.hpp"

namespace quasar {

DocumentScales::DocumentScales(const Corpus& corpus, std::optional<ScalePrior> prior)
    : tokens_(corpus.documents()), prior_(prior) {
  for (Index n = 0; n < corpus.documents(); ++n) tokens_[n] = static_cast<double>(corpus.document(n).tokens());
}

void DocumentScales::learn(double total) {
  if (prior_) second_ = prior_->b0 + total;
}

double DocumentScales::exposure() const {
  const auto documents = static_cast<double>(tokens_.size());
  if (!prior_) return documents * std::numbers::ln2;
  Vec values = tokens_.array() + (prior_->a0 + second_);
  simd::digamma(values.data(), values.data(), static_cast<std::size_t>(values.size()));
  return values.sum() - documents * digamma(second_);
}

// sum_n E[D_n log p_n + total log(1 - p_n)] + E log p(p_n) - E log q(p_n). With shapes a, b of q the coefficient of
// E log p is a0 + D_n - a = 0.
double DocumentScales::bound(double total) const {
  const auto documents = static_cast<double>(tokens_.size());
  if (!prior_) return -std::numbers::ln2 * (tokens_.sum() + documents * total);
  const auto size = static_cast<std::size_t>(tokens_.size());
  Vec shapes = tokens_.array() + prior_->a0, values(tokens_.size());
  simd::log_gamma(shapes.data(), values.data(), size);
  double sum = values.sum();
  shapes.array() += second_;
  simd::log_gamma(shapes.data(), values.data(), size);
  sum -= values.sum();
  return sum + documents * (log_gamma(second_) - log_beta(prior_->a0, prior_->b0)) -
         (total + prior_->b0 - second_) * exposure();
}

}  // namespace quasar
