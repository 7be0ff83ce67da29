// The weights of vngp, the naive construction of a gamma process: a total G0 ~ Gamma(alpha, rate c) broken into sticks,
//
//   g_k = G0 V_k prod_{j<k} (1 - V_j),   V_k ~ Beta(1, alpha),   V_K = 1,
//
// since the shares of a gamma process's atoms are those of a Dirichlet process and independent of their sum. q(G0) is a
// Gamma law, q(V_k) Beta laws, q(c) a Gamma law; alpha is a point estimate, for -log Gamma(alpha) has no conjugate law.
#pragma once

#include "models/topics/variational/laws.hpp"
#include "models/topics/variational/weight_law.hpp"

namespace quasar {

struct StickPrior {
  GammaPrior alpha, c;
};

// G0, c and alpha, whatever becomes of G0.
struct TotalWeight {
  GammaLaw total, c;
  double alpha = 1;

  void start(double mean, const StickPrior& prior);
  void learn_c(const StickPrior& prior);
  // alpha: the bound has count log alpha + slope alpha beside what it has of G0 and of alpha's prior
  void learn_alpha(double count, double slope, const StickPrior& prior);
  double bound(const StickPrior& prior) const;
  std::vector<NamedNumber> scalars() const;

  static void fields(auto& self, auto&& visit) {
    visit("total", self.total);
    visit("c", self.c);
    visit("alpha", self.alpha);
  }
};

class StickWeights final : public WeightLaw {
 public:
  StickWeights(Index topics, const StickPrior& prior);

  void start(double mean) override;
  Vec mean_logs() const override;
  double total() const override { return whole.total.mean(); }
  double bound() const override;
  Index lines() const override { return 4; }
  Index moving_lines() const override { return 2; }
  void line(Index i, const WeightEvidence& evidence) override;
  std::vector<NamedNumber> scalars() const override { return whole.scalars(); }
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  TotalWeight whole;
  std::vector<BetaLaw> V;  // of all topics but the last

 private:
  void learn_V(const WeightEvidence& evidence);
  double sum_of_log_rests() const;  // sum_k E log(1 - V_k)
  static void fields(auto& self, auto&& visit) {
    visit("whole", self.whole);
    for (auto& law : self.V) visit("V", law);
  }

  StickPrior prior_;
};

}  // namespace quasar
