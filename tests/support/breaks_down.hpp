// A target that breaks off as a killed process does: draws have been made that no checkpoint knows of.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include <quasar/core.hpp>

#include "support/targets.hpp"

namespace quasar::test {

// The skewed target until its evaluations, those of all chains together, are spent.
class BreaksDown final : public Target {
 public:
  explicit BreaksDown(std::int64_t evaluations) : left_(std::make_shared<std::atomic<std::int64_t>>(evaluations)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<BreaksDown>(*this); }
  Index dim() const override { return target_.dim(); }
  Eval logp_grad(In x, Out grad) override {
    if (left_->fetch_sub(1) <= 0) throw std::runtime_error("broke down");
    return target_.logp_grad(x, grad);
  }

 private:
  SkewedTarget target_;
  std::shared_ptr<std::atomic<std::int64_t>> left_;
};

}  // namespace quasar::test
