#include "models/topics/variational/stochastic_gamma_topics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/topics/corpus_in_memory.hpp"
#include "models/topics/variational/seeded_topics.hpp"

namespace quasar {

StochasticGammaTopics::StochasticGammaTopics(std::shared_ptr<const DocumentSource> documents,
                                             const StochasticSettings& settings, std::unique_ptr<WeightLaw> law,
                                             const TopicRun& run)
    : source_(some_documents(std::move(documents))),
      settings_(settings),
      threads_(run.threads),
      order_(source_->documents(), std::min(settings.batch, source_->documents()), Rng(run.seed).child("minibatches")),
      words_(seeded_topics(*source_, settings.model.topics, settings.model.word_prior,
                           Rng(run.seed).child("start").child("topics")),
             settings.model.word_prior),
      law_(std::move(law)),
      evidence_{Vec::Zero(settings.model.topics), 0} {
  law_->start(static_cast<double>(source_->tokens()) /
              (static_cast<double>(source_->documents()) * static_cast<double>(settings.model.topics)));
}

StochasticGammaTopics::Batch::Batch(const StochasticGammaTopics& method, const std::vector<Index>& ids)
    : documents(read_minibatch(*method.source_, ids)),
      scale(static_cast<double>(method.source_->documents()) / static_cast<double>(ids.size())),
      allocations(documents.corpus, method.topics(), method.threads_),
      topics(documents.corpus, method.topics(), method.settings_.model.scales) {
  topics.scales().learn(method.law_->total());
  fill_word_factors(method.words_.shapes(documents.words), method.words_.totals(), allocations);
  topics.settle(allocations, method.weights(), method.settings_.local_steps);
  allocations.gather_words();
}

void StochasticGammaTopics::step() {
  last_ = order_.batch(steps_);
  average(Batch(*this, last_), std::pow(static_cast<double>(steps_) + settings_.delay, -settings_.kappa));
  for (Index i = 0; i < law_->lines(); ++i) law_->line(i, evidence_);
  ++steps_;
  passes_ += static_cast<double>(last_.size()) / static_cast<double>(source_->documents());
}

// Of L and q nothing is known before the first batch.
void StochasticGammaTopics::average(const Batch& batch, double rate) {
  words_.learn(batch.documents.words, batch.allocations, rate, batch.scale);
  const WeightEvidence evidence = batch.topics.evidence(batch.allocations, weights());
  const double moved = steps_ == 0 ? 1 : rate;
  evidence_.counts += moved * (batch.scale * evidence.counts - evidence_.counts);
  evidence_.exposure += moved * (batch.scale * evidence.exposure - evidence_.exposure);
}

double StochasticGammaTopics::objective() const {
  if (last_.empty()) return -std::numeric_limits<double>::infinity();
  const Batch batch(*this, last_);
  Mat counts = Mat::Zero(topics(), words_.words());
  for (std::size_t i = 0; i < batch.documents.words.size(); ++i) {
    counts.col(batch.documents.words[i]) = batch.scale * batch.allocations.of_word(static_cast<Index>(i));
  }
  TopicDirichlets words(topics(), words_.words(), words_.prior());
  words.set_shapes(words_.shapes());
  const double of_documents =
      batch.allocations.entropy() + batch.topics.bound(batch.allocations, weights(), law_->total());
  return batch.scale * of_documents + words.bound(counts, threads_) + law_->bound();
}

TopicDraw StochasticGammaTopics::draw() const {
  return {(words_.totals().cwiseInverse().asDiagonal() * words_.shapes()).cast<float>(), weights()};
}

void StochasticGammaTopics::save(Writer& out) const {
  out("steps", steps_);
  out("passes", passes_);
  out("words", words_);
  out("counts", evidence_.counts);
  out("exposure", evidence_.exposure);
  law_->save(out);
}

void StochasticGammaTopics::load(Reader& in) {
  in("steps", steps_);
  in("passes", passes_);
  in("words", words_);
  in("counts", evidence_.counts);
  in("exposure", evidence_.exposure);
  law_->load(in);
  if (steps_ > 0) last_ = order_.batch(steps_ - 1);
}

}  // namespace quasar
