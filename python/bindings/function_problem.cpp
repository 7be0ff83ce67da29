#include "function_problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "arrays.hpp"
#include "manifolds.hpp"

namespace quasar::python {
namespace {

void copy_numbers_to(nb::handle array, MatOut out) {
  const auto numbers = nb::cast<Vector>(array);
  if (static_cast<Index>(numbers.size()) != out.size()) {
    throw nb::value_error(fmt::format("{} numbers instead of {}", numbers.size(), out.size()).c_str());
  }
  out = Eigen::Map<const Mat>(numbers.data(), out.rows(), out.cols());
}

NewArray<std::int64_t> array_of_terms(std::span<const Index> terms) {
  auto array = new_array<std::int64_t>({terms.size()});
  std::copy(terms.begin(), terms.end(), array.data());
  return array;
}

void require_finite(const Manifold& manifold, double cost) {
  if (!std::isfinite(cost)) throw DataError(fmt::format("the cost is {} at a point of {}", cost, manifold.name()));
}

void require_finite(const Manifold& manifold, const char* what, MatIn numbers) {
  if (numbers.allFinite()) return;
  throw DataError(fmt::format("the {} has entries that are not finite, at a point of {}", what, manifold.name()));
}

}  // namespace

FunctionProblem::FunctionProblem(ManifoldPtr manifold, const CostFunctions& functions)
    : manifold_(std::move(manifold)),
      value_(share(functions.value)),
      gradient_(share(functions.gradient)),
      hessian_(functions.hessian.is_none() ? nullptr : share(functions.hessian)),
      batch_gradient_(functions.batch_gradient.is_none() ? nullptr : share(functions.batch_gradient)),
      terms_(functions.terms),
      riemannian_(functions.riemannian),
      partials_(manifold_->shape().rows, manifold_->shape().cols),
      second_(partials_) {}

void FunctionProblem::convert(MatIn x, MatOut gradient) const {
  if (!riemannian_) manifold_->gradient(x, gradient, gradient);
}

double FunctionProblem::value(MatIn x) {
  const InterpreterLock lock;
  return nb::cast<double>((*value_)(as_array(x)));
}

void FunctionProblem::ask_for_partials(MatIn x) {
  if (at_.size() > 0 && at_ == x) return;
  at_.resize(0, 0);
  {
    const InterpreterLock lock;
    const nb::object both = (*gradient_)(as_array(x));
    cost_ = nb::cast<double>(both[0]);
    copy_numbers_to(both[1], partials_);
  }
  require_finite(*manifold_, cost_);
  require_finite(*manifold_, "gradient", partials_);
  at_ = x;
}

double FunctionProblem::gradient(MatIn x, MatOut gradient) {
  ask_for_partials(x);
  gradient = partials_;
  convert(x, gradient);
  return cost_;
}

void FunctionProblem::hessian(MatIn x, MatIn u, MatOut out) {
  if (!hessian_) return ManifoldProblem::hessian(x, u, out);
  if (!riemannian_) ask_for_partials(x);
  {
    const InterpreterLock lock;
    copy_numbers_to((*hessian_)(as_array(x), as_array(u)), second_);
  }
  require_finite(*manifold_, "Hessian", second_);
  if (riemannian_) {
    out = second_;
  } else {
    manifold_->hessian(x, partials_, second_, u, out);
  }
}

void FunctionProblem::mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) {
  {
    const InterpreterLock lock;
    copy_numbers_to((*batch_gradient_)(as_array(x), array_of_terms(terms)), gradient);
  }
  require_finite(*manifold_, "gradient of a batch", gradient);
  convert(x, gradient);
}

}  // namespace quasar::python
