// The parameters of samplers with a thermostat.
#pragma once

#include <array>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "kernels/thermostat/stochastic_trajectory.hpp"
#include "metrics/mass_matrix.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

inline constexpr ParamSpec thermostat_mass_param{
    "thermostat_mass",
    "Q: the larger, the slower the thermostat; 0: number of coordinates times temperature",
    ParamSpec::real,
    "0",
    0,
    1e100};
inline constexpr ParamSpec temperature_param{.name = "temperature",
                                             .doc = "T: the law is pi^(1/T)",
                                             .type = ParamSpec::real,
                                             .init = "1",
                                             .min = 0,
                                             .max = 1e100,
                                             .exclusive_min = true,
                                             .changed_law = Law::biased};

// UsageError: Gibbs steps draw from pi, not from a power of it.
double temperature_of(const Target& target, const Config& config);

// Of exact Nose-Poincare samplers.
inline constexpr ParamSpec offset_sd_param{
    .name = "offset_sd",
    .doc =
        "standard deviation of the energy offset h at the start of a trajectory: any value is exact, acceptance "
        "depends on it and is best between 0.3 and 1",
    .type = ParamSpec::real,
    .init = "0.3",
    .min = 0,
    .max = 1e100,
    .exclusive_min = true};

// The thermostat swings with about the frequency of a coordinate of unit scale.
inline double thermostat_mass(const Config& config, Index dim) {
  const double given = config.real("thermostat_mass");
  return given > 0 ? given : static_cast<double>(dim) * config.real("temperature");
}

// What the samplers on estimated gradients add to that.
inline constexpr ParamSpec mass_param{
    "mass", "M: a number, one for each coordinate (a,b,...), or a symmetric matrix row by row", ParamSpec::text, "1"};
inline constexpr ParamSpec trajectory_steps_param{
    .name = "leapfrog_steps",
    .doc = "steps a trajectory, at whose start momenta are drawn, s = 1 and h = 0",
    .type = ParamSpec::integer,
    .init = "10",
    .min = 1,
    .max = 1e9};
inline constexpr std::array<Choice, 3> half_kick_batches{{{"per_gradient"}, {"per_half_kick"}, {"per_trajectory"}}};
inline constexpr ParamSpec half_kick_batch_param{
    .name = "batch",
    .doc =
        "the two half kicks at a point share a batch (per_gradient), have one each (per_half_kick), or all kicks of "
        "a trajectory share one",
    .type = ParamSpec::choice,
    .init = "per_gradient",
    .choices = half_kick_batches};
StochasticTrajectoryParams::Batch batch_from(const Config& config);
MassMatrix mass_from(const Config& config, Index dim);
// A thermostat may heat for a while: steps a third as long as with a friction that is always there.
double thermostat_step(const LocalScale& local, const MassMatrix& mass);

}  // namespace quasar
