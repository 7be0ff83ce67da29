#include "models/topics/factor_gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parts.hpp"
#include "core/place.hpp"
#include "models/topics/topic_params.hpp"
#include "models/topics/topic_words.hpp"

namespace quasar {

FactorGibbs::FactorGibbs(std::shared_ptr<const DocumentSource> documents, const FactorSettings& settings,
                         std::unique_ptr<TopicWeights> weights, const TopicRun& run)
    : settings_(settings),
      rng_(Rng(run.seed).child("topics")),
      corpus_(some_documents(std::move(documents))),
      tokens_(*corpus_, settings.topics, run.threads),
      phi_(settings.topics, corpus_->vocabulary),
      not_p_(Vec::Constant(corpus_->documents(), 0.5)),
      weights_(std::move(weights)) {
  for (Index n = 0; n < corpus_->documents(); ++n) {
    tokens_of_document_.push_back(static_cast<double>(corpus_->document(n).tokens()));
  }
  start();
}

// Words of topics from their prior, made wider, so that each begins with words of its own but rules none out.
void FactorGibbs::start() {
  constexpr double wide = 1;
  const Rng rng = rng_.child("start");
  draw_topic_words(tokens_.word_counts(), wide, static_cast<int>(tokens_.threads()), rng.child("phi"), phi_);
  tokens_.start(phi_, weights_->in_documents(), rng.child("tokens"), [](auto&&...) {});
  draw_topic_words(tokens_.word_counts(), settings_.word_prior, static_cast<int>(tokens_.threads()),
                   rng.child("phi given tokens"), phi_);
}

void FactorGibbs::step() {
  const Rng rng = rng_.at(static_cast<std::uint64_t>(sweeps_++));
  weights_->begin(rng.child("weights"));
  tokens_.sweep(phi_, weights_->in_documents(), rng.child("tokens"),
                [this](std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) {
                  weights_->see(thread, document, topic_counts);
                });
  draw_topic_words(tokens_.word_counts(), settings_.word_prior, static_cast<int>(tokens_.threads()), rng.child("phi"),
                   phi_);
  draw_scales(rng);
  weights_->draw(-not_p_.array().log().matrix());
}

// p_j ~ Beta(a0 + n_j, b0 + sum_k r)
void FactorGibbs::draw_scales(const Rng& rng) {
  constexpr double least = 1e-300;
  in_parts(not_p_.size(), tokens_.threads(), [&](std::size_t, Index begin, Index end) {
    Stream draws = rng.stream("scales");
    draws.seek(static_cast<std::uint64_t>(begin));
    for (Index n = begin; n < end; ++n) {
      not_p_[n] =
          std::max(least, draws.beta(settings_.b0 + weights_->sum(n), settings_.a0 + tokens_of_document_[at(n)]));
    }
  });
}

double FactorGibbs::objective() const { return std::numeric_limits<double>::quiet_NaN(); }

Vec FactorGibbs::prevalence() const { return tokens_.word_counts().cast<double>().rowwise().sum(); }

TopicDraw FactorGibbs::draw() const {
  return {mean_topic_words(tokens_.word_counts(), settings_.word_prior), weights_->of_new_document()};
}

bool FactorGibbs::shares(Index document, Out shares) const {
  const DocumentWeights weights = weights_->in_documents();
  if (weights.per == DocumentWeights::Per::topic) {
    shares = weights.values;
  } else {
    shares.setConstant(weights.values[document]);
  }
  for (const TopicOfToken topic : tokens_.document(document)) shares[topic] += 1;
  shares /= shares.sum();
  return true;
}

void FactorGibbs::save(Writer& out) const {
  fields(*this, out);
  weights_->save(out);
}

void FactorGibbs::load(Reader& in) {
  fields(*this, in);
  weights_->load(in);
  tokens_.count([](auto&&...) {});
}

FactorSettings factor_settings(const Config& config) {
  return {config.integer("topics"), config.real("word_prior"), config.real("a0"), config.real("b0")};
}

std::vector<ParamSpec> factor_params(const std::vector<ParamSpec>& own) {
  return joined({{topics_param(), word_prior_param()}, scale_params(), own});
}

}  // namespace quasar
