#include "core/initial_point.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/row_sweep.hpp>

namespace quasar {
namespace {

constexpr int max_tries = 100;

// Empty: the chain can start here.
std::string what_is_wrong(Target& target, const Vec& x, Vec& grad) {
  const Eval at = target.logp_grad(x, grad);
  if (!at.ok) {
    const std::string_view why = target.rejection();
    return fmt::format("the model rejects the point{}{}{}", why.empty() ? "" : " (", why, why.empty() ? "" : ")");
  }
  if (!std::isfinite(at.logp)) return fmt::format("the log density is {}", at.logp);
  for (Index i = 0; i < grad.size(); ++i) {
    if (!std::isfinite(grad[i])) return fmt::format("gradient component {} is {}", i + 1, grad[i]);
  }
  return {};
}

}  // namespace

InitialPoint find_initial_point(Target& target, const ChainSpec& spec, const Rng& rng) {
  InitialPoint start{spec.initial, 0};
  Vec grad(target.dim());
  std::string wrong;
  const bool given = spec.initial.size() > 0;
  if (given && spec.initial.size() != target.dim()) {
    throw UsageError(
        fmt::format("the initial point has {} coordinates, the model {}", spec.initial.size(), target.dim()));
  }
  if (!given) start.x.resize(target.dim());
  if (!has_density(target)) {  // nothing to look at
    if (!given) target.draw_start(start.x, rng.child("try"));
    return start;
  }
  const int tries = given ? 1 : max_tries;
  while (start.grad_evals < tries) {
    const auto attempt = static_cast<std::uint64_t>(start.grad_evals++);
    if (!given) target.draw_start(start.x, rng.child("try", attempt));
    wrong = what_is_wrong(target, start.x, grad);
    if (wrong.empty()) return start;
  }
  throw RunError(fmt::format(
      "chain {}: no usable starting point: {} {}. Give one with --init, or check the model and its data",
      spec.chain + 1, wrong, given ? "at the given point" : fmt::format("at all of {} random points", max_tries)));
}

}  // namespace quasar
