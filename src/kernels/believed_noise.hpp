// V, the variance of the gradient estimate as a sampler believes it to be: given (0: not known), or learned as it runs.
#pragma once

#include <quasar/core.hpp>

#include "estimators/gradient_estimator.hpp"

namespace quasar {

struct BelievedNoise {
  bool learned = false;
  Mat given = Mat::Zero(1, 1);  // one number for all coordinates, or D x 1

  bool none() const { return !learned && given.isZero(0); }

  // `heat` times V into a vector of D numbers.
  void variance(const GradientEstimator::State& estimate, Block block, double heat, Out out) const {
    if (learned) {
      out = heat * estimate.noise.diagonal().segment(block.begin, block.size);
    } else if (given.size() == 1) {
      out.setConstant(heat * given(0, 0));
    } else {
      out = heat * given.col(0);
    }
  }
};

}  // namespace quasar
