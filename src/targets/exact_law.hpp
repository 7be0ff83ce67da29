// Exact laws: targets that can be sampled without a Markov chain, in the sampler's own coordinates. They are the
// starting points of invariance tests and the truth that a sampler's draws are compared with.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

struct Moments {  // of each coordinate of x; NaN where not known in closed form
  Vec mean, variance;
};

struct ExactLaw {
  virtual ~ExactLaw() = default;
  virtual void draw(const Rng& rng, Out x) const = 0;  // a pure function of the name and iteration of rng
  virtual Moments moments() const = 0;
};

}  // namespace quasar
