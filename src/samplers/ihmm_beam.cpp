// ihmm-beam: the sweeps of the infinite hidden Markov model.
#include <quasar/errors.hpp>

#include "core/kernel_chain.hpp"
#include "kernels/gibbs/row_gibbs.hpp"
#include "models/sequences/ihmm.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

std::span<const ParamSpec> ihmm_beam_params() { return {}; }

std::unique_ptr<Chain> make_ihmm_beam(std::unique_ptr<Target> target, const Config&, const ChainSpec& spec) {
  auto* model = dynamic_cast<Ihmm*>(target.get());
  if (!model) throw UsageError("ihmm-beam needs the model ihmm. Use nuts for instance");
  const RowGibbs kernel(*model, {});
  return std::make_unique<KernelChain<RowGibbs, NoAdaptation>>(std::move(target), kernel, NoAdaptation(), spec);
}

}  // namespace quasar
