#include "models/regression/linear.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "models/regression/columns.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

// log N(y | z, sigma^2) = -r^2 / (2 sigma^2) - log sigma with r = y - z; the sums over rows are kept for the derivative
// with respect to log sigma, r^2 / sigma^2 - 1.
struct Link {
  double weight, log_sigma;
  double precision = std::exp(-2 * log_sigma);
  double squares = 0, rows = 0;

  void operator()(In z, In y, Out slope) {
    slope = y - z;
    squares += slope.squaredNorm();
    rows += static_cast<double>(y.size());
    slope *= weight * precision;
  }

  Eval finish(double& grad_log_sigma) const {
    grad_log_sigma += weight * (precision * squares - rows);
    return checked(-weight * (0.5 * precision * squares + rows * log_sigma));
  }
};

}  // namespace

Layout Linear::layout() const {
  Layout layout = rows_.design().layout();
  layout.variables.push_back({"sigma", {}, {}});
  return layout;
}

void Linear::constrain(In x, Out values, const Rng&) {
  const Index n = coefficients();
  rows_.design().to_original(x.head(n), values.head(n));
  values[n] = rows_.design().response_scale().sd * std::exp(x[n]);
}

void Linear::unconstrain(In values, Out x) const {
  const Index n = coefficients();
  if (values[n] <= 0) throw UsageError("linear: sigma must be positive");  // NaN: not given, and so in x
  rows_.design().to_standardized(values.head(n), x.head(n));
  x[n] = std::log(values[n] / rows_.design().response_scale().sd);
}

// The half-normal density of sigma = e^s carries the Jacobian s.
Eval Linear::prior(In x, Out grad, Want) {
  const Index n = coefficients();
  const double ratio = std::exp(x[n]) / prior_sd_;
  grad[n] = 1 - ratio * ratio;
  return checked(normal_prior(x.head(n), prior_sd_, grad.head(n)) - 0.5 * ratio * ratio + x[n]);
}

Eval Linear::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  const Index n = coefficients();
  Link link{weight, x[n]};
  rows_.visit_terms(x.head(n), ids, grad.head(n), link);
  return link.finish(grad[n]);
}

Eval Linear::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  const Index n = coefficients();
  Link link{weight, x[n]};
  rows_.visit_range(x.head(n), begin, end, grad.head(n), link);
  return link.finish(grad[n]);
}

std::unique_ptr<Target> make_linear(const Config& config, const Table* data) {
  const Table& table = require_table(data, "linear");
  auto design = std::make_shared<const Design>(table, config.text("target"), config.flag("standardize"),
                                               Design::Response::standardized);
  return std::make_unique<Linear>(std::move(design), config.real("prior_sd"));
}

}  // namespace quasar
