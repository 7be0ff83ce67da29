#include "models/topics/tables.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

// How many of the guests first <= i < end sit alone, first >= 1. Of the guests a .. 2a - 1 each is looked at with the
// probability r / (r + a) of the first, by jumps from one that is to the next, and sits alone with (r + a) / (r + i).
std::int64_t draw_lone_guests(double first, double end, double r, Stream& draws) {
  std::int64_t alone = 0;
  double a = first;
  while (a < end) {
    const double stop = std::min(2 * a, end), log_passed_over = -std::log1p(r / a);
    const auto jump = [&] { return std::floor(std::log(draws.uniform()) / log_passed_over); };
    double i = a + jump();
    while (i < stop) {
      if (draws.uniform() * (r + i) < r + a) ++alone;
      i += 1 + jump();
    }
    a *= 2;
  }
  return alone;
}

}  // namespace

std::int64_t draw_tables(std::int64_t count, double r, Stream draws) {
  return count == 0 ? 0 : 1 + draw_lone_guests(1, static_cast<double>(count), r, draws);
}

void CountHistogram::add(const CountHistogram& other) {
  if (of_size_.size() < other.of_size_.size()) of_size_.resize(other.of_size_.size());
  for (std::size_t size = 0; size < other.of_size_.size(); ++size) of_size_[size] += other.of_size_[size];
  large_.insert(large_.end(), other.large_.begin(), other.large_.end());
}

std::int64_t CountHistogram::draw_tables(double r, Stream draws) const {
  std::int64_t tables = 0, above = 0;
  for (std::size_t size = of_size_.size(); size-- > 1;) {
    above += of_size_[size];  // counts of at least `size`: those with an i = size - 1
    if (above == 0) continue;
    const auto i = static_cast<double>(size - 1);
    draws.seek(size);
    tables += i == 0 ? above : draws.binomial(above, r / (r + i));
  }
  std::vector<std::uint32_t> large = large_;
  std::ranges::sort(large);
  draws.seek(most_sizes + 1);
  for (const std::uint32_t count : large) tables += draw_lone_guests(most_sizes, count, r, draws);
  return tables;
}

}  // namespace quasar
