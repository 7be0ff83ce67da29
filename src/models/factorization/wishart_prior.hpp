// Rows N(mu, Lambda^-1) with (mu, Lambda) ~ Normal-Wishart (Salakhutdinov and Mnih 2008): Lambda ~ Wishart(identity,
// w), mu ~ N(0, (k Lambda)^-1), k the strength. Given n rows with the mean m,
//
//   Lambda ~ Wishart(W, w + n),  W^-1 = 1 + sum (u - m)(u - m)' + k n/(k + n) m m',  mu ~ N(n m/(k + n), ((k + n)
//   Lambda)^-1).
//
// h: mu, then L of Lambda = L L' column after column, its diagonal by logarithms. Counting i from 0, dLambda/dL is
// 2^w prod L_ii^(w - i), and the logarithms make it one power more (Muirhead 1982, theorem 2.1.9).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/factorization/row_prior.hpp"

namespace quasar {

class WishartPrior final : public RowPrior {
 public:
  WishartPrior(Index width, double strength);

  std::unique_ptr<RowPrior> clone() const override { return std::make_unique<WishartPrior>(*this); }
  Index size() const override { return width_ + width_ * (width_ + 1) / 2; }
  RowLaw law(In h) const override;
  double evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) override;
  void draw(const ConstRows& rows, In h, Out out, Stream& stream) override;
  void start(Out h) const override;
  std::vector<Variable> variables(const std::string& side) const override;
  void constrain(In h, Out values) const override;
  void unconstrain(In values, Out h) const override;

 private:
  void take_root(In h, Mat& l) const;        // the lower triangle
  Mat root(In h) const;                      // L
  void put_root(const Mat& l, Out h) const;  // with its diagonal by logarithms
  Mat inverse_scale(const ConstRows& rows, const Vec& mean);
  Mat draw_root(const Mat& inverse_scale, double degrees, Stream& stream) const;

  Index width_;
  double strength_;
  Mat root_, spread_, pulls_;  // scratch
  Vec sum_;
};

}  // namespace quasar
