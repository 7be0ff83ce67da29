#include "integrators/metric_terms.hpp"

namespace quasar {

void MetricTerms::trace(const RiemannianPoint& z, Vec& t) {
  z.metric.inverse(weights_);
  geometry_->contract(z.x, weights_, t);
}

// v'(dG/dx_i)v = tr(vv' dG/dx_i).
void MetricTerms::kinetic(const RiemannianPoint& z, Vec& w) {
  if (z.metric.diagonal()) {
    weights_ = z.v.cwiseAbs2();
  } else {
    weights_.noalias() = z.v * z.v.transpose();
  }
  geometry_->contract(z.x, weights_, w);
}

const Mat& MetricTerms::by_momentum(const RiemannianPoint& z, Vec& w) {
  geometry_->directional(z.x, z.v, directional_);
  if (directional_.cols() == 1) {
    w = directional_.col(0).cwiseProduct(z.v);
  } else {
    w.noalias() = directional_.transpose() * z.v;
  }
  z.metric.solve_columns(directional_);
  if (directional_.cols() > 1) directional_.transposeInPlace();
  return directional_;
}

const Mat& MetricTerms::by_position(const RiemannianPoint& z) {
  geometry_->directional(z.x, z.v, directional_);
  z.metric.solve_columns(directional_);
  return directional_;
}

}  // namespace quasar
