// Tables of the Chinese restaurant: l ~ CRT(x, r) = sum_{i < x} Bernoulli(r / (r + i)), which makes the negative
// binomial law of a count conjugate to its shape r (Zhou and Carin 2015).
//
// Sums of them over many counts with one r need no draw for each: #{counts above i} Bernoulli draws with probability
// r / (r + i) are one binomial draw. Guests of a large i hardly ever sit alone, and there jumps lead from one who does
// to the next: a count costs about r log2(count) draws, however large it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

std::int64_t draw_tables(std::int64_t count, double r, Stream draws);  // CRT(count, r), of one count

class CountHistogram {  // how many counts there are of each size but 0
 public:
  void add(std::uint32_t count) {
    if (count == 0) return;
    if (count > most_sizes) {
      large_.push_back(count);
      count = most_sizes;
    }
    if (count >= of_size_.size()) of_size_.resize(count + 1);
    ++of_size_[count];
  }
  void add(const CountHistogram& other);
  void clear() {  // what there was of large counts costs the next ones nothing
    of_size_.clear();
    large_.clear();
  }

  // sum_j CRT(x_j, r), whatever the order in which they were added
  std::int64_t draw_tables(double r, Stream draws) const;

 private:
  static constexpr std::uint32_t most_sizes = 4096;  // beyond it counts are few, and jumps take less time and memory
  std::vector<std::int64_t> of_size_;                // the last of most_sizes: so large, or larger
  std::vector<std::uint32_t> large_;                 // those that are larger
};

}  // namespace quasar
