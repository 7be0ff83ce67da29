// Solves z = f(z) for the implicit steps of Riemannian integrators, by Newton's method or by plain iteration.
//
// An equation writes its residual F(z) = z - f(z) and, when asked, dF/dz: D x D, or D x 1 where that is diagonal.
// Newton subtracts (dF/dz)^-1 F, plain iteration subtracts F, which is z <- f(z). Both stop when the last change is
// below the tolerance in natural units (or as small as rounding lets it be).
#pragma once

#include <Eigen/LU>

#include <cmath>
#include <limits>

#include <quasar/core.hpp>

namespace quasar {

// Why a step could not be made; with a Metropolis test any of them rejects the whole trajectory.
enum class StepFailure {
  none,
  iteration_cap,
  outside_support,
  not_positive_definite,
  not_finite,
  not_reversible,
  no_root,  // of an equation that is solved in closed form
};

struct ImplicitSettings {
  enum class Method { newton, fixed_point, closed_form };  // closed_form: for G = diag(1/x) alone
  Method method = Method::newton;
  std::int64_t fixed_iterations = 0;  // > 0: exactly so many, converged or not
  bool check_reversal = true;

  bool newton() const { return method == Method::newton; }
  bool closed_form() const { return method == Method::closed_form; }
  bool converges() const { return fixed_iterations == 0; }
  bool reversal_checked() const { return check_reversal && converges(); }
  double tolerance() const { return newton() ? 1e-12 : 1e-10; }
  std::int64_t cap() const { return !converges() ? fixed_iterations : newton() ? 30 : 20; }
};

// J = I + factor M for a derivative M that is D x D, or D x 1 where it is diagonal; J is D x D in both cases if `full`.
inline void set_jacobian(double factor, const Mat& m, bool full, Mat& jacobian) {
  if (m.cols() > 1) {
    jacobian = factor * m;
  } else if (full) {
    jacobian.setZero(m.rows(), m.rows());
    jacobian.diagonal() = factor * m.col(0);
  } else {
    jacobian = (factor * m.array() + 1).matrix();
    return;
  }
  jacobian.diagonal().array() += 1;
}

// How near the reverse of a step must come, in natural units.
inline constexpr double return_tolerance = 1e-8;

// Whether a reverse step has come back to b: a converged one misses its start by rounding and the solver's tolerance,
// far less than this.
inline bool has_returned(const Vec& a, const Vec& b, const Vec& unit) {
  constexpr double rounding = 1e-13;
  const auto allowed = (return_tolerance * unit.array()).max(rounding * b.array().abs());
  return ((a - b).array().abs() <= allowed).all();
}

class ImplicitSolver {
 public:
  explicit ImplicitSolver(Index dim = 0, ImplicitSettings settings = {})
      : settings_(settings), residual_(dim), change_(dim), lu_(dim) {}

  const ImplicitSettings& settings() const { return settings_; }
  std::int64_t iterations() const { return iterations_; }  // since the solver was made

  // equation(z, residual, jacobian or nullptr) -> StepFailure. unit: the natural unit of each entry of z.
  template <class Equation>
  StepFailure solve(const Vec& unit, Vec& z, Equation&& equation) {
    for (std::int64_t k = 0; k < settings_.cap(); ++k) {
      ++iterations_;
      Mat* const jacobian = settings_.newton() ? &jacobian_ : nullptr;
      if (const StepFailure failure = equation(z, residual_, jacobian); failure != StepFailure::none) return failure;
      set_change();
      z -= change_;
      if (!z.allFinite()) return StepFailure::not_finite;
      if (settings_.converges() && small(unit, z)) return StepFailure::none;
    }
    return settings_.converges() ? StepFailure::iteration_cap : StepFailure::none;
  }

 private:
  void set_change() {
    if (!settings_.newton()) {
      change_ = residual_;
    } else if (jacobian_.cols() == 1) {
      change_ = residual_.cwiseQuotient(jacobian_.col(0));
    } else {
      lu_.compute(jacobian_);
      change_ = lu_.solve(residual_);
    }
  }

  bool small(const Vec& unit, const Vec& z) const {
    constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
    return (change_.array().abs() <= (settings_.tolerance() * unit.array()).max(rounding * z.array().abs())).all();
  }

  ImplicitSettings settings_;
  Vec residual_, change_;
  Mat jacobian_;
  Eigen::PartialPivLU<Mat> lu_;
  std::int64_t iterations_ = 0;
};

}  // namespace quasar
