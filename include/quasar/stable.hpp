// quasar/stable.hpp -- draws of stable laws, whose tails fall like a power.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// S(alpha, beta) with scale 1 and location 0, 0 < alpha <= 2 and |beta| <= 1: E exp(i w X) =
//
//   exp(-|w|^alpha (1 - i beta sign(w) tan(pi alpha / 2)))       alpha != 1
//   exp(-|w| (1 + i beta (2 / pi) sign(w) log |w|))              alpha = 1
//
// the first parametrization of Samorodnitsky and Taqqu, "Stable Non-Gaussian Random Processes" (1994). alpha = 2 is
// N(0, 2), alpha = 1 and beta = 0 Cauchy's law, alpha = 1/2 and beta = 1 Levy's.
struct StableLaw {
  double alpha;
  double beta = 0;
};

// Two elements of the stream each. std::invalid_argument where the parameters are out of range. Below alpha = 0.01
// draws overflow to infinity now and then, as the law itself does in double precision.
double draw_stable(const StableLaw& law, Stream& stream);

// A > 0 with E exp(-t A) = exp(-t^a), 0 < a <= 1.
double draw_positive_stable(double a, Stream& stream);
void draw_positive_stables(double a, Stream& stream, Out out);  // the same numbers as one by one

}  // namespace quasar
