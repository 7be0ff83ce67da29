// The weights of vngp as they were published: g_k = G0 V_k exp(-T_k) with T_k ~ Gamma(k - 1, rate alpha) independent of
// each other. Only the law of each T_k is that of -sum_{j<k} log(1 - V_j), so that the weights are no gamma process:
// sum_k V_k exp(-T_k) is 1 on average only. For comparison; stick_weights.hpp has the sticks.
#pragma once

#include "models/topics/variational/ascent.hpp"
#include "models/topics/variational/stick_weights.hpp"

namespace quasar {

// count E log V + (alpha - 1) E log(1 - V) - weight E V + entropy
struct StickTerms {
  double count = 0, alpha = 1, weight = 0;

  double value(const BetaLaw& V) const;
  Slopes slopes(const BetaLaw& V) const;
};

class IndependentWeights final : public WeightLaw {
 public:
  IndependentWeights(Index topics, const StickPrior& prior);

  void start(double mean) override;
  Vec mean_logs() const override;
  double total() const override;
  double bound() const override;
  Index lines() const override { return 5; }
  Index moving_lines() const override { return 3; }
  void line(Index i, const WeightEvidence& evidence) override;
  std::vector<NamedNumber> scalars() const override { return whole.scalars(); }
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  TotalWeight whole;
  std::vector<BetaLaw> V;
  std::vector<GammaLaw> T;  // of all topics but the first, whose T is 0

 private:
  double mean_decay(std::size_t k) const;   // E exp(-T_k)
  double sum_of_shares() const;             // sum_k E V_k exp(-T_k)
  double decay_power(std::size_t k) const;  // k - 2 of topic k, from 1: the power of T_k in its law
  static void fields(auto& self, auto&& visit) {
    visit("whole", self.whole);
    for (auto& law : self.V) visit("V", law);
    for (auto& law : self.T) visit("T", law);
  }

  StickPrior prior_;
};

}  // namespace quasar
