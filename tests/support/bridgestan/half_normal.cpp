// A normal that rejects one half of the line:  parameters { real x; } model { if (x < 0) reject("x is ", x); x ~
// std_normal(); }
#include <stdexcept>

#include "program.hpp"

namespace {

class HalfNormal final : public bs_model {
 public:
  const char* name() const override { return "half_normal_model"; }
  const char* param_names(bool, bool) const override { return "x"; }
  int param_num(bool, bool) const override { return 1; }
  int param_unc_num() const override { return 1; }
  double log_density(bool, bool, const double* x, double* grad) const override {
    if (*x < 0) throw std::runtime_error("x is " + std::to_string(*x));
    *grad = -*x;
    return -0.5 * *x * *x;
  }
  void constrain(bool, bool, const double* x, double* values, bs_rng*) const override { *values = *x; }
  void unconstrain(const double* values, double* x) const override {
    if (*values < 0) throw std::runtime_error("x is negative");
    *x = *values;
  }
};

}  // namespace

std::unique_ptr<bs_model> stan_test::make_program(const std::string&, unsigned) {
  return std::make_unique<HalfNormal>();
}
void stan_test::check_rng_seed(unsigned) {}
