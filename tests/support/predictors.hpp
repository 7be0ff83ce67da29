// Predictors whose every answer can be said beforehand.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <quasar/predict.hpp>

namespace quasar::test {

// A draw is one probability: that of the second class, the same in every row.
class Coin final : public Predictor {
 public:
  explicit Coin(std::vector<double> observed, Index rows = -1)
      : observed_(std::move(observed)), rows_(rows < 0 ? std::ssize(observed_) : rows) {}
  std::unique_ptr<Predictor> fork() const override { return std::make_unique<Coin>(*this); }
  Index rows() const override { return rows_; }
  std::span<const std::string> classes() const override { return classes_; }
  std::span<const double> observed() const override { return observed_; }
  void take(std::span<const double> draw, const Rng& rng) override {
    p_ = draw[0];
    rng_ = rng;
  }
  void predict(Index, Eigen::Ref<Mat> out) override {
    out.col(0).setConstant(1 - p_);
    out.col(1).setConstant(p_);
  }
  void log_density(Index begin, Out out) override {
    for (Index i = 0; i < out.size(); ++i) {
      out[i] = std::log(observed_[static_cast<std::size_t>(begin + i)] == 1 ? p_ : 1 - p_);
    }
  }
  void replicate(Index begin, Out out) override {
    Stream stream = rng_.stream("coin");
    stream.seek(static_cast<std::uint64_t>(begin));
    for (double& response : out) response = stream.uniform() < p_ ? 1 : 0;
  }

 private:
  std::vector<std::string> classes_ = {"tails", "heads"};
  std::vector<double> observed_;
  Index rows_;
  double p_ = 0;
  Rng rng_{0};
};

// A draw is mu, a sigma of either sign, and what else there is: row i is N(mu + i/10, sigma^2).
class Ramp final : public Predictor {
 public:
  explicit Ramp(std::vector<double> observed, Index rows = -1)
      : observed_(std::move(observed)), rows_(rows < 0 ? std::ssize(observed_) : rows) {}
  std::unique_ptr<Predictor> fork() const override { return std::make_unique<Ramp>(*this); }
  Index rows() const override { return rows_; }
  std::span<const double> observed() const override { return observed_; }
  void take(std::span<const double> draw, const Rng& rng) override {
    mu_ = draw[0];
    sigma_ = std::abs(draw[1]);
    rng_ = rng;
  }
  void predict(Index begin, Eigen::Ref<Mat> out) override {
    for (Index i = 0; i < out.rows(); ++i) out(i, 0) = mean(begin + i);
    out.col(1).setConstant(sigma_);
  }
  void log_density(Index begin, Out out) override {
    for (Index i = 0; i < out.size(); ++i) {
      const double z = (observed_[static_cast<std::size_t>(begin + i)] - mean(begin + i)) / sigma_;
      out[i] = -z * z / 2 - std::log(sigma_ * std::sqrt(2 * std::numbers::pi));
    }
  }
  void replicate(Index begin, Out out) override {
    for (Index i = 0; i < out.size(); ++i) {
      Stream stream = rng_.child("row", static_cast<std::uint64_t>(begin + i)).stream("response");
      out[i] = mean(begin + i) + sigma_ * stream.normal();
    }
  }

 private:
  double mean(Index row) const { return mu_ + static_cast<double>(row) / 10; }

  std::vector<double> observed_;
  Index rows_;
  double mu_ = 0, sigma_ = 1;
  Rng rng_{0};
};

}  // namespace quasar::test
