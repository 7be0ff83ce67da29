// Symmetric matrices and their functions, shared by the manifolds of positive definite ones.
#pragma once

#include <Eigen/Eigenvalues>

#include <string>

#include <quasar/errors.hpp>
#include <quasar/manifold.hpp>

namespace quasar {

inline Mat symmetric_part(MatIn a) { return 0.5 * (a + a.transpose()); }

struct Spectrum {  // a = vectors diag(values) vectors'
  Vec values;
  Mat vectors;
  template <class Function>
  Mat map(Function f) const {  // the function of the matrix that f is of numbers
    return symmetric_part(vectors * values.unaryExpr(f).asDiagonal() * vectors.transpose());
  }
};
Spectrum spectrum(MatIn symmetric);           // DataError where it is not found: entries that are not finite
Spectrum positive_spectrum(MatIn symmetric);  // DataError also where a value is not positive

DataError not_positive_definite(double smallest_eigenvalue);

// L with L L' = x, and what it does to both sides of symmetric matrices, by LAPACK and BLAS.
class CholeskyRoot {
 public:
  explicit CholeskyRoot(MatIn x);                      // DataError where x is not positive definite
  Mat whiten(MatIn u) const;                           // L^-1 u L^-T
  void whiten_in_place(Mat& u) const;                  // the same, symmetric up to rounding
  Mat color(MatIn s) const;                            // L s L'
  Mat carry(const CholeskyRoot& from, MatIn u) const;  // L F^-1 u F^-T L', F of `from`
  Mat inverse_times(MatIn u) const;                    // x^-1 u

 private:
  Mat root_;
};

void fill_with_symmetric_normals(Stream& stream, MatOut out);  // standard normal for <u, v> = tr(uv)

// A rotation at random and eigenvalues whose logarithms are uniform on (-1, 1).
void random_positive_definite(Stream& stream, MatOut out);

std::string positive_definite_fault(MatIn x);  // empty where x is symmetric and positive definite

}  // namespace quasar
