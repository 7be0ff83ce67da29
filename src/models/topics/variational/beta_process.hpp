// The probabilities of vbp: pi_k = V_k exp(-T_k), the atoms of the first R rounds of a beta process of concentration
// alpha and mass gamma,
//
//   d_k uniform on 1..R,   V_k ~ Beta(1, alpha),   T_k = 0 if d_k = 1, else T_k ~ Gamma(d_k - 1, rate alpha),
//
// with q(V_k) a Beta law, q(d_k) = f_k, q(T_k | d_k > 1) = Gamma(u_k, v_k), and Gamma laws of alpha and gamma.
//
// J. Paisley, D. Blei and M. Jordan, Stick-breaking beta processes and the Poisson process, AISTATS 2012.
#pragma once

#include "models/topics/variational/inclusion_law.hpp"
#include "models/topics/variational/laws.hpp"

namespace quasar {

struct BetaProcessPrior {
  Index rounds = 10;
  GammaPrior alpha, gamma;
};

class BetaProcess final : public InclusionLaw {
 public:
  BetaProcess(Index topics, const BetaProcessPrior& prior);

  void start() override;
  Vec mean_logs() const override;
  Vec mean_log_complements() const override;
  Vec means() const override;
  double bound() const override;
  Index lines() const override { return 6; }
  void line(Index i, In included, double documents) override;
  std::vector<NamedNumber> scalars() const override;
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override;

  std::vector<BetaLaw> V;
  std::vector<GammaLaw> T;  // in later rounds than the first
  Vec y;                    // the share of V (1 - exp(-T)) in 1 - V exp(-T) = (1 - V) + V (1 - exp(-T))
  Mat rounds;               // f_k: a column for each atom
  GammaLaw alpha, gamma;

 private:
  double later(Index k) const { return 1 - rounds(0, k); }  // the probability of a later round than the first
  double mean_T(Index k) const;                             // 0 in the first round
  double complement_of_later(Index k) const;                // the bound of E log(1 - V exp(-T)) in a later round
  void find_complements_of_T();
  void learn_y();
  void learn_V(In included, double documents);
  void learn_T(In included, double documents);
  void learn_rounds(In included, double documents);
  void learn_alpha();
  static void fields(auto& self, auto&& visit) {
    for (auto& law : self.V) visit("V", law);
    for (auto& law : self.T) visit("T", law);
    visit("y", self.y);
    visit("rounds", self.rounds);
    visit("alpha", self.alpha);
    visit("gamma", self.gamma);
  }

  BetaProcessPrior prior_;
  Vec log_complements_of_T_;  // E log(1 - exp(-T_k)), which takes long
};

}  // namespace quasar
