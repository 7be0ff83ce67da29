#include <algorithm>
#include <array>

#include <quasar/rng.hpp>

#include "core/fnv1a.hpp"
#include "core/philox.hpp"

namespace quasar {
namespace {

// A tree of pseudo-random functions: the key of a child is Philox under the key of its parent at (role, k).
std::uint64_t child_key(std::uint64_t parent, std::string_view role, std::uint64_t k) {
  const auto low = static_cast<std::uint32_t>(k), high = static_cast<std::uint32_t>(k >> 32);
  return philox_block({parent, fnv1a(role), low, tagged(Domain::keys, high)}).low;
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t chain) : key_(child_key(seed, "chain", chain)) {}

Rng Rng::child(std::string_view role, std::uint64_t k) const { return {child_key(key_, role, k), iteration_, 0}; }

Rng Rng::at(std::uint64_t iteration) const { return {key_, iteration, 0}; }

Stream Rng::stream(std::string_view role) const { return {child_key(key_, role, 0), iteration_}; }

ElementDraws Stream::next_element() {
  const ElementDraws draws(key_, iteration_, element_);
  ++element_;
  return draws;
}

double Stream::uniform() { return next_element().uniform(); }

void Stream::uniforms(Out out) {
  const auto count = static_cast<std::size_t>(out.size());
  for_each_first_word(key_, iteration_, element_, count,
                      [to = out.data()](std::size_t i, std::uint64_t word) { to[i] = open_uniform(word); });
  element_ += count;
}

double Stream::normal() {
  double z;
  draw_normals(&z, 1);
  return z;
}

void Stream::normals(Out out) { draw_normals(out.data(), static_cast<std::size_t>(out.size())); }

// Block b of the normals' domain holds elements 2 b and 2 b + 1.
void Stream::draw_normals(double* to, std::size_t count) {
  constexpr std::size_t chunk = simd::padded(256);
  std::array<std::uint64_t, chunk> radius, angle;
  std::array<double, 2 * chunk> part;
  first_element_word(element_ / 2, (element_ % 2 + count + 1) / 2);  // throws before anything is written
  while (count > 0) {
    const std::size_t skip = element_ % 2;  // an odd start lies inside a block
    const std::size_t n = std::min(count, 2 * chunk - skip);
    const std::size_t blocks = (skip + n + 1) / 2;
    const simd::PhiloxCounter first{key_, iteration_, static_cast<std::uint32_t>(element_ / 2),
                                    tagged(Domain::normals, 0)};
    simd::philox_blocks(first, blocks, radius.data(), angle.data());
    const bool whole = n == 2 * chunk;
    simd::box_muller(radius.data(), angle.data(), blocks, whole ? to : part.data());
    if (!whole) std::copy_n(part.data() + skip, n, to);
    to += n;
    count -= n;
    element_ += n;
  }
}

}  // namespace quasar
