// NB-LDA (Zhou and Carin 2015): the topics of a document weigh the same, each document has its own r_j,
//
//   theta_jk ~ Gamma(r_j, scale p_j / (1 - p_j)),   r_j ~ Gamma(g0, rate c0),
//
// so that given its length a document is one of latent Dirichlet allocation with concentration r_j. Given tables
// l_j = sum_k CRT(x_jk, r_j):  r_j ~ Gamma(g0 + l_j, c0 - K log(1 - p_j)).
#pragma once

#include "models/topics/factor_gibbs.hpp"
#include "models/topics/topic_weights.hpp"

namespace quasar {

struct NbLdaPrior {
  double g0 = 1, c0 = 1;
};

class NbLdaWeights final : public TopicWeights {
 public:
  NbLdaWeights(Index topics, Index documents, const NbLdaPrior& prior, std::size_t threads);

  DocumentWeights in_documents() const override { return {DocumentWeights::Per::document, r}; }
  double sum(Index document) const override { return static_cast<double>(topics_) * r[document]; }
  Vec of_new_document() const override;  // the mean of r_j
  std::vector<NamedNumber> scalars() const override;
  void begin(const Rng& sweep) override { rng_ = sweep; }
  void see(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) override;
  void draw(In exposures) override;
  void save(Writer& out) const override { out("r", r); }
  void load(Reader& in) override { in("r", r); }

  Vec r;

 private:
  Index topics_;
  NbLdaPrior prior_;
  Rng rng_{0};
  std::vector<CountHistogram> of_thread_;
  Vec tables_;  // l_j
};

std::span<const ParamSpec> nb_lda_params();
std::unique_ptr<TopicMethod> make_nb_lda(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                         const TopicRun& run);

}  // namespace quasar
