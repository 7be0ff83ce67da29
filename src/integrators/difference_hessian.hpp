// The Hessian of any target and its derivatives, as central differences of gradients: 2D gradients for the one, 2D(D +
// 1) more for the others. The step is absolute, so coordinates should be of order one, as unconstrained and
// standardised ones are.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

class DifferenceHessian final : public Hessian {
 public:
  explicit DifferenceHessian(Target& target);

  void second_derivatives(In x, Mat& h) override;  // NaN where a gradient is missing; forgets the third derivatives
  void third_derivatives(In x, const Mat& b, Out out) override;  // differentiates once for all b at one x
  std::int64_t grad_evals() const { return grad_evals_; }        // so far

 private:
  void differentiate(In x);
  void add_differences(Index from, double weight);  // columns from.. of weight * Hessian at shifted_
  void gradient(Out out);                           // of U at shifted_; NaN where there is none

  Target* target_;
  std::int64_t grad_evals_ = 0;
  Vec at_;     // the point of third_
  Mat third_;  // column i: dH/dx_i, column by column
  Vec shifted_, plus_, minus_;
  Mat sums_;
};

}  // namespace quasar
