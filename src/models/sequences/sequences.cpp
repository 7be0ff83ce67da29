#include "models/sequences/sequences.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

void check_value(Emission emission, double x, Index point) {
  if (std::isnan(x)) return;
  if (std::abs(x) > largest_value) {
    throw DataError(
        fmt::format("point {}: {} is too large to be squared; give the series in larger units", point + 1, x));
  }
  if (emission != Emission::normal && x < 0) {
    throw DataError(fmt::format("point {}: {} is negative, and counts are not", point + 1, x));
  }
}

bool is_one_category(In point) {
  return point.array().isNaN().all() || ((point.array() == 0 || point.array() == 1).all() && point.sum() == 1);
}

}  // namespace

Index Sequences::end(Index sequence) const {
  return sequence + 1 < count() ? starts[static_cast<std::size_t>(sequence + 1)] : size();
}

double divergence(Emission emission, In point, In centre) {
  double sum = 0;
  for (Index i = 0; i < point.size(); ++i) {
    if (!std::isnan(point[i])) sum += divergence(emission, point[i], centre[i]);
  }
  return sum;
}

void check(const Sequences& data, Emission emission) {
  if (data.size() == 0 || data.dim() == 0) throw DataError("there are no points to segment");
  const bool ascending = std::ranges::adjacent_find(data.starts, std::ranges::greater_equal()) == data.starts.end();
  if (data.starts.empty() || data.starts.front() != 0 || !ascending || data.starts.back() >= data.size()) {
    throw DataError("sequences begin at points that ascend from 0 to the last");
  }
  for (Index t = 0; t < data.size(); ++t) {
    for (const double x : data.values.col(t)) check_value(emission, x, t);
    if (emission == Emission::categorical && !is_one_category(data.values.col(t))) {
      throw DataError(fmt::format("point {} is not the indicator of one category", t + 1));
    }
  }
}

void check_states(int states) {
  if (states < 1 || states > most_states) {
    throw UsageError(fmt::format("the number of states is from 1 to {}, not {}", most_states, states));
  }
}

}  // namespace quasar
