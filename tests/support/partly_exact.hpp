// Gaussian targets whose last coordinate is drawn exactly, given the others.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar::test {

// U = x'Px/2, so that x_2 | rest ~ N(-(P_20 x_0 + P_21 x_1)/P_22, 1/P_22).
inline const Mat partly_exact_precision{{2, 0.5, 0.9}, {0.5, 1.5, -0.7}, {0.9, -0.7, 1.2}};

struct Counts {  // of all forks
  long evaluations = 0, draws = 0;
};

inline double draw_last(In x, const Rng& rng) {
  const Mat& p = partly_exact_precision;
  return -(p(2, 0) * x[0] + p(2, 1) * x[1]) / p(2, 2) + rng.stream("last").normal() / std::sqrt(p(2, 2));
}

struct PartlyExact final : Target {
  explicit PartlyExact(Index every = 1) : conditional{{{2, 1}, every}} {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<PartlyExact>(*this); }
  Index dim() const override { return 3; }
  Eval logp_grad(In x, Out grad) override {
    ++counts->evaluations;
    grad.noalias() = -partly_exact_precision * x;
    return {x.dot(grad) / 2};
  }
  std::span<const Conditional> conditionals() const override { return conditional; }
  void draw_conditional(Index, In x, Out out, const Rng& rng) override {
    ++counts->draws;
    out[0] = draw_last(x, rng);
  }

  std::vector<Conditional> conditional;
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();
};

// The same density as a sum of equal terms and no prior.
struct PartlyExactSum final : FiniteSum {
  explicit PartlyExactSum(Index rows, Index every = 1) : n(rows), conditional{{{2, 1}, every}} {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<PartlyExactSum>(*this); }
  Index dim() const override { return 3; }
  Index terms() const override { return n; }
  Eval prior(In, Out grad, Want) override {
    grad.setZero();
    return {0};
  }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) override {
    const double share = weight * static_cast<double>(ids.size()) / static_cast<double>(n);
    grad -= share * (partly_exact_precision * x);
    return {-share * x.dot(partly_exact_precision * x) / 2};
  }
  std::span<const Conditional> conditionals() const override { return conditional; }
  void draw_conditional(Index, In x, Out out, const Rng& rng) override {
    ++counts->draws;
    out[0] = draw_last(x, rng);
  }

  Index n;
  std::vector<Conditional> conditional;
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();
};

}  // namespace quasar::test
