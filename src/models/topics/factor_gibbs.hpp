// Gibbs sampling of Poisson factor analysis (Zhou and Carin 2015):
//
//   n_vj ~ Poisson(sum_k phi_vk theta_jk),  phi_k ~ Dirichlet(word_prior),  theta_jk ~ Gamma(r, scale p_j / (1 - p_j)),
//   p_j ~ Beta(a0, b0),
//
// with r = r_k or r_j, whose laws make it gamma-nb, gamma-gp or nb-lda. theta is integrated out throughout: a sweep
// draws the topics of all tokens, phi, p, and r by way of tables (tables.hpp).
#pragma once

#include <memory>
#include <vector>

#include <quasar/rng.hpp>

#include "models/topics/corpus_in_memory.hpp"
#include "models/topics/token_topics.hpp"
#include "models/topics/topic_method.hpp"
#include "models/topics/topic_weights.hpp"

namespace quasar {

struct FactorSettings {
  Index topics = 100;
  double word_prior = 0.05;
  double a0 = 0.01, b0 = 0.01;
};

class FactorGibbs final : public TopicMethod {
 public:
  FactorGibbs(std::shared_ptr<const DocumentSource> documents, const FactorSettings& settings,
              std::unique_ptr<TopicWeights> weights, const TopicRun& run);

  void step() override;
  double data_passes() const override { return static_cast<double>(sweeps_); }
  bool converged() const override { return false; }
  double objective() const override;  // NaN
  Index topics() const override { return settings_.topics; }
  Vec prevalence() const override;
  TopicDraw draw() const override;
  std::vector<NamedNumber> scalars() const override { return weights_->scalars(); }
  bool shares(Index document, Out shares) const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

  // The state, which tests begin elsewhere.
  TokenTopics& tokens() { return tokens_; }
  WordTopics& phi() { return phi_; }
  Vec& not_p() { return not_p_; }
  TopicWeights& weights() { return *weights_; }

 private:
  static void fields(auto& self, auto&& visit) {
    visit("sweeps", self.sweeps_);
    visit("tokens", self.tokens_);
    visit("phi", self.phi_);
    visit("not_p", self.not_p_);
  }
  void start();
  void draw_scales(const Rng& rng);

  FactorSettings settings_;
  Rng rng_;
  CorpusInMemory corpus_;
  TokenTopics tokens_;
  WordTopics phi_;
  Vec not_p_;  // 1 - p_j, which may be tiny
  std::unique_ptr<TopicWeights> weights_;
  std::int64_t sweeps_ = 0;
  std::vector<double> tokens_of_document_;
};

FactorSettings factor_settings(const Config& config);
// Those of every factor analysis, and what the law of its weights has of its own.
std::vector<ParamSpec> factor_params(const std::vector<ParamSpec>& own);

}  // namespace quasar
