// sgld.hpp on rows, lazily. A step takes the gradient where the row is and adds noise afterwards:
//
//   x_t = m + a (x_{t-1} - m) + e grad log L~(x_{t-1}) + s z.
//
// So a row that is touched at time t is brought to t - 1, gets all of its step but the noise, and that noise is drawn
// with those of the steps that it misses next: one normal a coordinate for each touch.
#pragma once

#include "kernels/lazy/free_steps.hpp"
#include "kernels/lazy/lazy.hpp"

namespace quasar {

class LazySgld : public Lazy<LazySgld, StochasticParams, LazyState<LangevinSteps>, LangevinSteps> {
 public:
  using Info = LazyInfo<StochasticInfo>;
  using Lazy::Lazy;

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  friend Lazy;
  static constexpr bool noise_waits = true;
  LangevinSteps free_steps() const;
  Index normals_for(Gap gap) const { return gap.noises > 0 ? 1 : 0; }
  void jump(Vec& x, State& s, Index row, const Law& law, Gap gap, const double* z) const;
  template <class Use>
  void own_rows(Vec& x, State& s, Index row, Use use) const {
    use(x.data() + row * width_);
    use(s.grad.data() + row * width_);
  }
};

}  // namespace quasar
