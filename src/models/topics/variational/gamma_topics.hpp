// vgp and vngp: a gamma law of every topic in every document, with weights of the topics that all documents share.
#pragma once

#include "models/topics/variational/factor_model.hpp"
#include "models/topics/variational/gamma_documents.hpp"
#include "models/topics/variational/weight_law.hpp"

namespace quasar {

struct GammaTopicsSettings {
  Index topics = 100;
  double word_prior = 0.4;
  std::optional<ScalePrior> scales = ScalePrior();  // none: p_n = 1/2
};

class GammaTopics final : public FactorModel {
 public:
  GammaTopics(std::shared_ptr<const DocumentSource> documents, const GammaTopicsSettings& settings,
              std::unique_ptr<WeightLaw> law, int threads);

  Index lines() const override { return 4 + law_->lines(); }
  void line(Index i) override;
  Vec weights() const override { return weights_; }
  Vec expected_topics(Index document) const override { return documents_.shapes().col(document); }
  std::vector<NamedNumber> scalars() const override { return law_->scalars(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

  GammaDocuments& documents() { return documents_; }
  WeightLaw& law() { return *law_; }
  void refresh();  // a and all that follows from the law: after anything was set by hand

 private:
  void start_documents() override;
  void fill_document_factors() override { documents_.fill_factors(allocations()); }
  double bound_of_documents() const override;
  void learn_law(Index i);

  std::unique_ptr<WeightLaw> law_;
  GammaDocuments documents_;
  Vec weights_;  // exp(E log g_k)
};

}  // namespace quasar
