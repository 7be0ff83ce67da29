// The generalised Gamma law of Stacy (Annals of Mathematical Statistics 33, 1962), with powers of either sign:
// (x / scale)^power ~ Gamma(shape), so that for x > 0
//
//   p(x) = |power| / Gamma(shape) scale^(-power shape) x^(power shape - 1) exp(-(x / scale)^power).
#pragma once

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>

#include <quasar/rng.hpp>

#include "simd/generalized_gamma.hpp"

namespace quasar {

struct GeneralizedGamma {
  double shape = 2, scale = 1, power = 1;

  double log_constant() const {
    return std::log(std::abs(power)) - boost::math::lgamma(shape) - power * shape * std::log(scale);
  }
  double draw(Stream& stream) const { return scale * std::pow(stream.gamma(shape), 1 / power); }
  double typical() const { return scale * std::pow(shape, 1 / power); }  // where x^power has its mean
  simd::StacyLaw law() const { return {shape, std::log(scale), power}; }
};

}  // namespace quasar
