// Tables of the Chinese restaurant: l ~ CRT(x, r) = sum_{i < x} Bernoulli(r / (r + i)), which makes the negative
// binomial law of a count conjugate to its shape r (Zhou and Carin 2015).
//
// Sums of them over many counts with one r need no draw for each: #{counts above i} Bernoulli draws with probability
// r / (r + i) are one binomial draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

class CountHistogram {  // how many counts there are of each size but 0
 public:
  void add(std::uint32_t count) {
    if (count == 0) return;
    if (count >= of_size_.size()) of_size_.resize(count + 1);
    ++of_size_[count];
  }
  void add(const CountHistogram& other);
  void clear() { of_size_.assign(of_size_.size(), 0); }

  // sum_j CRT(x_j, r)
  std::int64_t draw_tables(double r, Stream draws) const;

 private:
  std::vector<std::int64_t> of_size_;
};

}  // namespace quasar
