#include "models/topics/variational/gamma_topics.hpp"

#include <utility>

namespace quasar {

GammaTopics::GammaTopics(std::shared_ptr<const DocumentSource> documents, const GammaTopicsSettings& settings,
                         std::unique_ptr<WeightLaw> law, int threads)
    : FactorModel(std::move(documents), settings.topics, settings.word_prior, threads),
      law_(std::move(law)),
      documents_(corpus(), settings.topics, settings.scales) {}

void GammaTopics::start_documents() {
  law_->start(mean_tokens());
  documents_.start();
  documents_.scales().learn(law_->total());
  weights_ = law_->mean_logs().array().exp();
}

void GammaTopics::refresh() {
  weights_ = law_->mean_logs().array().exp();
  documents_.refresh(allocations(), weights_);
}

void GammaTopics::line(Index i) {
  if (i == 0) return share_out();
  if (i == 1) return learn_words();
  if (i == 2) return refresh();
  if (i == lines() - 1) return documents_.scales().learn(law_->total());
  learn_law(i - 3);
}

void GammaTopics::learn_law(Index i) {
  if (i >= law_->moving_lines()) return law_->line(i, {});
  law_->line(i, documents_.evidence(allocations(), weights_));
  refresh();
}

double GammaTopics::bound_of_documents() const {
  return documents_.bound(allocations(), weights_, law_->total()) + law_->bound();
}

void GammaTopics::save(Writer& out) const {
  FactorModel::save(out);
  law_->save(out);
  out("scales", documents_.scales());
}

void GammaTopics::load(Reader& in) {
  FactorModel::load(in);
  law_->load(in);
  in("scales", documents_.scales());
  refresh();
}

}  // namespace quasar
