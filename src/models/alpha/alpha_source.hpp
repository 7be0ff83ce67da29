// What alpha-stable factorizations are made of: sources, and the intensities of a complex matrix.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

#include "models/alpha/generalized_gamma.hpp"

namespace quasar {

// x_ij, symmetric alpha-stable and isotropic in the complex plane: E exp(i Re(conj(w) x)) = exp(-L_ij |w|^alpha), with
// L = W H. alpha = 2: real and imaginary part each N(0, 2 L).
struct AlphaSource {
  std::string name = {};  // its matrices are W_name and H_name; empty: W and H
  double alpha = 1.2;     // from least_alpha to 2
  Index rank = 10;
  GeneralizedGamma w = {}, h = {};  // priors of the entries of W and of H
  Mat dictionary = {};              // rows x rank: W is this. Empty: W is drawn

  double power() const { return 2 / alpha; }  // of L in the variance
  bool gaussian() const { return alpha == 2; }
  bool fixed() const { return dictionary.size() > 0; }
};

inline constexpr double least_alpha = 0.1;         // below, Phi is not a number of double precision now and then
inline constexpr double least_prior_power = 0.1;   // in size; below, draws of the prior are not, now and then
inline constexpr double least_dispersion = 1e-12;  // L is not taken to be smaller

struct Intensities {
  Mat squares;  // |x_ij|^2; NaN: not observed
  std::string source = "memory";
};

// UsageError: what has no meaning, said by what it is called. DataError: the matrix.
void check_sources(const std::vector<AlphaSource>& sources, Index rows);
void check_intensities(const Intensities& data);

}  // namespace quasar
