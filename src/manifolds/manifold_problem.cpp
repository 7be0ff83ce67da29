#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/manifold_problem.hpp>

#include "manifolds/sizes.hpp"

namespace quasar {
namespace {

class ProblemOfCost final : public ManifoldProblem {
 public:
  ProblemOfCost(ManifoldPtr manifold, AmbientCost cost)
      : manifold_(std::move(manifold)),
        cost_(std::move(cost)),
        partials_(manifold_->shape().rows, manifold_->shape().cols),
        second_(partials_) {}

  const Manifold& manifold() const override { return *manifold_; }
  double value(MatIn x) override { return cost_.value(x); }
  double gradient(MatIn x, MatOut gradient) override {
    cost_.partials(x, partials_);
    const double value = cost_.value(x);
    manifold_->gradient(x, partials_, gradient);
    return value;
  }
  void hessian(MatIn x, MatIn u, MatOut out) override {
    if (!cost_.second) return ManifoldProblem::hessian(x, u, out);
    cost_.partials(x, partials_);
    cost_.second(x, u, second_);
    manifold_->hessian(x, partials_, second_, u, out);
  }

 private:
  ManifoldPtr manifold_;
  AmbientCost cost_;
  Mat partials_, second_;
};

}  // namespace

// (T gradient(R(h u)) - gradient(x)) / h, |u| = 1: an error of order h from the curvature, and one of order
// epsilon |x| / h since x + h u is rounded (Boumal, IFAC 2015); |x| in units of u, entry by entry. The transport has to
// agree with the parallel one to first order, which a cheap isometric one need not: those by Cholesky factors or by
// translations of a group twist vectors as they move. Where the cost ends on this side, as it may for matrices that are
// nearly singular, the difference is that to the other side.
void ManifoldProblem::hessian(MatIn x, MatIn u, MatOut out) {
  const Manifold& m = manifold();
  const double length = m.norm(x, u);
  if (length < shortest_vector) {
    out.setZero();
    return;
  }
  Mat here(x.rows(), x.cols());
  gradient(x, here);
  const auto difference = [&](double step) {
    const Mat there = m.retract(x, step * u);
    gradient(there, out);
    m.has().parallel ? m.parallel_transport(there, x, out, out) : m.transport(there, x, out, out);
    out = (out - here) / step;
  };
  const double size = std::max(1.0, length * x.norm() / u.norm());
  const double h = std::sqrt(std::numeric_limits<double>::epsilon() * size) / length;
  try {
    difference(h);
  } catch (const DataError&) {
    difference(-h);
  }
  m.project(x, out, out);  // off the tangent space there is only the rounding of both gradients, 1 / h times as large
}

std::unique_ptr<ManifoldProblem> make_problem(ManifoldPtr manifold, AmbientCost cost) {
  return std::make_unique<ProblemOfCost>(std::move(manifold), std::move(cost));
}

}  // namespace quasar
