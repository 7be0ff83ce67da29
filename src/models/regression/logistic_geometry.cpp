#include "models/regression/logistic_geometry.hpp"

#include <Eigen/Cholesky>

#include <utility>

namespace quasar {

namespace {

// d/dz q(1 - q)
auto weight_slope(In q) { return q.array() * (1 - q.array()) * (1 - 2 * q.array()); }

}  // namespace

LogisticGeometry::LogisticGeometry(std::shared_ptr<const Design> design, double intercept_sd, double prior_sd)
    : blocks_(std::move(design)),
      prior_precisions_(Vec::Constant(blocks_.design().coefficients(), 1 / (prior_sd * prior_sd))),
      q_(block_rows),
      weight_(block_rows),
      weighted_(block_rows, blocks_.design().coefficients()) {
  prior_precisions_.head(blocks_.design().intercept()).setConstant(1 / (intercept_sd * intercept_sd));
}

template <class Use>
void LogisticGeometry::each_block(In x, Use&& use) {
  blocks_.each_of_range(0, blocks_.design().rows(), [&](const Rows& rows, In, std::span<const Index>) {
    auto q = q_.head(rows.rows());
    q.noalias() = rows * x;
    q = 1 / (1 + (-q.array()).exp());
    use(rows, q);
  });
}

void LogisticGeometry::add_gram(const Rows& rows, Mat& sum) {
  auto weighted = weighted_.topRows(rows.rows());
  weighted.noalias() = weight_.head(rows.rows()).asDiagonal() * rows;
  sum.noalias() += rows.transpose() * weighted;
}

bool LogisticGeometry::metric(In x, Mat& g) {
  g.setZero(x.size(), x.size());
  each_block(x, [&](const Rows& rows, In q) {
    weight_.head(q.size()) = q.array() * (1 - q.array());
    add_gram(rows, g);
  });
  g.diagonal() += prior_precisions_;
  return g.allFinite();
}

void LogisticGeometry::directional(In x, In u, Mat& out) {
  out.setZero(x.size(), x.size());
  each_block(x, [&](const Rows& rows, In q) {
    auto weight = weight_.head(q.size());
    weight.noalias() = rows * u;
    weight.array() *= weight_slope(q);
    add_gram(rows, out);
  });
}

void LogisticGeometry::contract(In x, const Mat& a, Out out) {
  out.setZero();
  each_block(x, [&](const Rows& rows, In q) {
    auto products = weighted_.topRows(q.size());
    products.noalias() = rows * a;
    auto weight = weight_.head(q.size());
    weight = weight_slope(q) * products.cwiseProduct(rows).rowwise().sum().array();
    out.noalias() += rows.transpose() * weight;
  });
}

// G is a Hessian, so dG/dx has three indices in any order, and the sum of columns is G^-1 tr(G^-1 dG/dx).
void LogisticGeometry::divergence(In x, Out out) {
  metric(x, metric_);
  const Eigen::LLT<Eigen::Ref<Mat>> factor(metric_);  // in place
  inverse_.setIdentity(x.size(), x.size());
  factor.solveInPlace(inverse_);
  contract(x, inverse_, out);
  factor.solveInPlace(out);
  out = -out;
}

}  // namespace quasar
