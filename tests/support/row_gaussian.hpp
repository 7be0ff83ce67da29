// A small sum over rows with a normal law: each term looks at two rows,
//
//   log term_k = -tau/2 sum_c (x_ic + x_jc/2 - y_kc)^2,   x_r ~ N(m_c, 1/precision_c) of its kind,
//
// with the log of a factor of the precisions of each kind after the rows, or without.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>
#include <quasar/row_sparse_sum.hpp>

namespace quasar::test {

struct RowGaussian final : RowSparseSum {
  static constexpr Index first_kind = 3, row_count = 5, width = 3, kind_count = 2, term_count = 8;
  bool scaled;
  double tau = 1.5;
  std::vector<Conditional> drawn;

  explicit RowGaussian(bool has_scales = false) : scaled(has_scales) {
    if (scaled) drawn = {{{row_count * width, 1}, 1}, {{row_count * width + 1, 1}, 1}};
  }

  static Index left(Index term) { return term % row_count; }
  static Index right(Index term) { return (term + 1 + term / row_count) % row_count; }
  static double observed(Index term, Index c) { return std::sin(static_cast<double>(3 * term + c)); }

  std::unique_ptr<Target> fork() const override { return std::make_unique<RowGaussian>(*this); }
  Index dim() const override { return row_count * width + (scaled ? kind_count : 0); }
  Index terms() const override { return term_count; }
  Index rows() const override { return row_count; }
  Index row_length() const override { return width; }
  Index kinds() const override { return kind_count; }
  Index kind_of(Index row) const override { return row < first_kind ? 0 : 1; }

  void rows_of(std::span<const Index> ids, std::vector<Index>& touched) override {
    std::array<bool, row_count> seen{};
    touched.clear();
    for (const Index id : ids) {
      for (const Index row : {left(id), right(id)}) {
        if (!std::exchange(seen[static_cast<std::size_t>(row)], true)) touched.push_back(row);
      }
    }
  }

  bool row_prior(In x, Index kind, Out mean, Out precision) override {
    const double scale = scaled ? std::exp(x[row_count * width + kind]) : 1;
    for (Index c = 0; c < width; ++c) {
      mean[c] = 0.5 + 0.7 * static_cast<double>(c) - 2 * static_cast<double>(kind);
      precision[c] = scale * (c == width - 1 ? 3 : 1.2 + static_cast<double>(kind));  // two share one
    }
    return true;
  }

  Eval prior(In x, Out grad, Want) override {
    Vec mean(width), precision(width);
    grad.setZero();
    for (Index row = 0; row < row_count; ++row) {
      row_prior(x, kind_of(row), mean, precision);
      grad.segment(row * width, width) = -precision.cwiseProduct(x.segment(row * width, width) - mean);
    }
    return {0};
  }

  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) override {
    for (const Index id : ids) {
      for (Index c = 0; c < width; ++c) {
        const Index i = left(id) * width + c, j = right(id) * width + c;
        const double slope = weight * tau * (observed(id, c) - x[i] - x[j] / 2);
        grad[i] += slope;
        grad[j] += slope / 2;
      }
      if (scaled) grad[row_count * width] += weight;  // of what is not moved: nobody may keep it
    }
    return {0};
  }

  std::span<const Conditional> conditionals() const override { return drawn; }
  void draw_conditional(Index, In, Out out, const Rng& rng) override { out[0] = 0.3 * rng.stream("scale").normal(); }
};

}  // namespace quasar::test
