// The metric of samplers that follow the curvature from place to place.
#pragma once

#include <array>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "core/gibbs.hpp"
#include "integrators/softabs_geometry.hpp"

namespace quasar {

inline constexpr std::array<Choice, 2> geometry_choices{{{"auto"}, {"softabs"}}};
inline constexpr ParamSpec geometry_param{
    "geometry",
    "auto: the model's own metric, or softabs where it has none; softabs: from the Hessian",
    ParamSpec::choice,
    "auto",
    -ParamSpec::inf,
    ParamSpec::inf,
    false,
    geometry_choices};
inline constexpr ParamSpec softabs_alpha_param{
    "softabs_alpha",
    "hardness of softabs: curvatures below 1/softabs_alpha count as about that much",
    ParamSpec::real,
    "1",
    0,
    1e10,
    true};

inline bool takes_own_metric(Target& target, const Config& config) {
  return config.text("geometry") == "auto" && target.geometry() != nullptr;
}

inline std::shared_ptr<Geometry> geometry_for(Target& target, const Config& config) {
  expect_no_conditionals(target, "a sampler on a metric of the place");
  if (takes_own_metric(target, config)) return {std::shared_ptr<void>(), target.geometry()};  // it outlives the kernel
  return std::make_shared<SoftAbsGeometry>(target, config.real("softabs_alpha"));
}

}  // namespace quasar
