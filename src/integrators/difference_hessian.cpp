#include "integrators/difference_hessian.hpp"

#include <cmath>
#include <limits>

#include "integrators/potential.hpp"

namespace quasar {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Second differences of gradients lose eps/h^2 to rounding and h^2 to curvature: h = eps^(1/4) balances them.
constexpr double step = 1.220703125e-4;  // 2^-13, so that x + h and x - h are as far apart as they look

}  // namespace

DifferenceHessian::DifferenceHessian(Target& target)
    : target_(&target),
      at_(Vec::Constant(target.dim(), nan)),
      third_(target.dim() * target.dim(), target.dim()),
      shifted_(target.dim()),
      plus_(target.dim()),
      minus_(target.dim()),
      sums_(target.dim(), target.dim()) {}

void DifferenceHessian::gradient(Out out) {
  if (inside(target_->support(), shifted_)) ++grad_evals_;
  if (!std::isfinite(potential(*target_, shifted_, out))) out.setConstant(nan);
}

void DifferenceHessian::add_differences(Index from, double weight) {
  for (Index j = from; j < shifted_.size(); ++j) {
    const double centre = shifted_[j];
    shifted_[j] = centre + step;
    gradient(plus_);
    shifted_[j] = centre - step;
    gradient(minus_);
    shifted_[j] = centre;
    sums_.col(j) += weight / (2 * step) * (plus_ - minus_);
  }
}

void DifferenceHessian::second_derivatives(In x, Mat& h) {
  at_.setConstant(nan);
  shifted_ = x;
  sums_.setZero();
  add_differences(0, 1);
  h = 0.5 * (sums_ + sums_.transpose());
}

// The three indices have no order, so columns j >= i of dH/dx_i are enough.
void DifferenceHessian::differentiate(In x) {
  at_ = x;
  const Index dim = x.size();
  for (Index i = 0; i < dim; ++i) {
    sums_.setZero();
    for (const double sign : {1.0, -1.0}) {
      shifted_ = x;
      shifted_[i] += sign * step;
      add_differences(i, sign / (2 * step));
    }
    for (Index j = i; j < dim; ++j) {
      third_.col(i).segment(j * dim, dim) = sums_.col(j);
      third_.col(j).segment(i * dim, dim) = sums_.col(j);
    }
  }
}

void DifferenceHessian::third_derivatives(In x, const Mat& b, Out out) {
  if (at_ != x) differentiate(x);
  out.noalias() = third_.transpose() * Eigen::Map<const Vec>(b.data(), b.size());
}

}  // namespace quasar
