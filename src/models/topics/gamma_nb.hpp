// The gamma-negative binomial process (Zhou and Carin 2015), with room for K topics:
//
//   r_k ~ Gamma(g0 / K, rate c0),   g0 ~ Gamma(e0, f0).
//
// Given tables L_k and q = -sum_j log(1 - p_j), r_k ~ Gamma(g0 / K + L_k, c0 + q); with r_k integrated out L_k is
// negative binomial too, so tables of tables give g0: l'_k ~ CRT(L_k, g0 / K),
// g0 ~ Gamma(e0 + sum l', f0 + log(1 + q / c0)).
#pragma once

#include "models/topics/factor_gibbs.hpp"
#include "models/topics/topic_weights.hpp"

namespace quasar {

struct GammaNbPrior {
  double c0 = 1, e0 = 1, f0 = 1;
};

class GammaNbWeights final : public TopicWeights {
 public:
  GammaNbWeights(Index topics, const GammaNbPrior& prior, std::size_t threads);

  DocumentWeights in_documents() const override { return {DocumentWeights::Per::topic, r}; }
  double sum(Index) const override { return r.sum(); }
  Vec of_new_document() const override { return r; }
  std::vector<NamedNumber> scalars() const override;
  void begin(const Rng& sweep) override;
  void see(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) override;
  void draw(In exposures) override;
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  Vec r;
  double g0 = 1;

 private:
  static void fields(auto& self, auto&& visit) {
    visit("r", self.r);
    visit("g0", self.g0);
  }

  GammaNbPrior prior_;
  Rng rng_{0};
  TopicTables tables_;
};

std::span<const ParamSpec> gamma_nb_params();
std::unique_ptr<TopicMethod> make_gamma_nb(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                           const TopicRun& run);

}  // namespace quasar
