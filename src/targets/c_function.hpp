// A log density given as a C function: from a compiled language, or made at run time by numba.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <quasar/core.hpp>

#include "targets/checked.hpp"

namespace quasar {

// Fills the gradient and returns the log density at x; a result that is not finite rejects the point. Called from
// several threads at once, always with the same `user`.
using LogDensityFunction = double (*)(std::int64_t dim, const double* x, double* gradient, void* user);

class CFunction final : public Target {
 public:
  CFunction(LogDensityFunction function, void* user, Layout layout)
      : function_(function), user_(user), layout_(std::move(layout)), dim_(layout_.size()) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<CFunction>(*this); }
  Index dim() const override { return dim_; }
  Layout layout() const override { return layout_; }
  Eval logp_grad(In x, Out grad) override { return checked(function_(dim_, x.data(), grad.data(), user_)); }

 private:
  LogDensityFunction function_;
  void* user_;
  Layout layout_;
  Index dim_;
};

}  // namespace quasar
