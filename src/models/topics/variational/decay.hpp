// The exponents T of weights that decay, g ~ exp(-T), with q(T) = Gamma(u, v): what a bound has of them, to be raised
// by ascended().
#pragma once

#include "models/topics/variational/ascent.hpp"

namespace quasar {

// exp(-T) of a longer exponent is no weight that documents could tell from none.
inline constexpr double longest_decay = 500;

// power E log T - rate E T + H(u, v): T ~ Gamma(power + 1, rate), of which more is known below.
struct DecayTerms {
  double power = 0, rate = 1;

  double value(const GammaLaw& T) const;
  Slopes slopes(const GammaLaw& T) const;
};

// The same - weight E exp(-T): weights in a gamma process.
struct DecayOfWeight {
  DecayTerms terms;
  double weight = 0;

  double value(const GammaLaw& T) const;
  Slopes slopes(const GammaLaw& T) const;
};

// The same + weight E log(1 - exp(-T)): probabilities in a beta process.
struct DecayOfProbability {
  DecayTerms terms;
  double weight = 0;

  double value(const GammaLaw& T) const;
  Slopes slopes(const GammaLaw& T) const;
};

struct ComplementOfDecay {  // E log(1 - exp(-T)), which is -sum_m (v / (v + m))^u / m, and its derivatives
  double value = 0;
  Slopes slopes = {};
};
ComplementOfDecay mean_log_complement(const GammaLaw& T);

}  // namespace quasar
