#include "models/factorization/row_prior.hpp"

#include "models/factorization/diagonal_prior.hpp"
#include "models/factorization/scalar_prior.hpp"
#include "models/factorization/wishart_prior.hpp"

namespace quasar {

std::unique_ptr<RowPrior> make_row_prior(const Config& config, Index width) {
  const std::string& kind = config.text("hyperprior");
  const GammaPrior prior{config.real("shape"), config.real("rate")};
  const double strength = config.real("strength");
  const bool biases = config.flag("biases");
  if (kind == "scalar") return std::make_unique<ScalarPrior>(biases ? width - 1 : width, biases, prior);
  if (kind == "diagonal") return std::make_unique<DiagonalPrior>(width, strength, prior);
  if (kind == "wishart") return std::make_unique<WishartPrior>(width, strength);
  Vec precisions = Vec::Constant(width, config.real("precision"));
  if (biases) precisions[width - 1] = config.real("bias_precision");
  return std::make_unique<FixedPrior>(std::move(precisions));
}

}  // namespace quasar
