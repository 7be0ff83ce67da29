// Costs on a manifold that are written in Python.
#pragma once

#include <memory>
#include <span>

#include <quasar/manifold_problem.hpp>

#include "callback.hpp"

namespace quasar::python {

// The package makes these of a user's functions: of and to columns of all numbers. Those that may be None say so.
struct CostFunctions {
  nb::object value;           // (x) -> cost
  nb::object gradient;        // (x) -> (cost, gradient)
  nb::object hessian;         // (x, u) -> derivative of the gradient along u; or None
  nb::object batch_gradient;  // (x, terms) -> mean gradient of these terms; or None
  Index terms = 1;
  bool riemannian = false;  // gradients are tangent vectors; else partial derivatives
};

// What a function raises passes through as it is. A cost or a gradient that is not finite is a DataError: solvers take
// it for a point outside of the manifold, and users see it where it is at the start.
class FunctionProblem final : public ManifoldSum {
 public:
  FunctionProblem(ManifoldPtr manifold, const CostFunctions& functions);

  const Manifold& manifold() const override { return *manifold_; }
  Index terms() const override { return terms_; }
  double value(MatIn x) override;
  double gradient(MatIn x, MatOut gradient) override;
  void hessian(MatIn x, MatIn u, MatOut out) override;
  void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) override;

 private:
  void ask_for_partials(MatIn x);
  void convert(MatIn x, MatOut gradient) const;

  ManifoldPtr manifold_;
  SharedObject value_, gradient_, hessian_, batch_gradient_;
  Index terms_;
  bool riemannian_;
  Mat at_, partials_, second_;  // what `gradient` said last, and where: Hessians at the same point use it
  double cost_ = 0;
};

}  // namespace quasar::python
