// The parameters of samplers with trajectories of fixed length.
#pragma once

#include <quasar/config.hpp>

#include "kernels/hmc/trajectory.hpp"

namespace quasar {

// A quarter period of a whitened Gaussian: an accepted draw is independent of the last one.
inline constexpr std::string_view quarter_period = "1.5707963267948966";
// A little longer, cos t = -(1 - a) / a: with a share 1 - a of the draws rejected, successive draws are uncorrelated at
// a = 0.8.
inline constexpr std::string_view beyond_quarter_period = "1.82";

inline constexpr ParamSpec leapfrog_steps_param{"leapfrog_steps",
                                                "leapfrog steps a trajectory; 0: as many as integration_time takes",
                                                ParamSpec::integer,
                                                "0",
                                                0,
                                                1e6};
constexpr ParamSpec integration_time_param(std::string_view init) {
  return {"integration_time", "length of a trajectory where leapfrog_steps is 0", ParamSpec::real, init, 0, 1e6, true};
}
inline constexpr ParamSpec jitter_param{"jitter",
                                        "the step size of each trajectory is uniform within this fraction of step_size",
                                        ParamSpec::real,
                                        "0.1",
                                        0,
                                        0.99};

inline void set_trajectory(const Config& config, TrajectoryParams& params) {
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.integration_time = config.real("integration_time");
  params.jitter = config.real("jitter");
}

}  // namespace quasar
