#include "models/network/network_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "models/network/outputs.hpp"

namespace quasar {

namespace {

// Empty: the rows have no response.
template <class Real>
std::vector<double> observations(const NetworkData<Real>& data) {
  if (!data.response.allFinite()) return {};
  std::vector<double> all(static_cast<std::size_t>(data.response.size()));
  const Vec original = data.scale.mean + data.scale.sd * data.response.array();
  std::copy(original.begin(), original.end(), all.begin());
  return all;
}

}  // namespace

template <class Real>
NetworkPredictor<Real>::NetworkPredictor(std::shared_ptr<const NetworkData<Real>> data, NetworkShape shape)
    : data_(std::move(data)),
      observed_(std::make_shared<const std::vector<double>>(observations(*data_))),
      net_(std::move(shape), data_->inputs.sparse()) {}

// A draw is the layout of the model: weights and biases as in x, precisions, and sigma last.
template <class Real>
void NetworkPredictor<Real>::take(std::span<const double> draw, const Rng& rng) {
  const Index parameters = net_.shape().parameters();
  const Index size = parameters + 2 * net_.shape().layers() + (gaussian() ? 1 : 0);
  if (std::ssize(draw) != size) throw std::invalid_argument("a draw of another network");
  net_.take(Eigen::Map<const Vec>(draw.data(), parameters));
  if (gaussian()) sigma_ = draw.back();
  rng_ = rng;
}

template <class Real>
template <class Use>
void NetworkPredictor<Real>::each_block(Index begin, Index count, Use&& use) {
  in_network_blocks(count, [&](Index done, Index size) {
    net_.forward(data_->inputs.range(begin + done, size));
    auto scores = net_.scores();
    if (!gaussian()) log_softmax(scores);
    use(done, scores.template cast<double>());
  });
}

template <class Real>
void NetworkPredictor<Real>::predict(Index begin, Eigen::Ref<Mat> out) {
  each_block(begin, out.rows(), [&](Index done, const auto& scores) {
    auto here = out.middleRows(done, scores.rows());
    if (gaussian()) {
      here.col(0) = data_->scale.mean + data_->scale.sd * scores.col(0).array();
      here.col(1).setConstant(sigma_);
    } else {
      here = scores.array().exp();
    }
  });
}

template <class Real>
void NetworkPredictor<Real>::log_density(Index begin, Out out) {
  const double constant = -std::log(sigma_) - 0.5 * std::log(2 * std::numbers::pi);
  each_block(begin, out.size(), [&](Index done, const auto& scores) {
    for (Index i = 0; i < scores.rows(); ++i) {
      const double y = data_->response[begin + done + i];
      if (gaussian()) {
        const double z = data_->scale.sd * (y - scores(i, 0)) / sigma_;
        out[done + i] = constant - 0.5 * z * z;
      } else {
        out[done + i] = scores(i, static_cast<Index>(y));
      }
    }
  });
}

// A row's number is the element that it takes, so that it does not depend on the rows around it.
template <class Real>
void NetworkPredictor<Real>::replicate(Index begin, Out out) {
  Stream stream = rng_.stream("replicate");
  Vec probabilities(net_.shape().outputs());
  each_block(begin, out.size(), [&](Index done, const auto& scores) {
    stream.seek(static_cast<std::uint64_t>(begin + done));
    for (Index i = 0; i < scores.rows(); ++i) {
      if (gaussian()) {
        out[done + i] = data_->scale.mean + data_->scale.sd * scores(i, 0) + sigma_ * stream.normal();
      } else {
        probabilities = scores.row(i).array().exp();
        out[done + i] = static_cast<double>(stream.categorical(probabilities));
      }
    }
  });
}

template class NetworkPredictor<float>;
template class NetworkPredictor<double>;

}  // namespace quasar
