// From parameters to a chain: the part that all samplers with a step size and a metric share.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "adapt/mass.hpp"
#include "adapt/warmup.hpp"
#include "core/kernel_chain.hpp"

namespace quasar {

inline constexpr std::array<Choice, 4> metric_choices{{{"identity"}, {"welford"}, {"welford_dense"}, {"fisher_diag"}}};

constexpr ParamSpec step_size_param(std::string_view doc) { return {"step_size", doc, ParamSpec::real, "0", 0}; }
constexpr ParamSpec target_accept_param(std::string_view init) {
  return {"target_accept", "acceptance rate aimed at in warm-up", ParamSpec::real, init, 0, 0.999, true};
}
inline constexpr ParamSpec metric_param{
    "metric",
    "preconditioner: identity, variances of the draws (welford), their covariance (welford_dense), or variances from "
    "draws and gradients (fisher_diag)",
    ParamSpec::choice,
    "fisher_diag",
    -ParamSpec::inf,
    ParamSpec::inf,
    false,
    metric_choices};

template <class F>
std::unique_ptr<Chain> with_learner(const std::string& metric, F&& make) {
  if (metric == "identity") return make.template operator()<FixedIdentity>();
  if (metric == "welford") return make.template operator()<WelfordDiagonal>();
  if (metric == "welford_dense") return make.template operator()<WelfordDense>();
  return make.template operator()<FisherDiagonal>();
}

// KernelOf<metric> on the whole of x, its step size (unless given) and metric learned in warm-up.
template <template <class> class KernelOf, class SetParams>
std::unique_ptr<Chain> make_adapted(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                    SetParams&& set_params) {
  return with_learner(config.text("metric"), [&]<class Learner>() -> std::unique_ptr<Chain> {
    using K = KernelOf<typename Learner::Metric>;
    const Block whole{0, target->dim()};
    const bool fixed = config.real("step_size") > 0;
    typename K::Params params;
    params.metric = typename Learner::Metric(whole.size);
    params.step_size = fixed ? config.real("step_size") : 1.0;
    set_params(params);
    Warmup<Learner> warmup(spec.schedule.warmup, config.real("target_accept"), fixed, whole);
    K kernel(*target, whole, std::move(params));
    return std::make_unique<KernelChain<K, Warmup<Learner>>>(std::move(target), std::move(kernel), std::move(warmup),
                                                             spec);
  });
}

}  // namespace quasar
