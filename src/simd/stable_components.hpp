// simd/stable_components.hpp -- one component of many entries at a time: its variance v_k = phi w h among those of
// others, and the part of x that it makes up.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct ComponentProposals {
  double exponent, h;                           // of the positive stable variable; h^(2/alpha)
  const double *angle, *exponential, *uniform;  // uniform numbers
  const double* square;                         // |x|^2; below 0: not seen
  const double *before, *behind;                // sums of the variances of others
  const double* w;                              // w^(2/alpha)
};

// Metropolis with phi = 2 A, of Kanter's A, for a proposal: part = phi w h and phi where it is accepted.
void propose_component(const ComponentProposals& in, double* part, double* phi, std::size_t count);

// re, im: standard normal numbers, which become those of variance `part`; they are taken off rest_re and rest_im.
void scale_normals(const double* part, double* re, double* im, double* rest_re, double* rest_im, std::size_t count);

struct ComponentParts {
  const double *part, *sum;         // v_k and v
  const double *rest_re, *rest_im;  // of x, when all parts are taken off
  const double *square, *phi, *im;
};

// |s|^2 / phi with s = (re, im) + part / sum rest, in place of re; 0 where x was not seen.
void correct_normals(const ComponentParts& in, double* re, std::size_t count);

double weighted_ratios(const double* a, const double* b, std::size_t count);  // the sum of a / b

}  // namespace quasar::simd
