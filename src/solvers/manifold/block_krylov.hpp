// The leading eigenvectors of a symmetric matrix that is known by its products with blocks of vectors: Rayleigh and
// Ritz in the space of Omega, A Omega, A^2 Omega ... with a random start block Omega (Musco and Musco, NIPS 2015), its
// basis orthonormal by twice repeated projection. A basis that has grown large is cut back to its best vectors (thick
// restart, Wu and Simon, SIAM J. Matrix Analysis 22, 2000).
#pragma once

#include "solvers/manifold/minimize.hpp"

namespace quasar {

struct BlockKrylov {
  Index components = 1, oversampling = 10;
  double tolerance = 1e-8;  // of every vector's |A x - lambda x|, in units of lambda
  std::int64_t max_iterations = 1000;
  double max_passes = std::numeric_limits<double>::infinity();
  std::function<bool(const Progress&)> go_on = {};
};

struct LeadingEigenpairs {
  Vec values;   // from the largest on
  Mat vectors;  // d x k, orthonormal
  Progress progress;
  ManifoldStop stop;
  Vec residuals = {};  // |A x - lambda x| of each vector
};

using BlockProduct = std::function<bool(MatIn x, MatOut out)>;  // out = A x; false: stopped
// Stopped in the first product it has found nothing: no values, no vectors.
LeadingEigenpairs block_krylov(const BlockProduct& times, Index dim, const BlockKrylov& settings, Stream& stream);

// Eigenpairs of A within the span of orthonormal x, from the products A x.
LeadingEigenpairs rayleigh_ritz(MatIn x, MatIn products, Index components);

// How long the residual of a vector may be: a small lambda has to be found as well as lambda_1, as far as the rounding
// of products with A, which goes by lambda_1, lets anybody see it.
double residual_bound(double value, double largest, double tolerance);
// The longest residual, in units in which the tolerance bounds all of them.
double relative_residual(const LeadingEigenpairs& pairs, double tolerance);

}  // namespace quasar
