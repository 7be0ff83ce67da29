// Defaults of the vocabulary: sizes, the plain layout, and the finite sum in fixed chunks.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/transforms.hpp>

#include "core/sum_chunk.hpp"

namespace quasar {

Index Variable::size() const { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

Index Layout::size() const {
  return std::accumulate(variables.begin(), variables.end(), Index{0},
                         [](Index sum, const Variable& v) { return sum + v.size(); });
}

Layout Target::layout() const { return {{{"x", {dim()}, {}}}, {}}; }

void Target::constrain(In x, Out values, const Rng&) { values = x; }

void Target::unconstrain(In values, Out x) const {
  if (values.size() != x.size()) throw UsageError("this model cannot be started from given values");
  x = values;
}

// In unconstrained coordinates as Stan does; into the support of a target in natural ones.
void Target::draw_start(Out x, const Rng& rng) const {
  constexpr double radius = 2;
  Vec start(x.size());
  rng.stream("start").uniforms(start);
  start = radius * (2 * start.array() - 1);
  transform::into_support(support(), start);
  x = start;
}

void Target::draw_conditional(Index, In, Out, const Rng&) {
  throw std::logic_error("draw_conditional called on a target that states no conditionals");
}

Eval FiniteSum::add_range(In x, Index begin, Index end, double weight, Out grad, Want want) {
  std::vector<Index> ids(static_cast<std::size_t>(end - begin));
  std::iota(ids.begin(), ids.end(), begin);
  return add_terms(x, ids, weight, grad, want);
}

Eval FiniteSum::add_all(In x, double weight, Out grad, Want want) {
  Eval sum{0};
  for (Index begin = 0; sum.ok && begin < terms(); begin += sum_chunk) {
    const Eval part = add_range(x, begin, std::min(begin + sum_chunk, terms()), weight, grad, want);
    sum = {sum.logp + part.logp, part.ok};
  }
  return sum;
}

Eval FiniteSum::logp_grad(In x, Out grad) {
  const Eval at_prior = prior(x, grad, Want::both);
  if (!at_prior.ok) return at_prior;
  const Eval likelihood = add_all(x, 1.0, grad, Want::both);
  return {at_prior.logp + likelihood.logp, likelihood.ok};
}

}  // namespace quasar
