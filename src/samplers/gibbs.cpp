// gibbs, and als: the same at temperature 0.
#include <fmt/core.h>

#include <array>

#include <quasar/errors.hpp>

#include "core/kernel_chain.hpp"
#include "kernels/gibbs/row_gibbs.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

RowSweep& sweep_of(Target& target, const char* who) {
  auto* sweep = dynamic_cast<RowSweep*>(&target);
  if (!sweep) {
    throw UsageError(
        fmt::format("{} needs a model that can draw all of its parameters from their conditional laws, as bpmf can, "
                    "and alpha-mf with model.augmentation=components, though not with --prior-only or --shards. "
                    "Use nuts or sghmc for instance",
                    who));
  }
  return *sweep;
}

std::unique_ptr<Chain> make_sweeps(std::unique_ptr<Target> target, RowSweep& sweep, double temperature,
                                   const Config& config, const ChainSpec& spec) {
  RowGibbs kernel(sweep, {{temperature, static_cast<int>(config.integer("threads"))}});
  return std::make_unique<KernelChain<RowGibbs, NoAdaptation>>(std::move(target), kernel, NoAdaptation(), spec);
}

}  // namespace

std::span<const ParamSpec> gibbs_params() {
  static constexpr std::array params{ParamSpec{.name = "threads",
                                               .doc = "threads of each chain, over the rows; the draws are the same",
                                               .type = ParamSpec::integer,
                                               .init = "1",
                                               .min = 1,
                                               .max = 1024}};
  return params;
}

std::unique_ptr<Chain> make_gibbs(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  RowSweep& sweep = sweep_of(*target, "gibbs");
  return make_sweeps(std::move(target), sweep, 1, config, spec);
}

std::span<const ParamSpec> als_params() { return gibbs_params(); }

// Rows at their conditional means vary less than rows of the posterior: precisions drawn for them would grow without
// end, and the rows shrink to nothing.
std::unique_ptr<Chain> make_als(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  RowSweep& sweep = sweep_of(*target, "als");
  if (!sweep.has_density()) {
    throw UsageError("als seeks a mode, and this model has no density: sample with gibbs");
  }
  if (!target->conditionals().empty()) {
    throw UsageError(
        "als seeks a mode of all coordinates together, and this model draws some of them by Gibbs steps. Give them, "
        "with model.hyperprior=fixed for bpmf, or sample with gibbs");
  }
  return make_sweeps(std::move(target), sweep, 0, config, spec);
}

}  // namespace quasar
