// Thresholds and p-values of the statistical tests. A test states its false-positive rate; nothing is picked by hand.
//
// The family budget is the chance that any assertion of a test program fails after a change of seed although the code
// is right. It is split evenly (Bonferroni): per_assertion(family_alpha, assertions).
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <stdexcept>

namespace quasar::test {

inline constexpr double family_alpha = 1e-3;

inline double per_assertion(double alpha_family, int assertions) { return alpha_family / assertions; }

// |z| of a standard normal exceeds this with probability alpha.
inline double z_threshold(double alpha) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
}

// |t| of Student's law exceeds this with probability alpha.
inline double t_threshold(double alpha, double dof) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(dof), alpha / 2));
}

// P(|Z| > |z|)
inline double z_p_value(double z) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

// P(chi^2_dof > statistic)
inline double chi_square_p_value(double statistic, double dof) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(dof), statistic));
}

// Pearson's test of counts against their expectations. Neighbouring cells are pooled until each expects 10 or more,
// so that the asymptotic law holds; the totals must agree.
inline double goodness_of_fit_p_value(std::span<const double> observed, std::span<const double> expected) {
  if (observed.size() != expected.size()) throw std::invalid_argument("goodness of fit: one expectation per count");
  double total = 0;
  for (const double e : expected) total += e;
  double statistic = 0, o = 0, e = 0, rest = total;
  int cells = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    o += observed[i];
    e += expected[i];
    rest -= expected[i];
    const bool last = i + 1 == observed.size();
    if (!last && (e < 10 || rest < 10)) continue;
    statistic += (o - e) * (o - e) / e;
    ++cells;
    o = e = 0;
  }
  if (cells < 2) throw std::invalid_argument("goodness of fit: fewer than two cells expect 10 counts");
  return chi_square_p_value(statistic, cells - 1);
}

// P(K > x) for Kolmogorov's limit law: 2 sum_k (-1)^(k-1) exp(-2 k^2 x^2), and its theta transform where that is slow.
inline double kolmogorov_tail(double x) {
  using std::numbers::pi;
  if (x <= 0) return 1;
  double sum = 0;
  if (x < 1) {
    for (int k = 1; k <= 7; k += 2) sum += std::exp(-k * k * pi * pi / (8 * x * x));
    return 1 - std::sqrt(2 * pi) / x * sum;
  }
  for (int k = 1; k <= 5; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return sum;
}

// Stephens (1970): sqrt(n) + 0.12 + 0.11 / sqrt(n) times the distance follows Kolmogorov's law already for small n.
inline double ks_tail(double distance, double effective_n) {
  const double root = std::sqrt(effective_n);
  return kolmogorov_tail((root + 0.12 + 0.11 / root) * distance);
}

// One-sample Kolmogorov-Smirnov test of a continuous law; `sorted` ascending.
template <class Cdf>
double ks_p_value(std::span<const double> sorted, Cdf cdf) {
  const auto n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double f = cdf(sorted[i]), below = static_cast<double>(i) / n, above = static_cast<double>(i + 1) / n;
    if (!(f >= 0 && f <= 1)) return 0;  // a NaN in the sample fits nothing
    distance = std::max({distance, f - below, above - f});
  }
  return ks_tail(distance, n);
}

// Two-sample Kolmogorov-Smirnov test; both ascending. Conservative where values tie.
inline double ks_two_sample_p_value(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double distance = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (std::isnan(a[i]) || std::isnan(b[j])) return 0;  // a NaN fits nothing
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return ks_tail(distance, n * m / (n + m));
}

}  // namespace quasar::test
