// What a generalised linear model asks of the law of its response.
#pragma once

#include <concepts>
#include <string_view>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "models/regression/design.hpp"

namespace quasar {

// Some laws have one more parameter, e^s ~ half-normal(0, prior_sd).
struct ScaleParameter {
  std::string_view name = {};  // in the layout; empty: there is none
  double prior_sd = 1;
  bool exists() const { return !name.empty(); }
};

// Family(s): the law at one value of that parameter, given the linear predictors z of a row, for prediction.
// Link(weight, want, s): the same for blocks of rows, summed up, for sampling: reads z and y, writes d logp / dz times
// the weight. The parts of log p that no parameter can change are left out of its sum.
template <class F>
concept Family = std::constructible_from<F, double> &&
    std::constructible_from<typename F::Link, double, Want, double> &&
    requires(const F& law, typename F::Link& link, const typename F::Link& done, const Design& design, double y, In z,
             Out out, Stream& stream, Eigen::Ref<Mat> block) {
  { F::response } -> std::convertible_to<Response>;
  { F::outputs(design) } -> std::same_as<Index>;    // linear predictors of a row
  { F::scale(y) } -> std::same_as<ScaleParameter>;  // by scale_prior_sd of the model
  law.predict(z, out);                              // mean and sd, or the probability of each class
  { law.log_density(y, z) } -> std::same_as<double>;
  { law.draw(z, stream) } -> std::same_as<double>;  // takes two elements of the stream at most
  link(block, out, block);
  { done.logp() } -> std::same_as<double>;         // with Want::both
  { done.scale_slope() } -> std::same_as<double>;  // by s
};

}  // namespace quasar
