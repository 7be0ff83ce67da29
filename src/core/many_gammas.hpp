// Gamma draws by the block: several times as fast as one by one, for models that need millions of them.
#pragma once

#include <array>

#include <quasar/rng.hpp>

#include "simd/padding.hpp"

namespace quasar {

class ManyGammas {  // its room is a thread's
 public:
  // out[i] ~ Gamma(shapes[i], 1): a function of the name and i, not the number that Stream::gamma gives. Shapes are at
  // least 1e-300 and finite; a draw of a small shape may be 0.
  void draw(const Rng& name, In shapes, Out out);

 private:
  static constexpr Index chunk = simd::padded(256);
  using Room = std::array<double, chunk>;
  Room shape_{}, normal_{}, accept_{}, boost_{}, out_{};
};

}  // namespace quasar
