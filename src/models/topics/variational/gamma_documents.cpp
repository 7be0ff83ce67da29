#include "models/topics/variational/gamma_documents.hpp"

#include "core/parts.hpp"
#include "models/topics/variational/special_functions.hpp"
#include "simd/gamma_functions.hpp"

namespace quasar {
namespace {

constexpr Index documents_together = 4;  // that settle, some sooner than others

}  // namespace

GammaDocuments::GammaDocuments(const Corpus& corpus, Index topics, std::optional<ScalePrior> prior)
    : corpus_(&corpus), shapes_(topics, corpus.documents()), scales_(corpus, prior) {
  start();
}

void GammaDocuments::start() {
  for (Index n = 0; n < shapes_.cols(); ++n) {
    const auto tokens = static_cast<double>(corpus_->document(n).tokens());
    shapes_.col(n).setConstant(1 + tokens / static_cast<double>(shapes_.rows()));
  }
}

void GammaDocuments::refresh(const Allocations& allocations, In weights) {
  in_parts(shapes_.cols(), allocations.threads(), [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) shapes_.col(n) = weights + allocations.of_document(n);
  });
}

// The largest is of order 1 or more: exp(digamma(a) + 1/a) = exp(digamma(a + 1)).
void GammaDocuments::fill_factors(Allocations& allocations, Index n) const {
  const auto shapes = shapes_.col(n);
  simd::exp_digamma(shapes.data(), 1 / shapes.maxCoeff(), allocations.document_factors(n).data(),
                    static_cast<std::size_t>(shapes.size()));
}

void GammaDocuments::fill_factors(Allocations& allocations) const {
  in_parts(shapes_.cols(), allocations.threads(), [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) fill_factors(allocations, n);
  });
}

void GammaDocuments::settle(Allocations& allocations, In weights, Index most_turns) {
  const double enough = 1e-3 * static_cast<double>(shapes_.rows());
  in_parts(
      shapes_.cols(), allocations.threads(),
      [&](std::size_t, Index begin, Index end) {
        Vec before(shapes_.rows());
        for (Index n = begin; n < end; ++n) {
          auto shapes = shapes_.col(n);
          for (Index turn = 0; turn < most_turns; ++turn) {
            before = shapes;
            fill_factors(allocations, n);
            allocations.share_out_document(n);
            shapes = weights + allocations.of_document(n);
            if ((shapes - before).lpNorm<1>() < enough) break;
          }
        }
      },
      documents_together);
}

// L_k = sum_n gt_k (digamma(gt_k + X_nk) - digamma(gt_k)), 0 in documents without the topic.
WeightEvidence GammaDocuments::evidence(const Allocations& allocations, In weights) const {
  const Index topics = shapes_.rows();
  const auto count = static_cast<std::size_t>(topics);
  Vec alone(topics);
  simd::digamma(weights.data(), alone.data(), count);
  const auto add = [&](Index begin, Index end, auto sum) {
    Vec values(topics);
    for (Index n = begin; n < end; ++n) {
      values = weights + allocations.of_document(n);
      simd::digamma(values.data(), values.data(), count);
      sum += values - alone;
    }
  };
  const Vec sums = sum_vectors_in_parts(topics, shapes_.cols(), allocations.threads(), add);
  return {weights.cwiseProduct(sums), scales_.exposure()};
}

// sum_nk (X + gt - a) digamma(a) + log Gamma(a) - log Gamma(gt): the first is 0 after refresh().
double GammaDocuments::bound(const Allocations& allocations, In weights, double total) const {
  const Index topics = shapes_.rows();
  const auto count = static_cast<std::size_t>(topics);
  Vec alone(topics);
  simd::log_gamma(weights.data(), alone.data(), count);
  const double local = sum_in_parts(shapes_.cols(), allocations.threads(), [&](Index begin, Index end) {
    Vec left(topics), values(topics);
    double sum = 0;
    for (Index n = begin; n < end; ++n) {
      simd::log_gamma(shapes_.col(n).data(), values.data(), count);
      sum += (values - alone).sum();
      left = weights + allocations.of_document(n);
      left -= shapes_.col(n);
      if ((left.array() == 0).all()) continue;
      simd::digamma(shapes_.col(n).data(), values.data(), count);
      sum += left.dot(values);
    }
    return sum;
  });
  return local + scales_.bound(total);
}

}  // namespace quasar
