#include "core/gibbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

constexpr double rounding = 1e-9;  // ten batches of a tenth are a pass, though 0.1 added ten times falls short of 1

bool is_due(double passes_since, const Conditional& one) {
  return passes_since + rounding >= static_cast<double>(one.every);
}

}  // namespace

Block moving_block(const Target& target) {
  Index drawn = 0;
  for (const Conditional& one : target.conditionals()) drawn += one.block.size;
  const Index moving = target.dim() - drawn;
  Index next = moving;
  for (const Conditional& one : target.conditionals()) {
    if (one.block.begin != next) throw std::logic_error("the blocks that are drawn exactly must be the last of x");
    next += one.block.size;
  }
  return {0, moving};
}

void expect_no_conditionals(const Target& target, const char* who) {
  if (target.conditionals().empty()) return;
  throw UsageError(fmt::format(
      "{} moves all coordinates of a model together, and this model draws some of them by Gibbs steps. Use nuts, hmc, "
      "sghmc or sgld for instance",
      who));
}

Gibbs::Gibbs(const Target& target, int members) : passes_(Mat::Zero(std::ssize(target.conditionals()), members)) {
  Index longest = 0;
  for (const Conditional& one : target.conditionals()) longest = std::max(longest, one.block.size);
  scratch_.resize(longest);
}

bool Gibbs::count(const Target& target, int member, double passes) {
  bool due = false;
  for (Index i = 0; i < passes_.rows(); ++i) {
    passes_(i, member) += passes;
    due = due || is_due(passes_(i, member), target.conditionals()[static_cast<std::size_t>(i)]);
  }
  return due;
}

void Gibbs::draw_due(Target& target, int member, Vec& x, const Rng& rng) {
  for (Index i = 0; i < passes_.rows(); ++i) {
    const Conditional& one = target.conditionals()[static_cast<std::size_t>(i)];
    double& since = passes_(i, member);
    if (!is_due(since, one)) continue;
    const auto every = static_cast<double>(one.every);
    since = every > 0 ? std::max(0.0, since - every * std::floor((since + rounding) / every)) : 0;
    auto out = scratch_.head(one.block.size);
    target.draw_conditional(i, x, out, rng.child("cycle", static_cast<std::uint64_t>(i)));
    x.segment(one.block.begin, one.block.size) = out;
  }
}

}  // namespace quasar
