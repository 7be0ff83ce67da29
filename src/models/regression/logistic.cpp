#include "models/regression/logistic.hpp"

#include <cmath>
#include <optional>

#include "models/regression/class_law.hpp"
#include "models/regression/logistic_geometry.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/regression_predictor.hpp"
#include "simd/logistic_residuals.hpp"

namespace quasar {

namespace {

// Per row, with e = exp(-|z|): y - sigmoid(z) is the slope, and y z - log(1 + e^z) = y z - max(z, 0) - log(1 + e).
// A whole block needs one logarithm: the factors 1 + e lie in [1, 2], so the product of a block cannot overflow.
struct BernoulliLink {
  double weight;
  Want want;
  double sum = 0;
  Eigen::Array<double, block_rows, 1> e = {};  // of one block

  BernoulliLink(double w, Want wanted, double /*no scale*/) : weight(w), want(wanted) {}

  void operator()(In z, In y, Out slope) {
    const Index count = z.size();
    simd::logistic_residuals(z.data(), y.data(), weight, slope.data(), e.data(), static_cast<std::size_t>(count));
    if (want == Want::gradient) return;
    const double linear = (y.array() * z.array() - z.array().max(0.0)).sum();
    sum += weight * (linear - std::log((1 + e.head(count)).prod()));
  }
  double logp() const { return sum; }
  static double scale_slope() { return 0; }
};
static_assert(block_rows < 1024, "the product of 2^1024 would overflow");

struct Bernoulli : ClassLaw {
  using ClassLaw::ClassLaw;
  using Link = BernoulliLink;
  static constexpr Response response = Response::binary;
  static Index outputs(const Design&) { return 1; }
  static ScaleParameter scale(double) { return {}; }
};

// With a metric where the prior is normal and there are no groups.
class Logistic final : public Regression<Bernoulli> {
 public:
  Logistic(const std::shared_ptr<const Design>& design, const PriorSettings& prior)
      : Regression<Bernoulli>(design, prior) {
    if (prior.shape == PriorSettings::Shape::normal && design->groups().empty()) {
      geometry_.emplace(design, prior.intercept_sd, prior.sd);
    }
  }

  std::unique_ptr<Target> fork() const override { return std::make_unique<Logistic>(*this); }
  Geometry* geometry() override { return geometry_ ? &*geometry_ : nullptr; }
  Hessian* hessian() override { return geometry_ ? &*geometry_ : nullptr; }

 private:
  std::optional<LogisticGeometry> geometry_;
};

}  // namespace

std::unique_ptr<Target> make_logistic(const Config& config, const Table* data) {
  return make_regression<Bernoulli, Logistic>("logistic", config, data);
}

std::unique_ptr<Predictor> predict_logistic(const Config& config, const ConstantData& kept, const Table& rows) {
  return std::make_unique<RegressionPredictor<Bernoulli>>(prior_settings(config), kept, rows);
}

}  // namespace quasar
