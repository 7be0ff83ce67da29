// From parameters to a chain: the part that all samplers with a step size and a metric share.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "adapt/curvature_mass.hpp"
#include "adapt/fisher_low_rank.hpp"
#include "adapt/mass.hpp"
#include "adapt/warmup.hpp"
#include "core/kernel_chain.hpp"

namespace quasar {

inline constexpr std::array<Choice, 6> metric_choices{
    {{"identity"}, {"welford"}, {"welford_dense"}, {"fisher_diag"}, {"fisher_lowrank"}, {"lbfgs"}}};

constexpr ParamSpec step_size_param(std::string_view doc) { return {"step_size", doc, ParamSpec::real, "0", 0}; }
constexpr ParamSpec target_accept_param(std::string_view init) {
  return {"target_accept", "acceptance rate aimed at in warm-up", ParamSpec::real, init, 0, 0.999, true};
}
inline constexpr ParamSpec metric_param{
    "metric",
    "preconditioner: identity, variances of the draws (welford), their covariance (welford_dense), variances from "
    "draws "
    "and gradients (fisher_diag), these and the directions that stand out (fisher_lowrank), or L-BFGS on pairs from "
    "probing the curvature (lbfgs)",
    ParamSpec::choice,
    "fisher_diag",
    -ParamSpec::inf,
    ParamSpec::inf,
    false,
    metric_choices};

inline constexpr ParamSpec memory_param{"memory", "pairs that metric=lbfgs keeps", ParamSpec::integer, "20", 1, 1000};

struct StepSizeRule {
  double given;  // 0: learned
  double target_accept;
  bool fixed() const { return given > 0; }
  double first() const { return fixed() ? given : 1.0; }
  StepSizeWarmup warmup() const { return {target_accept, fixed()}; }
};

inline StepSizeRule step_size_rule(const Config& config) {
  return {config.real("step_size"), config.real("target_accept")};
}

// A kernel of type K, its metric and by that rule its step size learned in warm-up.
template <class K, class Learner, class SetParams>
std::unique_ptr<Chain> make_learning(std::unique_ptr<Target> target, const StepSizeRule& rule, const ChainSpec& spec,
                                     typename Learner::Metric metric, SetParams&& set_params) {
  const Block block = moving_block(*target);
  typename K::Params params;
  params.metric = std::move(metric);
  params.step_size = rule.first();
  set_params(params);
  Warmup<Learner> warmup(spec.schedule.warmup, rule.target_accept, rule.fixed(), block);
  K kernel(*target, block, std::move(params));
  return std::make_unique<KernelChain<K, Warmup<Learner>>>(std::move(target), std::move(kernel), std::move(warmup),
                                                           spec);
}

// KernelOf<metric>, with the metric that the user has chosen.
template <template <class> class KernelOf, class SetParams>
std::unique_ptr<Chain> make_adapted(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                    SetParams&& set_params) {
  const Index dim = moving_block(*target).size;
  const auto make = [&]<class Learner>(typename Learner::Metric metric) {
    return make_learning<KernelOf<typename Learner::Metric>, Learner>(std::move(target), step_size_rule(config), spec,
                                                                      std::move(metric), set_params);
  };
  const std::string& metric = config.text("metric");
  if (metric == "identity") return make.template operator()<FixedIdentity>(Identity(dim));
  if (metric == "welford") return make.template operator()<WelfordDiagonal>(Diagonal(dim));
  if (metric == "welford_dense") return make.template operator()<WelfordDense>(Dense(dim));
  if (metric == "fisher_lowrank") return make.template operator()<FisherLowRank>(LowRank(dim, fisher_rank(dim)));
  if (metric == "lbfgs") return make.template operator()<CurvatureMass<Lbfgs>>(Lbfgs(dim, config.integer("memory")));
  return make.template operator()<FisherDiagonal>(Diagonal(dim));
}

}  // namespace quasar
