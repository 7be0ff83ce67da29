// Assertions that a sampler has a given law. Each fails a right sampler with probability 1e-6: the family budget split
// over the thousand statistical assertions that the project may hold.
#pragma once

#include <boost/math/distributions/complement.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include <quasar/core.hpp>

#include "support/statistics.hpp"

namespace quasar::test {

inline void expect_plausible(double p_value) { EXPECT_GT(p_value, per_assertion(family_alpha, 1000)); }

template <class Draw>
std::vector<double> sorted_sample(int n, Draw draw) {
  std::vector<double> sample(n);
  for (double& x : sample) x = draw();
  std::sort(sample.begin(), sample.end());
  return sample;
}

template <class Draw, class Law>
void expect_law(Draw draw, const Law& law, int n = 40000) {
  expect_plausible(test::ks_p_value(sorted_sample(n, draw), [&](double x) { return boost::math::cdf(law, x); }));
}

// Counts of the sample between consecutive edges, against the probabilities there: for laws with atoms at the ends of
// the double range, where Kolmogorov and Smirnov do not apply.
template <class Draw, class Cdf>
void expect_cells(Draw draw, const std::vector<double>& edges, Cdf cdf, int n = 40000) {
  std::vector<double> observed(edges.size() + 1), expected;
  for (int i = 0; i < n; ++i) observed[std::upper_bound(edges.begin(), edges.end(), draw()) - edges.begin()] += 1;
  double below = 0;
  for (const double edge : edges) {
    expected.push_back(n * (cdf(edge) - below));
    below = cdf(edge);
  }
  expected.push_back(n * (1 - below));
  expect_plausible(test::goodness_of_fit_p_value(observed, expected));
}

// Every value that occurs, against its probability.
template <class Draw, class Probability>
void expect_probabilities(Draw draw, std::int64_t largest, Probability probability, int n = 200000) {
  std::vector<double> observed(largest + 1), expected(largest + 1);
  for (int i = 0; i < n; ++i) {
    const std::int64_t k = draw();
    ASSERT_GE(k, 0);
    ASSERT_LE(k, largest);
    observed[k] += 1;
  }
  for (std::int64_t k = 0; k <= largest; ++k) {
    expected[k] = n * probability(k);
    EXPECT_TRUE(expected[k] > 0 || observed[k] == 0) << k;
  }
  expect_plausible(test::goodness_of_fit_p_value(observed, expected));
}

// Outcomes of a draw, all equally likely.
template <class Draw>
void expect_equally_likely(Draw draw, std::size_t outcomes, int n = 60000) {
  std::map<std::vector<Index>, double> seen;
  for (int i = 0; i < n; ++i) seen[draw()] += 1;
  ASSERT_EQ(seen.size(), outcomes);
  std::vector<double> observed;
  for (const auto& [outcome, count] : seen) observed.push_back(count);
  expect_plausible(test::goodness_of_fit_p_value(
      observed, std::vector<double>(outcomes, static_cast<double>(n) / static_cast<double>(outcomes))));
}

inline Vec vec(std::initializer_list<double> values) {
  Vec v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

}  // namespace quasar::test
