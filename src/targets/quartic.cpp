#include "targets/quartic.hpp"

#include <cmath>
#include <utility>

#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

QuarticProduct::QuarticProduct(std::string variable, Index dim, double a, double b)
    : variable_(std::move(variable)), dim_(dim), a_(a), b_(b) {}

Eval QuarticProduct::logp_grad(In x, Out grad) {
  const auto square = x.array().square();
  const double logp = -(square * (a_ * square + b_)).sum();
  grad = -x.array() * (4 * a_ * square + 2 * b_);
  return checked(logp);
}

void QuarticProduct::second_derivatives(In x, Mat& h) {
  h.setZero(dim_, dim_);
  h.diagonal() = 12 * a_ * x.array().square() + 2 * b_;
}

void QuarticProduct::third_derivatives(In x, const Mat& b, Out out) {
  out = 24 * a_ * x.array() * b.diagonal().array();
}

Layout QuarticProduct::layout() const {
  const auto shape = dim_ == 1 ? std::vector<Index>{} : std::vector<Index>{dim_};
  return {{{variable_, shape, {}}}, {}};
}

// Rejection from N(0, 1/w): the ratio of the densities is proportional to exp(-a (t^2 - peak)^2), peak = (w/2 - b)/2a.
// w = b + sqrt(b^2 + 4a) makes acceptance most likely (0.45 for the double well).
void QuarticProduct::draw(const Rng& rng, Out x) const {
  const double w = b_ + std::sqrt(b_ * b_ + 4 * a_);
  const double peak = (w / 2 - b_) / (2 * a_);
  for (Index i = 0; i < dim_; ++i) {
    const Rng coordinate = rng.child("quartic", static_cast<std::uint64_t>(i));
    Stream proposals = coordinate.stream("proposal"), uniforms = coordinate.stream("accept");
    double excess;
    do {
      x[i] = proposals.normal() / std::sqrt(w);
      excess = x[i] * x[i] - peak;
    } while (std::log(uniforms.uniform()) > -a_ * excess * excess);
  }
}

// The trapezoidal rule on the whole line converges geometrically for an analytic, fast decaying integrand: with this
// step and range the error is below rounding.
Moments QuarticProduct::moments() const {
  const double half_width = std::sqrt((std::fabs(b_) + std::sqrt(b_ * b_ + 4 * a_ * 40)) / (2 * a_));  // U > 40 outside
  constexpr int points = 2000;
  double mass = 0, second = 0;
  for (int k = -points; k <= points; ++k) {
    const double square = std::pow(half_width * k / points, 2);
    const double density = std::exp(-square * (a_ * square + b_));
    mass += density;
    second += density * square;
  }
  return {Vec::Zero(dim_), Vec::Constant(dim_, second / mass)};
}

// U = theta^4 - 2 theta^2, after Chen, Fox and Guestrin, "Stochastic gradient Hamiltonian Monte Carlo", ICML 2014,
// fig. 1.
std::unique_ptr<Target> make_double_well(const Config& config, const Table*) {
  return std::make_unique<QuarticProduct>("theta", config.integer("dim"), 1.0, -2.0);
}

// U = sum t^2/2 + t^4/4: convex, yet with a curvature that grows without bound.
std::unique_ptr<Target> make_quartic(const Config& config, const Table*) {
  return std::make_unique<QuarticProduct>("t", config.integer("dim"), 0.25, 0.5);
}

}  // namespace quasar
