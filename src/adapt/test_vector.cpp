#include "adapt/test_vector.hpp"

#include <cmath>

namespace quasar {

TestVector::TestVector(Index dim, bool diagonal)
    : diagonal_(diagonal || dim == 1),
      sums_(Mat::Zero(dim, columns)),
      products_(Mat::Zero(dim, diagonal_ ? 1 : dim)),
      velocity_(dim),
      shift_(dim) {}

void TestVector::reset() {
  count_ = 0;
  sums_.setZero();
  products_.setZero();
  kinetic_.setZero();
}

void TestVector::add(const MomentumSample& sample, const Mat& inverse_mass) {
  ++count_;
  multiply(inverse_mass, sample.p, velocity_);
  sums_.col(momenta) += sample.p;
  sums_.col(velocities) += velocity_;
  sums_.col(squared_velocities) += velocity_.cwiseAbs2();
  if (sample.thermostat) {
    const double kinetic = sample.p.dot(velocity_);
    kinetic_ += Eigen::Vector2d(kinetic, kinetic * kinetic);
    if (diagonal_) {
      products_.col(0) += sample.p.cwiseAbs2();
    } else {
      products_.noalias() += sample.p * sample.p.transpose();
    }
    thermostat_ = true;
  }
  if (sample.friction != 0) {
    velocity_ = *sample.gradient - sample.friction * velocity_;
    sums_.col(frictions) += sample.friction * sample.p;
    sums_.col(forces) += velocity_;
    sums_.col(squared_forces) += velocity_.cwiseAbs2();
  }
}

bool TestVector::covers(const Mat& change, double z) const {
  if (count_ < 2) return false;
  const auto n = static_cast<double>(count_);
  const auto half_width = [&](double sum, double squares) {  // of the sum over all n
    return z * std::sqrt(std::max(0.0, squares - sum * sum / n) * n / (n - 1));
  };
  if (thermostat_ && std::abs(change.cwiseProduct(products_).sum()) > half_width(kinetic_[0], kinetic_[1]))
    return false;
  const auto inside = [&](Column moved, Column sum, Column squares) {
    multiply(change, sums_.col(moved), shift_);
    for (Index i = 0; i < shift_.size(); ++i) {
      if (std::abs(shift_[i]) > half_width(sums_(i, sum), sums_(i, squares))) return false;
    }
    return true;
  };
  return inside(momenta, velocities, squared_velocities) && inside(frictions, forces, squared_forces);
}

}  // namespace quasar
