#include "models/topics/variational/ascent.hpp"

#include "models/topics/variational/special_functions.hpp"

namespace quasar {

// F = [psi1(u), -1/v; -1/v, u/v^2]
Slopes natural_direction(const GammaLaw& law, const Slopes& slopes) {
  const double u = law.shape, v = law.rate, curvature = trigamma(u), det = (u * curvature - 1) / (v * v);
  const double du = (u / (v * v) * slopes[0] + slopes[1] / v) / det;
  const double dv = (slopes[0] / v + curvature * slopes[1]) / det;
  return {du / u, dv / v};
}

// F = [psi1(a) - psi1(a + b), -psi1(a + b); -psi1(a + b), psi1(b) - psi1(a + b)]
Slopes natural_direction(const BetaLaw& law, const Slopes& slopes) {
  const double both = trigamma(law.first + law.second);
  const double a = trigamma(law.first) - both, b = trigamma(law.second) - both, det = a * b - both * both;
  return {(b * slopes[0] + both * slopes[1]) / det / law.first, (both * slopes[0] + a * slopes[1]) / det / law.second};
}

}  // namespace quasar
