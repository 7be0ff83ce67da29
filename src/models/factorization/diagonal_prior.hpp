// Rows whose columns are independent, each with a mean and a precision of its own:
//
//   (mu, lambda) ~ Normal-Gamma(0, strength, shape, rate): lambda ~ Gamma(shape, rate), mu ~ N(0, 1/(strength lambda))
//
// and, given n rows with the mean m of that column (strength k),
//
//   lambda ~ Gamma(shape + n/2, rate + sum (u - m)^2 / 2 + k n m^2 / (2 (k + n))),  mu ~ N(n m/(k + n), 1/((k + n)
//   lambda)).
//
// h: the means, then the logarithms of the precisions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/factorization/row_prior.hpp"
#include "models/gamma_precision.hpp"

namespace quasar {

class DiagonalPrior final : public RowPrior {
 public:
  DiagonalPrior(Index width, double strength, GammaPrior prior) : width_(width), strength_(strength), prior_(prior) {}

  std::unique_ptr<RowPrior> clone() const override { return std::make_unique<DiagonalPrior>(*this); }
  Index size() const override { return 2 * width_; }
  RowLaw law(In h) const override { return {h.head(width_), h.tail(width_).array().exp()}; }
  double evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) override;
  void draw(const ConstRows& rows, In h, Out out, Stream& stream) override;
  void start(Out h) const override;
  std::vector<Variable> variables(const std::string& side) const override;
  void constrain(In h, Out values) const override;
  void unconstrain(In values, Out h) const override;

 private:
  Index width_;
  double strength_;
  GammaPrior prior_;
};

}  // namespace quasar
