// Poisson, binomial, categorical and multinomial draws.
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "core/philox.hpp"
#include <quasar/rng.hpp>

namespace quasar {
namespace {

constexpr double inversion_limit = 10;  // below this mean, searching from 0 is the fastest way

// The first k whose cumulative probability reaches u. ratio(k) = P(k) / P(k - 1). Rounding may keep the sum below u for
// ever: stop where the terms past the mode no longer move it.
template <class Ratio>
double search_from_zero(double u, double probability_of_zero, double mode, Ratio ratio) {
  double k = 0, p = probability_of_zero, cumulative = p;
  while (cumulative < u) {
    p *= ratio(++k);
    if (k > mode && cumulative + p == cumulative) break;
    cumulative += p;
  }
  return k;
}

// Hormann's transformed rejection with squeeze (Insurance: Mathematics and Economics 1993; J. Stat. Comput. Simul.
// 1993): k = floor(G(u)), G(u) = (2 a / (1/2 - |u|) + b) u + c for u uniform on (-1/2, 1/2), is accepted with
// probability f(k) G'(u) / bound; `squeeze` is a lower limit of that for |u| <= 0.43.
struct TransformedRejection {
  double a, b, c, squeeze, log_bound;

  template <class LogProbability>
  double draw(ElementDraws& draws, double largest, LogProbability log_f) const {
    for (;;) {
      const double u = draws.uniform() - 0.5, v = draws.uniform();
      const double distance = 0.5 - std::abs(u);
      const double k = std::floor((2 * a / distance + b) * u + c);
      if (distance >= 0.07 && v <= squeeze) return k;
      if (k < 0 || k > largest) continue;
      if (std::log(v) + log_bound <= log_f(k) + std::log(a / (distance * distance) + b)) return k;
    }
  }
};

// k log(k / mean) + mean - k >= 0 without cancellation (Loader 2000). With v = (k - mean) / (k + mean),
// log(k / mean) = 2 atanh v, hence v (k - mean) + 2 k (v^3 / 3 + v^5 / 5 + ...).
double deviance(double k, double mean) {
  const double v = (k - mean) / (k + mean);
  if (std::abs(v) > 0.1) return k * std::log(k / mean) + mean - k;
  double power = v, tail = 0;
  for (int j = 3; j <= 17; j += 2) {
    power *= v * v;
    tail += power / j;
  }
  return v * (k - mean) + 2 * k * tail;
}

// log k! - (k log k - k + log(2 pi k) / 2) for k >= 1: Stirling's series, exact values for small k.
double stirling_error(double k) {
  if (k < 16) {
    double factorial = 1;
    for (int i = 2; i <= k; ++i) factorial *= i;
    return std::log(factorial) - (k * std::log(k) - k + std::log(2 * std::numbers::pi * k) / 2);
  }
  const double r = 1 / (k * k);
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / k;
}

// Saddle-point forms of the probabilities (Loader 2000): exact, and accurate for means up to 1e18.
double log_poisson(double k, double mean) {
  if (k == 0) return -mean;
  return -deviance(k, mean) - stirling_error(k) - std::log(2 * std::numbers::pi * k) / 2;
}

double log_binomial(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) + std::log(n / (2 * std::numbers::pi * k * (n - k))) / 2;
}

double large_poisson(ElementDraws& draws, double mean) {  // PTRS
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  // The printed bound and squeeze are violated by up to 0.6 % (means 10 to 1e7, on a grid): both are widened here.
  const TransformedRejection method{.a = -0.059 + 0.02483 * b,
                                    .b = b,
                                    .c = mean + 0.43,
                                    .squeeze = 0.98 * (0.9277 - 3.6224 / (b - 2)),
                                    .log_bound = std::log(1.01 * (1.1239 + 1.1328 / (b - 3.4)))};
  return method.draw(draws, HUGE_VAL, [mean](double k) { return log_poisson(k, mean); });
}

double large_binomial(ElementDraws& draws, double n, double p) {  // BTRS, p <= 1/2
  const double deviation = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const double mode = std::floor((n + 1) * p);
  const TransformedRejection method{.a = -0.0873 + 0.0248 * b + 0.01 * p,
                                    .b = b,
                                    .c = n * p + 0.5,
                                    .squeeze = 0.92 - 4.2 / b,
                                    .log_bound = std::log((2.83 + 5.1 / b) * deviation) + log_binomial(mode, n, p)};
  return method.draw(draws, n, [n, p](double k) { return log_binomial(k, n, p); });
}

double small_binomial(ElementDraws& draws, double n, double p) {
  const double odds = p / (1 - p);
  return search_from_zero(draws.uniform(), std::exp(n * std::log1p(-p)), n * p,
                          [=](double k) { return odds * (n - k + 1) / k; });
}

double checked_sum(In weights, const char* message) {
  double sum = 0;
  for (const double w : weights) {
    if (!(w >= 0)) throw std::invalid_argument(message);
    sum += w;
  }
  if (!(sum > 0 && std::isfinite(sum))) throw std::invalid_argument(message);
  return sum;
}

}  // namespace

std::int64_t Stream::poisson(double mean) {
  if (!(mean >= 0 && mean <= 1e18)) throw std::invalid_argument("poisson: the mean must lie between 0 and 1e18");
  ElementDraws draws = next_element();
  const double k = mean < inversion_limit
                       ? search_from_zero(draws.uniform(), std::exp(-mean), mean, [mean](double j) { return mean / j; })
                       : large_poisson(draws, mean);
  return static_cast<std::int64_t>(k);
}

std::int64_t Stream::binomial(std::int64_t n, double p) {
  if (n < 0) throw std::invalid_argument("binomial: n must not be negative");
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("binomial: p must lie between 0 and 1");
  ElementDraws draws = next_element();
  const double rare = std::min(p, 1 - p), trials = static_cast<double>(n);
  const double k =
      trials * rare < inversion_limit ? small_binomial(draws, trials, rare) : large_binomial(draws, trials, rare);
  const std::int64_t count = k < trials ? static_cast<std::int64_t>(k) : n;  // a huge n may have been rounded up
  return p <= 0.5 ? count : n - count;
}

Index Stream::categorical(In weights) {
  const double sum = checked_sum(weights, "categorical: weights must be nonnegative, with a finite positive sum");
  const double target = uniform() * sum;
  double cumulative = 0;
  Index last_possible = 0;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last_possible = i;
    cumulative += weights[i];
    if (target < cumulative) break;
  }
  return last_possible;
}

// Category by category: given what is left, each count is binomial.
void Stream::multinomial(std::int64_t n, In weights, std::span<std::int64_t> counts) {
  if (n < 0) throw std::invalid_argument("multinomial: n must not be negative");
  if (static_cast<std::size_t>(weights.size()) != counts.size())
    throw std::invalid_argument("multinomial: one count per weight");
  checked_sum(weights, "multinomial: weights must be nonnegative, with a finite positive sum");
  // Sums from the back: the last positive weight is exactly all that is left, so that nothing remains undealt.
  thread_local std::vector<double> rest;  // keeps its memory
  rest.resize(counts.size());
  double sum = 0;
  for (std::size_t i = counts.size(); i-- > 0;) rest[i] = sum += weights[static_cast<Index>(i)];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double weight = weights[static_cast<Index>(i)];
    counts[i] = binomial(n, weight > 0 ? weight / rest[i] : 0);
    n -= counts[i];
  }
}

}  // namespace quasar
