#include "models/regression/gamma_functions.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <cmath>

namespace quasar {

namespace {

namespace policies = boost::math::policies;
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>, policies::promote_double<false>>;
double log_gamma(double x) { return boost::math::lgamma(x, Quiet()); }
double digamma(double x) { return boost::math::digamma(x, Quiet()); }

// From here on what Stirling's series leave out is below 2e-14.
constexpr double large = 16;

// log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + this
double log_gamma_correction(double x) {
  const double u = 1 / (x * x);
  return (1.0 / 12 - u * (1.0 / 360 - u * (1.0 / 1260 - u / 1680))) / x;
}

// digamma(x) = log x - 1/(2x) - this
double digamma_correction(double x) {
  const double u = 1 / (x * x);
  return u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u / 240)));
}

}  // namespace

double log_factorial(double n) { return log_gamma(n + 1); }

GammaRatio::GammaRatio(double a) : a_(a), log_a_(std::log(a)), log_gamma_(log_gamma(a)), digamma_(digamma(a)) {}

// For large a both terms of a difference are huge and nearly equal. With Stirling's series what is common to them is
// cancelled by hand: log(a + n) - log a = log(1 + n/a).
GammaRatio::Value GammaRatio::operator()(double n) const {
  const double top = a_ + n;
  if (a_ < large) return {log_gamma(top) - log_gamma_ - n * log_a_, a_ * (digamma(top) - digamma_)};
  const double log_growth = std::log1p(n / a_);
  return {(top - 0.5) * log_growth - n + log_gamma_correction(top) - log_gamma_correction(a_),
          a_ * log_growth + 0.5 * n / top + a_ * (digamma_correction(a_) - digamma_correction(top))};
}

}  // namespace quasar
