#include "models/sequences/forward_backward.hpp"

#include <cmath>
#include <limits>

namespace quasar {
namespace {

// A state that is less probable than this, given the points before, is taken for log_zero: the ratios of the backward
// pass are then at most its inverse.
constexpr double least_probable = 1e-140;
constexpr double log_zero = -std::numeric_limits<double>::infinity();

}  // namespace

Filtered forward(const Sequences& data, const HmmModel& model, Mat log_densities) {
  Filtered all{Mat(log_densities.rows(), data.size()), std::move(log_densities), 0};
  Vec before(model.initial.size());
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)];
    before = model.initial;
    for (Index t = begin; t < data.end(s); ++t) {
      if (t > begin) before.noalias() = model.transition.transpose() * all.states.col(t - 1);
      auto density = all.densities.col(t).array();
      auto joint = all.states.col(t).array();
      density = (before.array() > least_probable).select(density, log_zero);
      const double densest = density.maxCoeff();  // of those that can be reached: their sum does not vanish
      if (!std::isfinite(densest)) return {std::move(all.states), std::move(all.densities), log_zero};
      density = (density - densest).exp();
      joint = density * before.array();
      const double scale = joint.sum();
      joint /= scale;
      density /= scale;
      all.log_likelihood += densest + std::log(scale);
    }
  }
  return all;
}

Expected backward(const Sequences& data, const HmmModel& model, const Filtered& filtered) {
  const Index count = model.initial.size();
  Expected all{Vec::Zero(count), Mat::Zero(count, count), filtered.states};
  Vec behind(count), ahead(count);
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], end = data.end(s);
    behind.setOnes();
    for (Index t = end - 2; t >= begin; --t) {
      ahead = filtered.densities.col(t + 1).cwiseProduct(behind);
      all.transition.noalias() += filtered.states.col(t) * ahead.transpose();
      behind.noalias() = model.transition * ahead;
      all.states.col(t).array() *= behind.array();
    }
    if (begin < end) all.initial += all.states.col(begin);
  }
  all.transition.array() *= model.transition.array();
  return all;
}

}  // namespace quasar
