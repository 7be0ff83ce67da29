// What a fitted network says of rows, given a draw of its weights.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/predict.hpp>

#include "models/network/network_data.hpp"

namespace quasar {

template <class Real>
class NetworkPredictor final : public Predictor {
 public:
  NetworkPredictor(std::shared_ptr<const NetworkData<Real>> data, NetworkShape shape);

  std::unique_ptr<Predictor> fork() const override { return std::make_unique<NetworkPredictor>(*this); }
  Index rows() const override { return data_->response.size(); }
  std::span<const std::string> classes() const override { return data_->classes; }
  std::span<const double> observed() const override { return *observed_; }

  void take(std::span<const double> draw, const Rng& rng) override;
  void predict(Index begin, Eigen::Ref<Mat> out) override;
  void log_density(Index begin, Out out) override;
  void replicate(Index begin, Out out) override;

 private:
  bool gaussian() const { return net_.shape().output == Output::gaussian; }
  // use(begin, scores) block after block of these rows, begin counted from the first of them. Scores of classes are
  // logarithms of their probabilities.
  template <class Use>
  void each_block(Index begin, Index count, Use&& use);

  std::shared_ptr<const NetworkData<Real>> data_;
  std::shared_ptr<const std::vector<double>> observed_;  // on the scale of the data
  FeedForward<Real> net_;
  double sigma_ = 1;  // of a number, on the scale of the data
  Rng rng_{0};
};

extern template class NetworkPredictor<float>;
extern template class NetworkPredictor<double>;

}  // namespace quasar
