// The density of draws as a curve.
#pragma once

#include <string>

#include <quasar/core.hpp>
#include <quasar/figure.hpp>

namespace quasar {

// Normal kernels of Silverman's width, 0.9 min(sd, interquartile range / 1.34) n^(-1/5) (Silverman 1986, eq. 3.31).
Series kernel_density(const std::string& name, const Vec& draws);

}  // namespace quasar
