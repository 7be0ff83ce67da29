#include "models/prior_only.hpp"

#include <quasar/errors.hpp>
#include <quasar/row_sweep.hpp>

namespace quasar {

std::unique_ptr<Target> without_likelihood(std::unique_ptr<Target> target) {
  auto* model = dynamic_cast<FiniteSum*>(target.get());
  if (dynamic_cast<const RowSweep*>(target.get()) && model == nullptr) {
    throw UsageError("--prior-only is not for this model: its sweeps need the data");
  }
  if (model == nullptr) throw UsageError("this model has no likelihood to leave out: it is a density without data");
  if (!model->proper_prior()) {
    throw UsageError("the prior of this model is improper or has no density: without its data it cannot be sampled");
  }
  std::unique_ptr<FiniteSum> owned(model);
  (void)target.release();  // now the other's
  return std::make_unique<PriorOnly>(std::move(owned));
}

// A fork of a finite sum is a finite sum, so the likelihood can be left out of it again.
std::unique_ptr<Target> PriorOnly::fork() const { return without_likelihood(model_->fork()); }

}  // namespace quasar
