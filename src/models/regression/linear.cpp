#include "models/regression/linear.hpp"

#include <cmath>
#include <numbers>

#include "models/regression/regression.hpp"
#include "models/regression/regression_predictor.hpp"

namespace quasar {

namespace {

// log N(y | z, sigma^2) = -r^2 / (2 sigma^2) - log sigma with r = y - z; the sums over rows are kept for the derivative
// with respect to log sigma, r^2 / sigma^2 - 1.
struct NormalLink {
  double weight, log_sigma;
  double precision = std::exp(-2 * log_sigma);
  double squares = 0, rows = 0;

  NormalLink(double w, Want, double s) : weight(w), log_sigma(s) {}

  void operator()(In z, In y, Out slope) {
    slope = y - z;
    squares += slope.squaredNorm();
    rows += static_cast<double>(y.size());
    slope *= weight * precision;
  }
  double logp() const { return -weight * (0.5 * precision * squares + rows * log_sigma); }
  double scale_slope() const { return weight * (precision * squares - rows); }
};

struct Normal {
  using Link = NormalLink;
  static constexpr Response response = Response::number;
  static Index outputs(const Design&) { return 1; }
  static ScaleParameter scale(double prior_sd) { return {"sigma", prior_sd}; }

  explicit Normal(double log_sigma) : sigma(std::exp(log_sigma)) {}
  void predict(In z, Out out) const { out << z[0], sigma; }
  double log_density(double y, In z) const {
    const double t = (y - z[0]) / sigma;
    return -0.5 * (t * t + std::log(2 * std::numbers::pi)) - std::log(sigma);
  }
  double draw(In z, Stream& stream) const { return z[0] + sigma * stream.normal(); }

  double sigma;
};

}  // namespace

std::unique_ptr<Target> make_linear(const Config& config, const Table* data) {
  return make_regression<Normal>("linear", config, data);
}

std::unique_ptr<Predictor> predict_linear(const Config& config, const ConstantData& kept, const Table& rows) {
  return std::make_unique<RegressionPredictor<Normal>>(prior_settings(config), kept, rows);
}

}  // namespace quasar
