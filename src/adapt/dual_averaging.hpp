// Step size by dual averaging (Nesterov 2009; Hoffman and Gelman 2014, section 3.2), with Stan's constants:
// log e_t = mu - sqrt(t)/gamma * Hbar_t,  Hbar_t = mean of (target - acceptance) with weight 1/(t + t0),
// and the value kept is the average of log e_t with weights t^-kappa.
#pragma once

#include <algorithm>
#include <cmath>

namespace quasar {

struct DualAveraging {
  static constexpr double gamma = 0.05, t0 = 10, kappa = 0.75;
  double target = 0.8;
  double mu = 0, error = 0, log_average = 0, count = 0;

  void restart(double step_size) {
    mu = std::log(10 * step_size);
    error = log_average = count = 0;
  }

  double update(double accept_prob) {  // the step size to try next
    const double accept = std::isfinite(accept_prob) ? std::min(accept_prob, 1.0) : 0.0;
    ++count;
    const double eta = 1 / (count + t0);
    error = (1 - eta) * error + eta * (target - accept);
    const double log_step = mu - std::sqrt(count) / gamma * error;
    const double weight = std::pow(count, -kappa);
    log_average = weight * log_step + (1 - weight) * log_average;
    return std::exp(log_step);
  }

  double average() const { return std::exp(log_average); }

  static void fields(auto& self, auto&& visit) {
    visit("target", self.target);
    visit("mu", self.mu);
    visit("error", self.error);
    visit("log_average", self.log_average);
    visit("count", self.count);
  }
};

}  // namespace quasar
