#include "function_targets.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "targets/checked.hpp"

namespace quasar::python {

FunctionTarget::FunctionTarget(Callback function, Layout layout)
    : function_(std::move(function)), layout_(std::move(layout)), dim_(layout_.size()), point_("float64", {dim_}) {}

Eval FunctionTarget::logp_grad(In x, Out grad) {
  const InterpreterLock lock;
  const std::array arguments{point_.fill(x.data())};
  return function_(arguments, {grad.data(), static_cast<std::size_t>(dim_)});
}

FunctionSum::FunctionSum(Callback terms, std::optional<Callback> prior, Index count, Layout layout)
    : terms_(std::move(terms)),
      prior_(std::move(prior)),
      count_(count),
      layout_(std::move(layout)),
      dim_(layout_.size()),
      point_("float64", {dim_}),
      ids_("int64", {0}),
      gradient_(dim_) {}

Eval FunctionSum::prior(In x, Out grad, Want) {
  grad.setZero();
  if (!prior_) return {0};
  const InterpreterLock lock;
  const std::array arguments{point_.fill(x.data())};
  const Eval at = (*prior_)(arguments, {grad.data(), static_cast<std::size_t>(dim_)});
  prior_rejects_ = !at.ok;
  return at;
}

Eval FunctionSum::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  const InterpreterLock lock;
  ids_.resize(std::ssize(ids));
  const std::array arguments{point_.fill(x.data()), ids_.fill(ids.data())};
  const Eval sum = terms_(arguments, {gradient_.data(), static_cast<std::size_t>(dim_)});
  if (!sum.ok) return sum;
  grad += weight * gradient_;
  return checked(weight * sum.logp);
}

}  // namespace quasar::python
