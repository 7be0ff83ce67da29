#include "models/regression/coefficient_prior.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>

#include "models/regression/scale_prior.hpp"

namespace quasar {

namespace {

using Shape = PriorSettings::Shape;

Shape shape_of(const std::string& name) {
  if (name == "student_t") return Shape::student_t;
  if (name == "laplace") return Shape::laplace;
  return name == "horseshoe" ? Shape::horseshoe : Shape::normal;
}

// A parameter that changes nothing is a mistake.
void require_prior(const std::string& prior, std::string_view needed, std::string_view parameter, bool changed) {
  if (!changed || prior == needed) return;
  throw UsageError(fmt::format("model.{} belongs to model.prior={}, and the prior is {}", parameter, needed, prior));
}

// Independent N(0, variance): writes the gradient, returns the log density without its constant.
double normal_prior(In b, In variances, Out grad) {
  grad = -b.cwiseQuotient(variances);
  return 0.5 * b.dot(grad);
}

}  // namespace

PriorSettings prior_settings(const Config& config) {
  const std::string& prior = config.text("prior");
  require_prior(prior, "student_t", "prior_df", config.real("prior_df") != PriorSettings().df);
  require_prior(prior, "horseshoe", "prior_global_scale",
                config.real("prior_global_scale") != PriorSettings().global_scale);
  return {shape_of(prior),
          config.real("prior_sd"),
          config.real("prior_df"),
          config.real("prior_global_scale"),
          config.real("scale_prior_sd"),
          config.real("intercept_prior_sd")};
}

CoefficientPrior::CoefficientPrior(const CoefficientCounts& counts, const PriorSettings& settings)
    : counts_(counts), settings_(settings), variances_(Vec::Constant(counts.all(), settings.sd * settings.sd)) {
  for (Index k = 0; k < counts_.outputs; ++k) {
    variances_.segment(k * counts_.of_output(), counts_.intercepts)
        .setConstant(settings.intercept_sd * settings.intercept_sd);
  }
}

// With s = global local_j: h = 1/sqrt(1/s^2 + 1/sd^2) and d log h / d log s = 1/(1 + s^2/sd^2).
template <class Use>
void CoefficientPrior::each_shrunk(In log_scales, Use&& use) const {
  for (Index k = 0, j = 1; k < counts_.outputs; ++k) {
    for (Index column = 0; column < counts_.columns; ++column, ++j) {
      const double ratio = std::exp(2 * (log_scales[0] + log_scales[j] - std::log(settings_.sd)));
      use(place(k, column), j, settings_.sd / std::sqrt(1 + 1 / ratio), 1 / (1 + ratio));
    }
  }
}

double CoefficientPrior::column_density(double b, double& slope) const {
  const double sd = settings_.sd;
  switch (settings_.shape) {
    case Shape::student_t: {
      const double spread = settings_.df * sd * sd;
      slope = -(settings_.df + 1) * b / (spread + b * b);
      return -0.5 * (settings_.df + 1) * std::log1p(b * b / spread);
    }
    case Shape::laplace:
      slope = std::copysign(std::numbers::sqrt2 / sd, -b);
      return -std::numbers::sqrt2 / sd * std::fabs(b);
    case Shape::horseshoe:  // of z_j
      slope = -b;
      return -0.5 * b * b;
    case Shape::normal:
      break;
  }
  slope = -b / (sd * sd);
  return 0.5 * b * slope;
}

double CoefficientPrior::density(In x, Out grad) const {
  const Index all = counts_.all();
  if (settings_.shape == Shape::normal) return normal_prior(x, variances_, grad);
  double logp = 0;
  for (Index k = 0; k < counts_.outputs; ++k) {
    const Index begin = k * counts_.of_output(), count = counts_.intercepts;
    logp += normal_prior(x.segment(begin, count), variances_.segment(begin, count), grad.segment(begin, count));
    for (Index i = place(k, 0); i < place(k, counts_.columns); ++i) logp += column_density(x[i], grad[i]);
  }
  if (direct()) return logp;
  add_half_cauchy(x[all], settings_.global_scale, logp, grad[all]);
  for (Index i = all + 1; i < x.size(); ++i) add_half_cauchy(x[i], 1, logp, grad[i]);
  return logp;
}

void CoefficientPrior::coefficients(In x, Out b) const {
  b = x.head(counts_.all());
  if (direct()) return;
  each_shrunk(x.tail(scales()), [&](Index at, Index, double width, double) { b[at] *= width; });
}

void CoefficientPrior::pull_back(In x, In grad_b, Out grad) const {
  const Index all = counts_.all();
  if (direct()) {
    grad += grad_b;
    return;
  }
  for (Index k = 0; k < counts_.outputs; ++k) {
    const Index begin = k * counts_.of_output();
    grad.segment(begin, counts_.intercepts) += grad_b.segment(begin, counts_.intercepts);
  }
  each_shrunk(x.tail(scales()), [&](Index at, Index j, double width, double slope) {
    grad[at] += width * grad_b[at];
    const double by_scale = grad_b[at] * x[at] * width * slope;  // by log global and by log local_j alike
    grad[all] += by_scale;
    grad[all + j] += by_scale;
  });
}

void CoefficientPrior::coordinates(In b, In scales, Out x) const {
  x.head(counts_.all()) = b;
  if (direct()) return;
  if ((scales.array() <= 0).any()) throw UsageError("the scales of a horseshoe must be positive");  // NaN: not given
  x.tail(scales.size()) = scales.array().log();
  each_shrunk(x.tail(scales.size()), [&](Index at, Index, double width, double) { x[at] /= width; });
}

}  // namespace quasar
