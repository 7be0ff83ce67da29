// vibp and vbp: topics that take part in a document or not,
//
//   d_vn ~ Poisson(sum_k phi_vk w_nk s_nk),   s = z + eps (1 - z),   z_nk ~ Bernoulli(pi_k),   w_nk ~ Gamma(h1, h2),
//
// with q(z_nk) = Bernoulli(nu_nk) and q(w_nk) = Gamma(h1 + X_nk, h2 + nu_nk + eps (1 - nu_nk)). With eps = 0 the tokens
// of a topic in a document would rule out z_nk = 0, and the bound would be -infinity unless nu_nk = 1: so eps = 1/1000.
#pragma once

#include "models/gamma_precision.hpp"
#include "models/topics/variational/factor_model.hpp"
#include "models/topics/variational/inclusion_law.hpp"

namespace quasar {

struct InclusionSettings {
  Index topics = 100;
  double word_prior = 0.4;
  GammaPrior weights;  // h1, h2
};

class InclusionTopics final : public FactorModel {
 public:
  static constexpr double eps = 1e-3;

  InclusionTopics(std::shared_ptr<const DocumentSource> documents, const InclusionSettings& settings,
                  std::unique_ptr<InclusionLaw> law, int threads);

  Index lines() const override { return 4 + law_->lines(); }
  void line(Index i) override;
  Vec weights() const override;
  Vec expected_topics(Index document) const override;
  std::vector<NamedNumber> scalars() const override { return law_->scalars(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

  InclusionLaw& law() { return *law_; }
  Mat included;  // nu: topics x documents

 private:
  void start_documents() override;
  void fill_document_factors() override;
  double bound_of_documents() const override;
  void learn_included();
  void learn_weights();
  Vec documents_of_topics() const { return included.rowwise().sum(); }  // s_k
  auto presence(Index n) const {                                        // E s_nk
    return (eps + (1 - eps) * included.col(n).array()).matrix();
  }

  std::unique_ptr<InclusionLaw> law_;
  GammaPrior prior_;
  Mat shapes_, rates_;  // of q(w)
};

}  // namespace quasar
