#include "models/regression/softmax.hpp"

#include <cmath>

#include "models/regression/class_law.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/regression_predictor.hpp"

namespace quasar {

namespace {

// With top = max(0, z) and total = e^-top + sum_k e^(z_k - top), log p = z_y - top - log total, and the slope by z_k is
// 1{y = k} - e^(z_k - top)/total.
struct CategoricalLink {
  using PerRow = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, block_rows, 1>;  // never on the heap
  double weight, sum = 0;
  PerRow top, total;

  CategoricalLink(double w, Want, double /*no scale*/) : weight(w) {}

  void operator()(const Eigen::Ref<const Mat>& z, In y, Eigen::Ref<Mat> slope) {
    top.setZero(y.size());
    for (Index k = 0; k < z.cols(); ++k) top = top.max(z.col(k).array());
    total = (-top).exp();
    for (Index k = 0; k < z.cols(); ++k) {
      slope.col(k) = (z.col(k).array() - top).exp();
      total += slope.col(k).array();
    }
    for (Index k = 0; k < z.cols(); ++k) slope.col(k).array() *= -weight / total;
    double own = 0;
    for (Index i = 0; i < y.size(); ++i) {
      const Index k = static_cast<Index>(y[i]) - 1;
      if (k < 0) continue;
      own += z(i, k);
      slope(i, k) += weight;
    }
    sum += weight * (own - (top + total.log()).sum());
  }
  double logp() const { return sum; }
  static double scale_slope() { return 0; }
};

struct Categorical : ClassLaw {
  using ClassLaw::ClassLaw;
  using Link = CategoricalLink;
  static constexpr Response response = Response::classes;
  static Index outputs(const Design& design) { return std::ssize(design.classes()) - 1; }
  static ScaleParameter scale(double) { return {}; }
};

}  // namespace

std::unique_ptr<Target> make_softmax(const Config& config, const Table* data) {
  return make_regression<Categorical>("softmax", config, data);
}

std::unique_ptr<Predictor> predict_softmax(const Config& config, const ConstantData& kept, const Table& rows) {
  return std::make_unique<RegressionPredictor<Categorical>>(prior_settings(config), kept, rows);
}

}  // namespace quasar
