// sghmc.hpp on rows, lazily: friction C and noise variance V of one number, mass 1. Since the position moves first, a
// step that touches a row is a free one and then the kick of the likelihood, p += e grad log L~(x): a row that is
// touched takes the steps it has missed and the free part of this one in one jump, of two normals a coordinate, or of
// one where it has missed none and the position needs no noise.
#pragma once

#include "kernels/hmc/sghmc.hpp"
#include "kernels/lazy/free_steps.hpp"
#include "kernels/lazy/lazy.hpp"

namespace quasar {

struct LazySghmcParams : StochasticParams {
  double friction = 1;
  double noise_variance = 0;  // V: e V/2 must not exceed the friction
};

struct LazySghmcState : LazyState<HamiltonianSteps> {
  Vec p;  // as late as the rows

  static void fields(auto& self, auto&& visit) {
    LazyState::fields(self, visit);
    visit("p", self.p);
  }
};

class LazySghmc : public Lazy<LazySghmc, LazySghmcParams, LazySghmcState, HamiltonianSteps> {
 public:
  using Info = LazyInfo<Sghmc::Info>;
  using Lazy::Lazy;

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  friend Lazy;
  static constexpr bool noise_waits = false;
  HamiltonianSteps free_steps() const;
  Index normals_for(Gap gap) const { return std::min<Index>(gap.steps, 2); }
  void jump(Vec& x, State& s, Index row, const Law& law, Gap gap, const double* z) const;
  template <class Use>
  void own_rows(Vec& x, State& s, Index row, Use use) const {
    use(x.data() + row * width_);
    use(s.p.data() + row * width_);
    use(s.grad.data() + row * width_);
  }
};

}  // namespace quasar
