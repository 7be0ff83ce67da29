#include "models/topics/variational/inclusion_topics.hpp"

#include <cmath>
#include <utility>

#include "core/parts.hpp"
#include "models/topics/variational/special_functions.hpp"
#include "simd/gamma_functions.hpp"

namespace quasar {
namespace {

const double log_eps = std::log(InclusionTopics::eps);

}  // namespace

InclusionTopics::InclusionTopics(std::shared_ptr<const DocumentSource> documents, const InclusionSettings& settings,
                                 std::unique_ptr<InclusionLaw> law, int threads)
    : FactorModel(std::move(documents), settings.topics, settings.word_prior, threads),
      included(settings.topics, corpus().documents()),
      law_(std::move(law)),
      prior_(settings.weights),
      shapes_(included.rows(), included.cols()),
      rates_(included.rows(), included.cols()) {}

void InclusionTopics::start_documents() {
  law_->start();
  included.setConstant(0.5);
  for (Index n = 0; n < shapes_.cols(); ++n) {
    const auto tokens = static_cast<double>(corpus().document(n).tokens());
    shapes_.col(n).setConstant(prior_.shape + tokens / static_cast<double>(shapes_.rows()));
    rates_.col(n) = prior_.rate + presence(n).array();
  }
}

void InclusionTopics::line(Index i) {
  if (i == 0) return share_out();
  if (i == 1) return learn_words();
  if (i == 2) return learn_included();
  if (i == 3) return learn_weights();
  law_->line(i - 4, documents_of_topics(), static_cast<double>(included.cols()));
}

// exp(E log w + (1 - nu) log eps)
void InclusionTopics::fill_document_factors() {
  in_parts(included.cols(), allocations().threads(), [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      auto factors = allocations().document_factors(n);
      simd::exp_digamma(shapes_.col(n).data(), 1 / shapes_.col(n).maxCoeff(), factors.data(),
                        static_cast<std::size_t>(shapes_.rows()));
      factors.array() *= ((1 - included.col(n).array()) * log_eps).exp() / rates_.col(n).array();
    }
  });
}

// logit nu = E log pi - E log(1 - pi) - X log eps - (1 - eps) E w
void InclusionTopics::learn_included() {
  const Vec odds = law_->mean_logs() - law_->mean_log_complements();
  in_parts(included.cols(), allocations().threads(), [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const auto logit = odds.array() - log_eps * allocations().of_document(n).array() -
                         (1 - eps) * shapes_.col(n).array() / rates_.col(n).array();
      included.col(n) = (1 + (-logit).exp()).inverse();
    }
  });
}

void InclusionTopics::learn_weights() {
  in_parts(included.cols(), allocations().threads(), [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      shapes_.col(n) = prior_.shape + allocations().of_document(n).array();
      rates_.col(n) = prior_.rate + presence(n).array();
    }
  });
}

// With E log w = digamma(a) - log b:  sum_nk X (E log w + (1 - nu) log eps) - E s E w + E log p(w) - E log q(w) - nu
// log nu - (1 - nu) log(1 - nu), and what the law adds of z.
double InclusionTopics::bound_of_documents() const {
  const Index topics = included.rows();
  const auto count = static_cast<std::size_t>(topics);
  const auto xlogx = [](double x) { return x > 0 ? x * std::log(x) : 0; };
  const double local = sum_in_parts(included.cols(), allocations().threads(), [&](Index begin, Index end) {
    Vec psi(topics), log_gammas(topics);
    double sum = 0;
    for (Index n = begin; n < end; ++n) {
      const auto a = shapes_.col(n).array(), b = rates_.col(n).array(), nu = included.col(n).array();
      const auto x = allocations().of_document(n).array();
      simd::digamma(shapes_.col(n).data(), psi.data(), count);
      simd::log_gamma(shapes_.col(n).data(), log_gammas.data(), count);
      sum += ((x + prior_.shape - a) * (psi.array() - b.log()) + x * (1 - nu) * log_eps + log_gammas.array() + a -
              a * b.log() - (presence(n).array() + prior_.rate) * a / b)
                 .sum();
      for (const double p : nu) sum -= xlogx(p) + xlogx(1 - p);
    }
    return sum;
  });
  const auto documents = static_cast<double>(included.cols());
  const Vec s = documents_of_topics();
  const Vec missed = documents - s.array();
  return local +
         static_cast<double>(included.size()) * (prior_.shape * std::log(prior_.rate) - log_gamma(prior_.shape)) +
         s.dot(law_->mean_logs()) + missed.dot(law_->mean_log_complements()) + law_->bound();
}

// The shape of the Gamma law with mean and variance of w s for s of 0 or 1: h1 p / (1 + h1 (1 - p)), p = E pi_k.
Vec InclusionTopics::weights() const {
  const Vec p = law_->means();
  return prior_.shape * p.array() / (1 + prior_.shape * (1 - p.array()));
}

Vec InclusionTopics::expected_topics(Index document) const {
  return presence(document).cwiseProduct(shapes_.col(document)).cwiseQuotient(rates_.col(document));
}

void InclusionTopics::save(Writer& out) const {
  FactorModel::save(out);
  law_->save(out);
  out("included", included);
}

void InclusionTopics::load(Reader& in) {
  FactorModel::load(in);
  law_->load(in);
  in("included", included);
  learn_weights();
}

}  // namespace quasar
