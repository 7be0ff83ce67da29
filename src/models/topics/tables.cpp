#include "models/topics/tables.hpp"

#include <algorithm>

namespace quasar {

void CountHistogram::add(const CountHistogram& other) {
  if (of_size_.size() < other.of_size_.size()) of_size_.resize(other.of_size_.size());
  for (std::size_t size = 0; size < other.of_size_.size(); ++size) of_size_[size] += other.of_size_[size];
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
  return tables;
}

}  // namespace quasar
