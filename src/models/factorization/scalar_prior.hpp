// Rows with mean 0 and one precision for all factors, one for biases: each Gamma(shape, rate), or given.
//
//   lambda | rows ~ Gamma(shape + n/2, rate + sum of n squares / 2)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/factorization/row_prior.hpp"
#include "models/gamma_precision.hpp"

namespace quasar {

class ScalarPrior final : public RowPrior {
 public:
  ScalarPrior(Index rank, bool biases, GammaPrior prior);

  std::unique_ptr<RowPrior> clone() const override { return std::make_unique<ScalarPrior>(*this); }
  Index size() const override { return std::ssize(groups_); }
  RowLaw law(In h) const override;
  double evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) override;
  void draw(const ConstRows& rows, In h, Out out, Stream& stream) override;
  void start(Out h) const override { h.setConstant(log_mean(prior_)); }
  std::vector<Variable> variables(const std::string& side) const override;
  void constrain(In h, Out values) const override { values = h.array().exp(); }
  void unconstrain(In values, Out h) const override;

 private:
  Index width_;
  std::vector<Block> groups_;  // columns of factors, the column of biases
  GammaPrior prior_;
};

class FixedPrior final : public RowPrior {
 public:
  explicit FixedPrior(Vec precisions) : precisions_(std::move(precisions)) {}  // w of them

  std::unique_ptr<RowPrior> clone() const override { return std::make_unique<FixedPrior>(*this); }
  Index size() const override { return 0; }
  RowLaw law(In) const override { return {Vec::Zero(precisions_.size()), precisions_}; }
  double evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) override;
  void draw(const ConstRows&, In, Out, Stream&) override {}
  void start(Out) const override {}
  std::vector<Variable> variables(const std::string&) const override { return {}; }
  void constrain(In, Out) const override {}
  void unconstrain(In, Out) const override {}

 private:
  Vec precisions_;
};

}  // namespace quasar
