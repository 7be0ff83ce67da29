// Sequences of observations, and what a state is said to look like.
#pragma once

#include <cmath>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// One or several sequences, one after another. A value that is NaN is missing: it costs nothing and tells nothing.
struct Sequences {
  Mat values;                       // a column for every point
  std::vector<Index> starts = {0};  // where each sequence begins, ascending

  Index size() const { return values.cols(); }
  Index dim() const { return values.rows(); }
  Index count() const { return std::ssize(starts); }
  Index end(Index sequence) const;  // behind its last point
};

// How far a point is from a state: a Bregman divergence, since then the best centre of a state is the mean of its
// points whatever the family (Banerjee, Merugu, Dhillon and Ghosh, JMLR 2005). In units of -log p, up to what does not
// depend on the centre; the normal law is in those of squares, -2 s^2 log p for its unknown variance s^2.
enum class Emission {
  normal,       // |x - m|^2
  poisson,      // sum of x log(x / m) - x + m
  categorical,  // -log m_x; points are indicators of their category
};

// Infinite where the centre rules the value out: a count above 0 where the mean is 0, a category of probability 0.
inline double divergence(Emission emission, double x, double centre) {
  if (emission == Emission::normal) return (x - centre) * (x - centre);
  if (emission == Emission::categorical) return x > 0 ? -x * std::log(centre) : 0;
  return (x > 0 ? x * std::log(x / centre) : 0) - x + centre;
}

double divergence(Emission emission, In point, In centre);  // of the values that are not missing

inline constexpr double largest_value = 1e140;  // sums of the squares of differences stay finite

// Throws a DataError that says which value cannot be: infinite or so large that squares overflow, a negative count, a
// point that is not one category; and where a sequence has no point.
void check(const Sequences& data, Emission emission);

inline constexpr int most_states = 256;  // a state is a byte where many are kept
void check_states(int states);           // throws a UsageError

}  // namespace quasar
