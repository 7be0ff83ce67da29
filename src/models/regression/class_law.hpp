// A response with classes, the first of which is the reference: P(class k) = e^(z_k) / (1 + sum_j e^(z_j)), z_0 = 0.
#pragma once

#include <algorithm>
#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

class ClassLaw {
 public:
  explicit ClassLaw(double /*no scale*/) {}

  void predict(In z, Out out) const {  // the largest exponent is 0: nothing overflows
    out << 0, z;
    out = (out.array() - out.maxCoeff()).exp();
    out /= out.sum();
  }
  double log_density(double y, In z) const {
    const double top = std::max(0.0, z.maxCoeff());
    const double all = top + std::log(std::exp(-top) + (z.array() - top).exp().sum());
    return (y > 0 ? z[static_cast<Index>(y) - 1] : 0) - all;
  }
  double draw(In z, Stream& stream) const {  // the first class whose sum of probabilities is beyond u
    const double top = std::max(0.0, z.maxCoeff());
    double left = stream.uniform() * (std::exp(-top) + (z.array() - top).exp().sum()) - std::exp(-top);
    Index k = 0;
    while (left >= 0 && k < z.size()) left -= std::exp(z[k++] - top);
    return static_cast<double>(k);
  }
};

}  // namespace quasar
