#include <fmt/core.h>

#include <initializer_list>

#include <quasar/errors.hpp>

#include "kernels/hmc/hmc.hpp"
#include "kernels/hmc/qnhmc_printed.hpp"
#include "metrics/bfgs_matrix.hpp"
#include "metrics/squared.hpp"
#include "samplers/adapted.hpp"
#include "samplers/ensemble.hpp"
#include "samplers/quasi_newton.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {
namespace {

// Learns C for the published form.
template <class Learner>
class SquaredLearner {
 public:
  using Metric = Squared<typename Learner::Metric>;
  explicit SquaredLearner(Index dim = 0) : root_(dim) {}
  void add(In x, In g) { root_.add(x, g); }
  bool learn(Metric& metric, const LocalGradient& gradient, const Rng& rng) {
    return root_.learn(metric.root(), gradient, rng);
  }
  void reset() { root_.reset(); }
  static void fields(auto& self, auto&& visit) { visit("root", self.root_); }

 private:
  Learner root_;
};

struct Making {
  std::unique_ptr<Target> target;
  const Config& config;
  const ChainSpec& spec;
};

std::unique_ptr<Chain> learned_in_warmup(Making m) {
  const Index dim = moving_block(*m.target).size;
  const auto set = [&](auto& params) { set_trajectory(m.config, params); };
  return with_curvature(dim, m.config, [&]<class Metric>(Metric metric) -> std::unique_ptr<Chain> {
    using Learner = CurvatureMass<Metric>;
    if (m.config.text("form") == "velocity") {
      return make_learning<Hmc<Metric>, Learner>(std::move(m.target), step_size_rule(m.config), m.spec,
                                                 std::move(metric), set);
    }
    using Twice = SquaredLearner<Learner>;
    return make_learning<Hmc<typename Twice::Metric>, Twice>(std::move(m.target), step_size_rule(m.config), m.spec,
                                                             Squared<Metric>(std::move(metric), dim), set);
  });
}

template <class C>
std::unique_ptr<Chain> printed_with(Making m, C initial) {
  using K = PrintedQnhmc<C>;
  const StepSizeRule rule = step_size_rule(m.config);
  typename K::Params params;
  set_trajectory(m.config, params);
  params.step_size = rule.first();
  params.initial = std::move(initial);
  K kernel(*m.target, moving_block(*m.target), std::move(params));
  return std::make_unique<KernelChain<K, StepSizeWarmup>>(std::move(m.target), std::move(kernel), rule.warmup(),
                                                          m.spec);
}

std::unique_ptr<Chain> as_printed(Making m) {
  const Index dim = moving_block(*m.target).size;
  const std::int64_t memory = memory_for(dim, m.config);
  if (memory == 0) return printed_with(std::move(m), BfgsMatrix(dim));
  return printed_with(std::move(m), Lbfgs(dim, memory));
}

// A setting that another one leaves without effect is a mistake, not a wish.
void refuse(const Config& config, std::initializer_list<std::string_view> names) {
  const Config defaults("qnhmc", qnhmc_params(), {});
  for (const std::string_view name : names) {
    if (config.values().find(name)->second == defaults.values().find(name)->second) continue;
    throw UsageError(fmt::format("qnhmc: {} has no meaning with adapt={}", name, config.text("adapt")));
  }
}

}  // namespace

std::span<const ParamSpec> qnhmc_params() {
  static constexpr std::array<Choice, 3> adapt_choices{{{"warmup"}, {"ensemble"}, {"printed", Law::biased}}};
  static constexpr std::array<Choice, 2> form_choices{{{"velocity"}, {"published"}}};
  static constexpr std::array params{
      step_size_param("leapfrog step size; 0: learned in warm-up"),
      leapfrog_steps_param,
      integration_time_param(beyond_quarter_period),
      jitter_param,
      ParamSpec{"adapt",
                "warmup: the metric is learned in warm-up, then frozen; ensemble: each of `members` chains learns from "
                "the others for ever, as in hmc-bfgs; printed: from its own past for ever, as published",
                ParamSpec::choice, "warmup", -ParamSpec::inf, ParamSpec::inf, false, adapt_choices},
      ParamSpec{"form", "with adapt=warmup: velocity has the inverse mass H, published has H^2", ParamSpec::choice,
                "velocity", -ParamSpec::inf, ParamSpec::inf, false, form_choices},
      quasi_newton_memory_param,
      members_param,
      target_accept_param("0.8")};
  return params;
}

std::unique_ptr<Chain> make_qnhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const std::string& adapt = config.text("adapt");
  if (adapt == "ensemble") {
    refuse(config, {"form", "memory"});
    return make_ensemble(std::move(target), config, spec);
  }
  refuse(config, {"members"});
  if (adapt == "printed") refuse(config, {"form"});
  Making making{std::move(target), config, spec};
  return adapt == "printed" ? as_printed(std::move(making)) : learned_in_warmup(std::move(making));
}

}  // namespace quasar
