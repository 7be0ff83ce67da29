// Poisson, binomial, categorical and multinomial draws.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <quasar/rng.hpp>

#include "core/philox.hpp"
#include "core/saddle_point.hpp"
#include "core/transformed_rejection.hpp"

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

double draw_poisson(ElementDraws& draws, double mean) {
  if (mean >= inversion_limit)
    return poisson_rejection(mean).draw(draws, HUGE_VAL, [=](double k) { return log_poisson(k, mean); });
  return search_from_zero(draws.uniform(), std::exp(-mean), mean, [=](double k) { return mean / k; });
}

double draw_binomial(ElementDraws& draws, double n, double p) {  // p <= 1/2
  if (n * p >= inversion_limit)
    return binomial_rejection(n, p).draw(draws, n, [=](double k) { return log_binomial(k, n, p); });
  const double odds = p / (1 - p), none = std::exp(n * std::log1p(-p));
  return search_from_zero(draws.uniform(), none, n * p, [=](double k) { return odds * (n - k + 1) / k; });
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
  return static_cast<std::int64_t>(draw_poisson(draws, mean));
}

std::int64_t Stream::binomial(std::int64_t n, double p) {
  if (n < 0) throw std::invalid_argument("binomial: n must not be negative");
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("binomial: p must lie between 0 and 1");
  ElementDraws draws = next_element();
  const auto rarer = static_cast<std::int64_t>(draw_binomial(draws, static_cast<double>(n), std::min(p, 1 - p)));
  return p <= 0.5 ? rarer : n - rarer;
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
