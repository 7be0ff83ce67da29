// Uniform indices, permutations and subsets.
#include <bit>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "core/philox.hpp"

namespace quasar {
namespace {

__extension__ using Product = unsigned __int128;

// Lemire (ACM TOMACS 2019): the high half of word * n is uniform on 0 .. n-1 once the low halves below 2^64 mod n,
// which make some indices too frequent, are refused.
std::optional<Index> bounded(std::uint64_t word, Index n) {
  const auto bound = static_cast<std::uint64_t>(n);
  const Product product = Product{word} * bound;
  const auto low = static_cast<std::uint64_t>(product);
  if (low < bound && low < (0 - bound) % bound) return std::nullopt;
  return static_cast<Index>(product >> 64);
}

Index draw_index(ElementDraws draws, Index n) {
  for (;;)
    if (const auto index = bounded(draws.word(), n)) return *index;
}

// An array of any length whose entries are their own places until they are changed: an open-addressing hash table of
// the places touched, at most half full.
class SparseIdentity {
 public:
  void reset(std::size_t most_touched) {
    shift_ = 64 - static_cast<int>(std::bit_width(2 * most_touched));
    slots_.assign(std::bit_ceil(2 * most_touched + 1), Slot{untouched, untouched});
  }
  Index& operator[](Index place) {
    std::size_t i = (static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15) >> shift_;  // Fibonacci hashing
    while (slots_[i].place != place && slots_[i].place != untouched) i = (i + 1) % slots_.size();
    if (slots_[i].place == untouched) slots_[i] = {place, place};
    return slots_[i].value;
  }

 private:
  static constexpr Index untouched = -1;
  struct Slot {
    Index place, value;
  };
  std::vector<Slot> slots_;
  int shift_ = 0;
};

}  // namespace

Index Stream::index(Index n) {
  if (n < 1) throw std::invalid_argument("index: n must be positive");
  return draw_index(next_element(), n);
}

// use(i, index(bound(i))) for i = 0 .. count-1
template <class Bound, class Use>
void Stream::draw_indices(Index count, Bound bound, Use use) {
  for_each_first_word(key_, iteration_, element_, static_cast<std::size_t>(count),
                      [&](std::size_t offset, std::uint64_t word) {
                        const auto i = static_cast<Index>(offset);
                        const auto index = bounded(word, bound(i));
                        use(i, index ? *index : draw_index({key_, iteration_, element_ + offset}, bound(i)));
                      });
  element_ += static_cast<std::uint64_t>(count);
}

// Fisher and Yates, growing: element i goes to a random place among the first i + 1, whose holder moves to the end.
void Stream::permutation(std::span<Index> out) {
  draw_indices(
      std::ssize(out), [](Index i) { return i + 1; },
      [out](Index i, Index place) {
        out[i] = out[place];
        out[place] = i;
      });
}

void Stream::sample_with_replacement(Index n, std::span<Index> out) {
  if (n < 1) throw std::invalid_argument("sample_with_replacement: n must be positive");
  draw_indices(
      std::ssize(out), [n](Index) { return n; }, [out](Index i, Index chosen) { out[i] = chosen; });
}

// The first k steps of a Fisher-Yates shuffle of 0 .. n-1. `out` is the front of the shuffled array; of the rest only
// the places that were touched are kept.
void Stream::sample_without_replacement(Index n, std::span<Index> out) {
  const Index k = std::ssize(out);
  if (n < k) throw std::invalid_argument("sample_without_replacement: more draws than elements");
  std::iota(out.begin(), out.end(), Index{0});
  thread_local SparseIdentity rest;  // keeps its memory: minibatches are drawn inside sampler steps
  rest.reset(out.size());
  draw_indices(
      k, [n](Index i) { return n - i; },
      [&](Index i, Index offset) {
        const Index place = i + offset;
        std::swap(out[i], place < k ? out[place] : rest[place]);
      });
}

}  // namespace quasar
