#include "kernels/lazy/lazy_sgld.hpp"

#include "kernels/langevin/euler.hpp"

namespace quasar {

LazySgld::State LazySgld::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  return s;
}

LazySgld::Info LazySgld::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  touch(x, s, s.t - 1, rng.stream("noise"));
  with_slopes(x, s, [&](Index row, const auto& slope) {
    const Law& law = law_of(s, row);
    const LangevinJump* one = law.after(1);
    double* at = x.data() + row * width_;
    for (const auto& run : law.runs) {
      const double a = one++->power;
      for (Index i = run.begin; i < run.end; ++i) {
        at[i] = law.mean[i] + a * (at[i] - law.mean[i]) + s.step_size * slope[i];
      }
    }
    s.clock[static_cast<std::size_t>(row)] = s.t;
  });
  return report<Info>(s);
}

LangevinSteps LazySgld::free_steps() const {
  return {params_.step.size, langevin_spread(params_.step.size, params_.temperature)};
}

void LazySgld::jump(Vec& x, State&, Index row, const Law& law, Gap gap, const double* z) const {
  const LangevinJump *drift = law.after(gap.steps), *noise = law.after(gap.noises);
  double* at = x.data() + row * width_;
  for (const auto& run : law.runs) {
    const double power = drift++->power, spread = noise++->spread;
    for (Index i = run.begin; i < run.end; ++i) at[i] = law.mean[i] + power * (at[i] - law.mean[i]) + spread * z[i];
  }
}

}  // namespace quasar
