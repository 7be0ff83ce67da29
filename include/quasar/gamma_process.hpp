// quasar/gamma_process.hpp -- gamma processes as sums of atoms, round by round (Roychowdhury and Kulis, AISTATS 2015).
//
//   round i = 1, 2, ...:   Poisson(gamma) atoms of weight E exp(-T),   E ~ Exp(rate c),   T ~ Gamma(i, rate alpha)
//
// All rounds together have the rate gamma alpha p^-1 exp(-c p) dp: infinitely many atoms, most of them tiny, whose
// weights sum to a Gamma(gamma alpha, rate c) number. Over their sum they are a Dirichlet process of concentration
// gamma alpha.
#pragma once

#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct GammaProcess {
  double alpha = 1, gamma = 1, c = 1;

  double rate(double weight) const;             // of atoms at this weight, all rounds together
  double mean_mass() const;                     // of all atoms together: gamma alpha / c
  double mass_variance() const;                 // gamma alpha / c^2
  double laplace(double s) const;               // E exp(-s mass) = (1 + s / c)^(-gamma alpha)
  double mean_weight(Index round) const;        // of an atom of this round: (alpha / (1 + alpha))^round / c
  double mean_mass_beyond(Index rounds) const;  // of the atoms of all later rounds
};

// How an atom of round i gets its weight; V are Beta(1, alpha), G is Gamma(1 + alpha, rate c).
enum class AtomConstruction {
  rounds,        // E exp(-T)
  sticks,        // G V prod_{l <= i} (1 - V_l), all of them independent: the same law
  shared_stick,  // G V_i prod_{l <= i} (1 - V_l), as it was printed: not a gamma process, its mean is too small
};

struct WeightedAtoms {
  Vec weights;
  std::vector<int> round;  // of each atom, ascending from 1
};

// The atoms of the first rounds.
WeightedAtoms draw_gamma_process(const GammaProcess& process, Index rounds, Stream& draws,
                                 AtomConstruction construction = AtomConstruction::rounds);

// The probability that any of `draws` Poisson processes whose mean is the gamma process has a point at an atom of a
// round after the first `rounds`: what those who leave these atoms out may get wrong. With rho = alpha / (1 + alpha),
//
//   bound:  1 - exp(-draws gamma (alpha / c) rho^rounds)
//   exact:  1 - exp(-gamma alpha int_0^inf P(rounds, alpha t) draws e^-t / (c + draws e^-t) dt)
//
// where P is the regularised lower incomplete gamma function.
double truncation_bound(const GammaProcess& process, double draws, Index rounds);
double truncation_error(const GammaProcess& process, double draws, Index rounds);

// The fewest rounds, and at least one, of which the bound, or the error itself, is at most `error`.
Index rounds_for_bound(const GammaProcess& process, double draws, double error);
Index rounds_for_error(const GammaProcess& process, double draws, double error);

}  // namespace quasar
