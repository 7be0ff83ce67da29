// What is believed of the rows of one side, users or items, before a rating is seen: each is N(mean, precision^-1),
// and mean and precision have a prior of their own and are drawn by Gibbs steps.
//
// Three kinds, of rows of w numbers, the last of them the bias where there are biases:
//   scalar    mean 0; one precision for all factors, one for biases, each Gamma(shape, rate)
//             (the program of Chen, Fox and Guestrin 2014)
//   diagonal  for each column (mean, precision) ~ Normal-Gamma(0, strength, shape, rate)
//   wishart   (mean, precision) ~ Normal-Wishart(0, strength, identity, w) (Salakhutdinov and Mnih 2008)
// and `fixed`, the scalar kind with precisions that are given.
//
// h: their coordinates in x, unconstrained: log precisions; means before precisions; of a dense precision L L' the
// lower triangle of L, column after column, with the logarithm of its diagonal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct RowLaw {
  Vec mean;
  Mat precision;  // w x 1: a diagonal; or w x w
  bool diagonal() const { return precision.cols() == 1; }
};

using ConstRows = Eigen::Ref<const Mat>;  // w x n: a column for each row of the side

struct RowPrior {
  virtual ~RowPrior() = default;
  virtual std::unique_ptr<RowPrior> clone() const = 0;
  virtual Index size() const = 0;      // of h
  virtual RowLaw law(In h) const = 0;  // allocates: asked for once in a sweep or after a Gibbs step
  // log density of rows and h together (that of h in its own coordinates); overwrites both slopes
  virtual double evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) = 0;
  virtual void draw(const ConstRows& rows, In h, Out out, Stream& stream) = 0;  // h given the rows, exactly
  virtual void start(Out h) const = 0;

  // As they are recorded, of a side called "user" or "item": variables called user_precision, user_mean, ...
  virtual std::vector<Variable> variables(const std::string& side) const = 0;
  virtual void constrain(In h, Out values) const = 0;
  virtual void unconstrain(In values, Out h) const = 0;  // UsageError: not a precision
};

// By the parameters hyperprior, shape, rate, strength and, of fixed, precision and bias_precision. width: w.
std::unique_ptr<RowPrior> make_row_prior(const Config& config, Index width);

}  // namespace quasar
