#include "models/network/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <quasar/errors.hpp>

#include "models/network/outputs.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

constexpr double start_sd = 0.01;  // of the weights: so small that the units of a layer differ and none is saturated

// Softmax slopes are bounded: nothing but this stops a chain whose steps are too large.
[[noreturn]] void throw_runaway(const std::string& group, double log_precision) {
  throw Diverged(fmt::format(
      "the weights have run away: the precision of {} is {:.3g}, which its prior all but rules out. Try a ten times "
      "smaller step_size (learning_rate of sghmc), or a larger batch_size. Where inputs are so small that weights must "
      "be large: model.inputs=standardize",
      group, std::exp(log_precision)));
}

}  // namespace

template <class Real>
Network<Real>::Network(std::shared_ptr<const NetworkData<Real>> data, NetworkShape shape, GammaPrior prior,
                       GammaPrior noise_prior)
    : data_(std::move(data)),
      prior_(prior),
      noise_prior_(noise_prior),
      net_(std::move(shape), data_->inputs.sparse()),
      parameters_(net_.shape().parameters()),
      groups_(net_.shape().groups()),
      conditionals_{{{{parameters_, std::ssize(groups_)}}, {{log_tau(), 1}}}},
      gathered_(data_->inputs.sparse() ? 0 : network_block, net_.shape().inputs()),
      gathered_response_(network_block) {}

template <class Real>
Layout Network<Real>::layout() const {
  const NetworkShape& shape = net_.shape();
  Layout layout;
  layout.coords["input"] = data_->input_names;
  layout.coords["group"] = shape.group_names();
  if (!gaussian()) layout.coords["class"] = data_->classes;
  std::string from = "input";
  for (Index layer = 0; layer < shape.layers(); ++layer) {
    const bool last = layer + 1 == shape.layers();
    const std::string to = last ? "class" : fmt::format("unit_{}", layer + 1);
    Variable weights{fmt::format("weights_{}", layer + 1), {shape.in(layer), shape.out(layer)}, {from, to}};
    Variable bias{fmt::format("bias_{}", layer + 1), {shape.out(layer)}, {to}};
    if (last && gaussian()) {  // a single score
      weights.shape.pop_back(), weights.dims.pop_back();
      bias.shape.clear(), bias.dims.clear();
    }
    layout.variables.push_back(std::move(weights));
    layout.variables.push_back(std::move(bias));
    from = to;
  }
  layout.variables.push_back({"precision", {std::ssize(groups_)}, {"group"}});
  if (gaussian()) layout.variables.push_back({"sigma", {}, {}});
  return layout;
}

template <class Real>
void Network<Real>::constrain(In x, Out values, const Rng&) {
  values.head(parameters_) = x.head(parameters_);
  values.segment(parameters_, std::ssize(groups_)) = x.segment(parameters_, std::ssize(groups_)).array().exp();
  if (gaussian()) values[log_tau()] = data_->scale.sd * std::exp(-x[log_tau()] / 2);
}

template <class Real>
void Network<Real>::unconstrain(In values, Out x) const {
  const auto scales = values.tail(values.size() - parameters_);
  if ((scales.array() <= 0).any()) throw UsageError("network: precision and sigma must be positive");
  x.head(parameters_) = values.head(parameters_);
  x.segment(parameters_, std::ssize(groups_)) = values.segment(parameters_, std::ssize(groups_)).array().log();
  if (gaussian()) x[log_tau()] = -2 * std::log(values[log_tau()] / data_->scale.sd);
}

template <class Real>
void Network<Real>::draw_start(Out x, const Rng& rng) const {
  rng.stream("start").normals(x.head(parameters_));
  x.head(parameters_) *= start_sd;
  x.segment(parameters_, std::ssize(groups_)).setConstant(log_mean(prior_));
  if (gaussian()) x[log_tau()] = log_mean(noise_prior_);
}

template <class Real>
std::span<const Conditional> Network<Real>::conditionals() const {
  return std::span(conditionals_).first(gaussian() ? 2 : 1);
}

template <class Real>
void Network<Real>::draw_conditional(Index i, In x, Out out, const Rng& rng) {
  Stream stream = rng.stream("precision");
  if (i == 1) {
    out[0] = draw_log_precision(noise_prior_, static_cast<double>(terms()), all_squares(x), stream);
    return;
  }
  for (Index g = 0; g < out.size(); ++g) {
    const Block group = groups_[static_cast<std::size_t>(g)];
    out[g] = draw_log_precision(prior_, static_cast<double>(group.size),
                                x.segment(group.begin, group.size).squaredNorm(), stream);
    if (!(out[g] > least_log_precision(prior_))) {  // nor NaN
      throw_runaway(net_.shape().group_names()[static_cast<std::size_t>(g)], out[g]);
    }
  }
}

template <class Real>
Eval Network<Real>::prior(In x, Out grad, Want) {
  double logp = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Block group = groups_[g];
    const Index at = parameters_ + static_cast<Index>(g);
    const auto w = x.segment(group.begin, group.size);
    const PrecisionTerm term(x[at], prior_, static_cast<double>(group.size), w.squaredNorm());
    grad.segment(group.begin, group.size) = -std::exp(x[at]) * w;
    grad[at] = term.slope;
    logp += term.logp;
  }
  if (gaussian()) {
    const PrecisionTerm term(x[log_tau()], noise_prior_);
    grad[log_tau()] = term.slope;
    logp += term.logp;
  }
  return checked(logp);
}

template <class Real>
Eval Network<Real>::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  Sums sums;
  const double tau = gaussian() ? std::exp(x[log_tau()]) : 1;
  net_.take(x.head(parameters_));
  in_network_blocks(std::ssize(ids), [&](Index begin, Index count) {
    const auto now = ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) gathered_response_[i] = data_->response[now[static_cast<std::size_t>(i)]];
    add_block(data_->inputs.pick(now, gathered_), gathered_response_.head(count), weight, tau, sums);
  });
  return finish(x, sums, std::ssize(ids), weight, grad);
}

template <class Real>
Eval Network<Real>::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  Sums sums;
  const double tau = gaussian() ? std::exp(x[log_tau()]) : 1;
  net_.take(x.head(parameters_));
  in_network_blocks(end - begin, [&](Index from, Index count) {
    add_block(data_->inputs.range(begin + from, count), data_->response.segment(begin + from, count), weight, tau,
              sums);
  });
  return finish(x, sums, end - begin, weight, grad);
}

template <class Real>
void Network<Real>::add_block(const InputBlock<Real>& rows, In response, double weight, double tau, Sums& sums) {
  net_.forward(rows);
  if (gaussian()) {
    sums.squares += residuals(response);
    net_.scores() *= static_cast<Real>(weight * tau);
  } else {
    softmax_slopes(response, weight, sums);
  }
  net_.backward(rows);
}

template <class Real>
Eval Network<Real>::finish(In x, const Sums& sums, Index rows, double weight, Out grad) {
  net_.add_slopes(grad.head(parameters_));
  if (!gaussian()) return checked(weight * sums.logp);
  const PrecisionTerm term(x[log_tau()], {0, 0}, static_cast<double>(rows), sums.squares);
  grad[log_tau()] += weight * term.slope;
  return checked(weight * term.logp);
}

// weight (onehot - P): the slopes of the log likelihood.
template <class Real>
void Network<Real>::softmax_slopes(In response, double weight, Sums& sums) {
  auto scores = net_.scores();
  log_softmax(scores);
  const auto observed = [&](Index row) -> Real& { return scores(row, static_cast<Index>(response[row])); };
  for (Index row = 0; row < scores.rows(); ++row) sums.logp += static_cast<double>(observed(row));
  scores.array() = -static_cast<Real>(weight) * scores.array().exp();
  for (Index row = 0; row < scores.rows(); ++row) observed(row) += static_cast<Real>(weight);
}

template <class Real>
double Network<Real>::residuals(In response) {
  auto scores = net_.scores();
  scores.col(0) = response.cast<Real>() - scores.col(0);
  return scores.template cast<double>().squaredNorm();
}

template <class Real>
double Network<Real>::all_squares(In x) {
  double squares = 0;
  net_.take(x.head(parameters_));
  in_network_blocks(terms(), [&](Index begin, Index count) {
    net_.forward(data_->inputs.range(begin, count));
    squares += residuals(data_->response.segment(begin, count));
  });
  return squares;
}

template class Network<float>;
template class Network<double>;

}  // namespace quasar
