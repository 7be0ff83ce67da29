#include "models/regression/logistic.hpp"

#include <cmath>

#include "models/regression/columns.hpp"
#include "simd/logistic_residuals.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

// Per row, with e = exp(-|z|): y - sigmoid(z) is the slope, and y z - log(1 + e^z) = y z - max(z, 0) - log(1 + e).
// A whole block needs one logarithm: the factors 1 + e lie in [1, 2], so the product of a block cannot overflow.
struct Link {
  double weight;
  Want want;
  double logp = 0;
  Eigen::Array<double, block_rows, 1> e = {};  // of one block

  void operator()(In z, In y, Out slope) {
    const Index count = z.size();
    simd::logistic_residuals(z.data(), y.data(), weight, slope.data(), e.data(), static_cast<std::size_t>(count));
    if (want == Want::gradient) return;
    const double linear = (y.array() * z.array() - z.array().max(0.0)).sum();
    logp += weight * (linear - std::log((1 + e.head(count)).prod()));
  }

  Eval result(In grad) const { return want == Want::both ? checked(logp) : checked_gradient(grad); }
};
static_assert(block_rows < 1024, "the product of 2^1024 would overflow");

}  // namespace

Eval Logistic::prior(In x, Out grad, Want) { return checked(normal_prior(x, prior_sd_, grad)); }

Eval Logistic::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) {
  Link link{weight, want};
  rows_.visit_terms(x, ids, grad, link);
  return link.result(grad);
}

Eval Logistic::add_range(In x, Index begin, Index end, double weight, Out grad, Want want) {
  Link link{weight, want};
  rows_.visit_range(x, begin, end, grad, link);
  return link.result(grad);
}

std::unique_ptr<Target> make_logistic(const Config& config, const Table* data) {
  const Table& table = require_table(data, "logistic");
  auto design = std::make_shared<const Design>(table, config.text("target"), config.flag("standardize"),
                                               Design::Response::binary);
  return std::make_unique<Logistic>(design, config.real("prior_sd"));
}

}  // namespace quasar
