// network: a Bayesian neural network, fully connected, with softmax or Gaussian output.
//
// Each group G of weights (the weights of a layer, its biases) is N(0, 1/lambda_G), lambda_G ~ Gamma(shape, rate); a
// Gaussian output has precision tau on the scale of a response of unit variance, with a Gamma prior of its own: a rate
// of 1 is as much as two residuals of the size of the response, which a good fit has no room for. The precisions are
// drawn by Gibbs steps once a pass (Neal 1996; Chen, Fox and Guestrin 2014):
//
//   lambda_G | w ~ Gamma(shape + n_G/2, rate + |w|^2/2),   tau | w, y ~ Gamma(shape + N/2, rate + sum r^2/2).
//
// x = weights and biases layer by layer, then log lambda, then log tau.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "models/gamma_precision.hpp"
#include "models/network/feed_forward.hpp"
#include "models/network/network_data.hpp"

namespace quasar {

inline constexpr GammaPrior weak_noise_prior{0.01, 0.01};

template <class Real>
class Network final : public FiniteSum {
 public:
  Network(std::shared_ptr<const NetworkData<Real>> data, NetworkShape shape, GammaPrior prior,
          GammaPrior noise_prior = weak_noise_prior);

  std::unique_ptr<Target> fork() const override { return std::make_unique<Network>(*this); }
  Index dim() const override { return parameters_ + std::ssize(groups_) + (gaussian() ? 1 : 0); }
  Layout layout() const override;
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  void draw_start(Out x, const Rng& rng) const override;
  ConstantData constant_data() const override { return data_->kept; }
  std::span<const Conditional> conditionals() const override;
  void draw_conditional(Index i, In x, Out out, const Rng& rng) override;

  Index terms() const override { return data_->response.size(); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;

 private:
  using Rows = typename FeedForward<Real>::Rows;
  struct Sums {
    double logp = 0, squares = 0;
  };

  bool gaussian() const { return net_.shape().output == Output::gaussian; }
  Index log_tau() const { return parameters_ + std::ssize(groups_); }  // where it is in x

  void add_block(const InputBlock<Real>& rows, In response, double weight, double tau, Sums& sums);
  Eval finish(In x, const Sums& sums, Index rows, double weight, Out grad);
  void softmax_slopes(In response, double weight, Sums& sums);
  double residuals(In response);  // instead of the scores; returns the sum of their squares
  double all_squares(In x);

  std::shared_ptr<const NetworkData<Real>> data_;
  GammaPrior prior_, noise_prior_;  // of the precisions of groups; of tau
  FeedForward<Real> net_;
  Index parameters_;
  std::vector<Block> groups_;
  std::array<Conditional, 2> conditionals_;
  // scratch
  Rows gathered_;
  Vec gathered_response_;
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace quasar
