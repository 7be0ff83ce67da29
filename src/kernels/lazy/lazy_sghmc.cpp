#include "kernels/lazy/lazy_sghmc.hpp"

#include <cmath>

namespace quasar {

LazySghmc::State LazySghmc::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.p.resize(block_.size);
  rng.stream("momentum").normals(s.p);
  s.p *= std::sqrt(params_.temperature);
  return s;
}

LazySghmc::Info LazySghmc::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  touch(x, s, s.t, rng.stream("noise"));
  with_slopes(x, s, [&](Index row, const auto& slope) { s.p.segment(row * width_, width_) += s.step_size * slope; });
  Info info;
  info.noise_variance = params_.noise_variance;
  return report(s, info);
}

HamiltonianSteps LazySghmc::free_steps() const {
  const double e = params_.step.size, rest = params_.friction - e / 2 * params_.noise_variance;
  return {e, params_.friction, std::sqrt(2 * e * params_.temperature * std::max(rest, 0.0))};
}

void LazySghmc::jump(Vec& x, State& s, Index row, const Law& law, Gap gap, const double* z) const {
  const HamiltonianJump* jump = law.after(gap.steps);
  const double* z_p = gap.steps > 1 ? z + width_ : z;  // one step spreads p alone
  double *at = x.data() + row * width_, *p = s.p.data() + row * width_;
  const double* mean = law.mean.data();
  for (const auto& run : law.runs) {
    const HamiltonianJump j = *jump++;
    for (Index i = run.begin; i < run.end; ++i) {
      const double y = at[i] - mean[i], v = p[i];
      at[i] = mean[i] + (j.xx * y + j.xp * v + j.spread_x * z[i]);
      p[i] = j.px * y + j.pp * v + (j.cross * z[i] + j.spread_p * z_p[i]);
    }
  }
}

}  // namespace quasar
