// A round of the stochastic expectation-maximization that finds where samplers of alpha-mf begin: H and W go uphill
// given Phi, and Phi is drawn given them.
#pragma once

#include <quasar/rng.hpp>

#include "models/alpha/alpha_mixture.hpp"

namespace quasar {

// Phi of its prior: where it would explain loud entries at once, nothing would make H do so.
inline void draw_uphill_start(AlphaMixture& mixture, Vec& x, const Rng& rng) {
  Vec prior(mixture.dim());
  mixture.draw_start(x, rng);
  mixture.prior_draw(prior, rng.child("prior"));
  const Index phi = mixture.dim() - mixture.moving();
  x.tail(phi) = prior.tail(phi);
}

inline void uphill_round(AlphaMixture& mixture, Vec& x, const Rng& rng) {
  mixture.climb(AlphaMixture::Factor::h, x);
  mixture.climb(AlphaMixture::Factor::w, x);
  Vec drawn;
  Index which = 0;
  for (const Conditional& one : mixture.conditionals()) {
    drawn.resize(one.block.size);
    mixture.draw_conditional(which, x, drawn, rng.child("phi", static_cast<std::uint64_t>(which)));
    x.segment(one.block.begin, one.block.size) = drawn;
    ++which;
  }
}

}  // namespace quasar
