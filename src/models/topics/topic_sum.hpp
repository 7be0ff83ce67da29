// The posterior of what the topics' weights are made of, as a sum over documents, for samplers on estimated gradients:
//
//   log p(theta) + sum_j log p(x_j | r),   p(x_j | r) ~ prod_k Gamma(r_k + x_jk)/Gamma(r_k)
//                                                       Gamma(b0 + r.) / Gamma(a0 + b0 + n_j + r.),   r. = sum_k r_k,
//
// x_jk the tokens of document j in topic k, n_j all of them, theta of the document and p_j ~ Beta(a0, b0) integrated
// out. (Drawn instead, p_j has the slope log(1 - p_j), of which psi(b0 + r.) - psi(a0 + b0 + n_j + r.) here is the
// mean: less noise, and nothing to keep.) The x_j are those of LocalTopics, drawn when a document is first asked for;
// the gradient by r is then one of log p(document j | phi, r), without bias where x_j comes from its law.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <quasar/core.hpp>

#include "models/topics/local_topics.hpp"
#include "models/topics/weight_density.hpp"
#include "targets/gamma.hpp"

namespace quasar {

struct BetaPrior {
  double a, b;
};

class TopicSum final : public FiniteSum {
 public:
  enum class Coordinates { logarithms, natural };  // x_i = s_i log theta_i; or s_i theta_i, with the metric diag(1/x)
  TopicSum(std::shared_ptr<LocalTopics> local, std::shared_ptr<const WeightDensity> law, BetaPrior probability,
           Coordinates coordinates);

  std::unique_ptr<Target> fork() const override { return std::make_unique<TopicSum>(*this); }
  Index dim() const override { return point_.theta.size(); }
  Threads threads() const override { return Threads::one; }  // all forks look at the same documents
  Layout layout() const override { return law_->layout(); }
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  std::span<const Interval> support() const override { return support_; }
  Geometry* geometry() override { return natural() ? &geometry_ : nullptr; }

  Index terms() const override { return local_->documents(); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;

 private:
  bool natural() const { return !support_.empty(); }
  bool locate(In x);  // false: not positive, or too large
  double add_document(Index document, Want want);
  void add_slope(In x, double weight, double jacobian, Out grad) const;

  std::shared_ptr<LocalTopics> local_;
  std::shared_ptr<const WeightDensity> law_;
  BetaPrior probability_;
  Vec scale_;                      // s
  std::vector<Interval> support_;  // empty: logarithms
  PositiveGeometry geometry_;
  // scratch
  PositivePoint point_;
  WeightsAt weights_;
  Vec weight_slope_, slope_;
};

}  // namespace quasar
