// Stable draws as functions of an angle and an exponential variable.
#pragma once

#include <quasar/stable.hpp>

namespace quasar {

// [sin(a T) / sin(T)^(1/a)] [sin((1 - a) T) / E]^((1 - a)/a) with T uniform on (0, pi) and E exponential (Kanter,
// Annals of Probability 3, 1975).
double positive_stable_of(double a, double angle, double exponential);

// With the angle uniform on (-pi/2, pi/2) (Chambers, Mallows and Stuck, JASA 71, 1976; with the correction of Weron,
// Statistics and Probability Letters 28, 1996).
double stable_of(const StableLaw& law, double angle, double exponential);

}  // namespace quasar
