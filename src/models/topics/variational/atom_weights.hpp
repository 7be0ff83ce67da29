// The weights of vgp: g_k = E_k exp(-T_k), the atoms of the first R rounds of a gamma process
// (gamma_process_prior.hpp), with
//
//   q(E_k) = Gamma(xi_k, ep_k),  q(T_k) = Gamma(u_k, v_k),  q(d_k) = f_k,  and Gamma laws of alpha, c and gamma.
//
// A. Roychowdhury and B. Kulis, Gamma processes, stick-breaking, and variational inference, AISTATS 2015. Its laws of
// the atoms' rounds have no proper normalisation; given how many atoms there are, each is in any round with the same
// probability, which is used here and makes gamma conjugate.
#pragma once

#include "models/topics/gamma_process_prior.hpp"
#include "models/topics/variational/laws.hpp"
#include "models/topics/variational/weight_law.hpp"

namespace quasar {

class AtomWeights final : public WeightLaw {
 public:
  AtomWeights(Index topics, const GammaProcessHyperpriors& prior);

  void start(double mean) override;
  Vec mean_logs() const override;
  double total() const override;
  double bound() const override;
  Index lines() const override { return 6; }
  Index moving_lines() const override { return 2; }
  void line(Index i, const WeightEvidence& evidence) override;
  std::vector<NamedNumber> scalars() const override;
  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

  std::vector<GammaLaw> E, T;
  Mat rounds;  // f_k(r): a column for each atom
  GammaLaw alpha, c, gamma;

 private:
  void learn_E(const WeightEvidence& evidence);
  void learn_T(const WeightEvidence& evidence);
  void learn_rounds();
  void learn_alpha();
  void learn_c();
  void learn_gamma();
  static void fields(auto& self, auto&& visit) {
    for (auto* laws : {&self.E, &self.T}) {
      for (auto& law : *laws) visit("law", law);
    }
    visit("rounds", self.rounds);
    visit("alpha", self.alpha);
    visit("c", self.c);
    visit("gamma", self.gamma);
  }

  GammaProcessHyperpriors prior_;
};

}  // namespace quasar
