// Logistic regression that tells two handwritten digits apart by their pixels.
#pragma once

#include <Eigen/SparseCore>

#include <memory>
#include <string>

#include <quasar/core.hpp>

namespace quasar {

// One image per row, pixels from 0 to 1, four of five of them 0; y = 1 for the second digit.
struct Digits {
  Eigen::SparseMatrix<double, Eigen::RowMajor> pixels;
  Vec y;
};

// `part` of MNIST, "train" or "t10k", from the folder mnist/ of the data folder. DataError: it is not there, its images
// are not of 28 x 28 pixels, or none shows these digits.
Digits read_digits(const std::string& data_dir, const std::string& part, int first, int second);

// y ~ Bernoulli(1 / (1 + e^-z)), z = pixels'x, x ~ N(0, prior_sd^2 I). No intercept, as published.
class DigitsPosterior final : public Target {
 public:
  DigitsPosterior(std::shared_ptr<const Digits> digits, double prior_sd);
  std::unique_ptr<Target> fork() const override { return std::make_unique<DigitsPosterior>(*this); }
  Index dim() const override { return digits_->pixels.cols(); }
  Eval logp_grad(In x, Out grad) override;

 private:
  std::shared_ptr<const Digits> digits_;
  double prior_precision_;
};

}  // namespace quasar
