// The atoms of the first R rounds of a gamma process as a prior of topics' weights r_k = E_k exp(-T_k):
//
//   K ~ Poisson(R gamma),   d_k uniform on 1..R,   T_k ~ Gamma(d_k, rate alpha),   E_k ~ Exp(rate c),
//
// which is the law of quasar/gamma_process.hpp with atoms in no order: given how many there are, each is in any round
// with the same probability. Summed over the rounds, p(T_k) = (alpha / R) Q(R, alpha T_k) with the regularised upper
// incomplete gamma function Q, so that no step needs to know them. alpha, gamma and c have Gamma priors.
//
// What is known of atom k enters by a count L_k and an exposure q that all share, in the likelihood r_k^L_k exp(-q
// r_k): points of q Poisson processes, or tables of negative binomial counts with q = -sum_j log(1 - p_j). Every
// conditional is then closed but those of T_k and alpha, of which slices are drawn (Neal 2003).
#pragma once

#include <quasar/gamma_process.hpp>
#include <quasar/rng.hpp>

#include "models/gamma_precision.hpp"

namespace quasar {

struct GammaProcessHyperpriors {
  Index rounds = 10;           // R
  GammaPrior alpha, gamma, c;  // Gamma(1, rate 1)
};

struct GammaProcessAtoms {
  double alpha = 1, gamma = 1, c = 1;
  Vec T, E;

  Index count() const { return T.size(); }
  double weight(Index k) const;  // r_k
  Vec weights() const;
  void resize(Index atoms);  // what is new is not set; before loading

  static void fields(auto& self, auto&& visit) {
    visit("alpha", self.alpha);
    visit("gamma", self.gamma);
    visit("c", self.c);
    visit("T", self.T);
    visit("E", self.E);
  }
};

// alpha, gamma and c from the prior, without atoms; with as many as the prior draws; or atoms alone, this many, given
// alpha and c.
GammaProcessAtoms draw_prior_hyperparameters(const GammaProcessHyperpriors& prior, const Rng& rng);
GammaProcessAtoms draw_prior_atoms(const GammaProcessHyperpriors& prior, const Rng& rng);
void draw_prior_atoms(Index count, Index rounds, GammaProcessAtoms& atoms, const Rng& rng);

// T and E of one atom from the prior, given alpha and c.
void draw_prior_atom(Index k, Index rounds, GammaProcessAtoms& atoms, Stream& draws);

// One Gibbs step: T_k with E_k integrated out, then E_k, for every atom; then alpha, c and gamma.
void update_atoms(In counts, double exposure, Index rounds, GammaProcessAtoms& atoms, const Rng& rng);
void update_hyperparameters(const GammaProcessHyperpriors& prior, GammaProcessAtoms& atoms, const Rng& rng);

// Q(R, y) = exp(-y) sum_{i < R} y^i/i!, the probability that a Gamma(R, 1) variable is above y.
struct UpperGamma {
  double log;     // of Q
  double hazard;  // h = -Q'/Q = y^(R - 1) exp(-y) / (Gamma(R) Q)
};
UpperGamma upper_gamma(Index rounds, double y);

// The log density of eta = log T_k where r_k has a count and an exposure and E_k is integrated out, without its
// constant: eta + log Q(R, alpha T) - count T - (count + 1) log(c + exposure exp(-T)).
double log_density_of_log_T(double eta, Index rounds, double count, double exposure, double alpha, double c);

}  // namespace quasar
