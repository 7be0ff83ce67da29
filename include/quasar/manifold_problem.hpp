// quasar/manifold_problem.hpp -- a cost on a manifold, to be minimized.
#pragma once

#include <exception>
#include <functional>
#include <span>

#include <quasar/manifolds.hpp>

namespace quasar {

// What a problem throws whose evaluation was told to end before its time: a search ends there, at its last point.
struct StoppedEarly final : std::exception {
  const char* what() const noexcept override { return "stopped before its end"; }
};

// Evaluation may use scratch: one solver at a time. Gradients are those of the manifold: tangent vectors at x with
// <gradient, u> = Df(x)[u].
struct ManifoldProblem {
  virtual ~ManifoldProblem() = default;
  virtual const Manifold& manifold() const = 0;
  virtual double value(MatIn x) = 0;
  virtual double gradient(MatIn x, MatOut gradient) = 0;  // returns the value
  // The covariant derivative of the gradient along u. By default a difference of transported gradients along a
  // retraction, exact to about eight digits, for two gradients.
  virtual void hessian(MatIn x, MatIn u, MatOut out);
};

// f = (1/N) sum_i f_i
struct ManifoldSum : ManifoldProblem {
  virtual Index terms() const = 0;
  virtual void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) = 0;  // of those terms
};

// A cost given by partial derivatives, as if its argument were any matrix.
struct AmbientCost {
  std::function<double(MatIn x)> value;
  std::function<void(MatIn x, MatOut partials)> partials;
  std::function<void(MatIn x, MatIn u, MatOut second)> second;  // their derivative along u; may be empty
};
std::unique_ptr<ManifoldProblem> make_problem(ManifoldPtr manifold, AmbientCost cost);

}  // namespace quasar
