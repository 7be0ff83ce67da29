#include "models/regression/poisson.hpp"

#include <cmath>

#include "models/regression/counts.hpp"
#include "models/regression/gamma_functions.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/regression_predictor.hpp"

namespace quasar {

namespace {

// log p = y z - e^z - log y!, of which the last is left out; the slope is y - e^z.
struct PoissonLink {
  double weight, sum = 0;

  PoissonLink(double w, Want, double /*no scale*/) : weight(w) {}

  void operator()(In z, In y, Out slope) {
    double logp = 0;
    for (Index i = 0; i < z.size(); ++i) {
      const double mean = std::exp(z[i]);
      logp += y[i] * z[i] - mean;
      slope[i] = weight * (y[i] - mean);
    }
    sum += weight * logp;
  }
  double logp() const { return sum; }
  static double scale_slope() { return 0; }
};

struct Poisson {
  using Link = PoissonLink;
  static constexpr Response response = Response::counts;
  static Index outputs(const Design&) { return 1; }
  static ScaleParameter scale(double) { return {}; }

  explicit Poisson(double /*no scale*/) {}
  static void predict(In z, Out out) { out << std::exp(z[0]), std::exp(0.5 * z[0]); }
  static double log_density(double y, In z) { return y * z[0] - std::exp(z[0]) - log_factorial(y); }
  static double draw(In z, Stream& stream) { return draw_count(std::exp(z[0]), stream); }
};

}  // namespace

std::unique_ptr<Target> make_poisson(const Config& config, const Table* data) {
  return make_regression<Poisson>("poisson", config, data);
}

std::unique_ptr<Predictor> predict_poisson(const Config& config, const ConstantData& kept, const Table& rows) {
  return std::make_unique<RegressionPredictor<Poisson>>(prior_settings(config), kept, rows);
}

}  // namespace quasar
