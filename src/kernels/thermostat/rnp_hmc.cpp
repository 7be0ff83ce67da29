#include "kernels/thermostat/rnp_hmc.hpp"

namespace quasar {

// The search for a first step size begins trajectories too: only one that is taken has begun.
RnpHmc::Info RnpHmc::step(Vec& x, State& s, const Rng& rng) const {
  const Info info = Base::step(x, s, rng);
  s.begun = true;
  return info;
}

void RnpHmc::begin(State& s, const Rng& rng) const {
  Stream noise = rng.stream("momentum");
  s.z.log_s = params_.scheme == Params::printed ? s.log_s : 0;
  s.flow.refresh(noise, s.z);
  if (params_.scheme == Params::offset) {
    s.z.reference = s.flow.energy(s.z) - (params_.settling ? 0 : params_.offset_sd * noise.normal());
    return;
  }
  if (!s.begun) s.reference = s.flow.energy(s.z);
  s.z.reference = s.reference;
}

// E/T + e^2/(2 d^2) at the start, where s = 1: minus the log density of (x, p, q, e).
double RnpHmc::energy(const State& s) const {
  if (params_.scheme == Params::printed) return conserved(s);
  const RiemannianThermostat& thermostat = params_.thermostat;
  const double e = s.flow.energy(s.z), offset = (e - s.z.reference) / params_.offset_sd;
  const double canonical =
      e / thermostat.temperature - (thermostat.degrees - static_cast<double>(s.z.x.size())) * s.z.log_s;
  return params_.settling ? canonical : canonical + s.z.log_s + 0.5 * offset * offset;
}

}  // namespace quasar
