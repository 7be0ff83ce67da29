#include "samplers/blocked.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/exchange.hpp>

#include "kernels/blocked/block_sums.hpp"
#include "kernels/blocked/parts.hpp"
#include "samplers/schedule_params.hpp"

namespace quasar {

namespace {

constexpr double aligned_share = 0.5;  // of e k, of which 2 is the limit

// The mean square of the ratings, which are centered.
double rating_variance(const RatingBlocks& ratings, Exchange& exchange) {
  BlockSums sums(ratings.blocks(), 1);
  sums.clear(1);
  for (Index b = ratings.share.begin; b < ratings.share.end; ++b) {
    for (Index c = 0; c < ratings.blocks(); ++c) {
      for (const double value : ratings.block(b, c).value) sums.of(b)[0] += value * value;
    }
  }
  return sums.total(exchange)[0] / Parts(ratings).ratings();
}

// The variance of the factors of one side. What the ratings tell: of K factors with variance s^2 on either side a
// product w'h has the variance K s^4, which is that of the ratings, and a side with a wider prior has more of it. What
// they leave open: all of the prior where a row has no more ratings than factors. 1/(a + n b) of the mean row is a
// bound on its mean over ratings, since n/(a + n b) bends down in n.
double factor_variance(const RatingBlocks& ratings, const BlockedFactorizationSettings& settings, double variance,
                       bool users) {
  const auto rank = static_cast<double>(settings.rank);
  const double sd = users ? settings.user_sd : settings.item_sd, other = users ? settings.item_sd : settings.user_sd;
  const auto rows = static_cast<double>((users ? ratings.users : ratings.items).begin.back());
  const double beyond = std::max(Parts(ratings).ratings() / rows - rank, 0.0);
  const double told = std::sqrt(variance / rank), precision = beyond * told * other / sd;
  return told * sd / other + 1 / (1 / (sd * sd) + precision / (settings.noise_sd * settings.noise_sd));
}

RowScale row_scale(const RatingBlocks& ratings, const BlockedFactorizationSettings& settings, Exchange& exchange) {
  const auto rank = static_cast<double>(settings.rank), blocks = static_cast<double>(ratings.blocks());
  const double variance = rating_variance(ratings, exchange), noise = settings.noise_sd * settings.noise_sd;
  RowScale scale{{}, 0, 0};
  scale.local.curvature = 0;
  double rows = 0;
  for (const bool users : {true, false}) {
    const double sd = users ? settings.user_sd : settings.item_sd, prior = 1 / (sd * sd);
    const double of_rating = factor_variance(ratings, settings, variance, !users) / noise;
    const auto most = static_cast<double>(ratings.largest[users ? 0 : 1]);
    const auto count = static_cast<double>((users ? ratings.users : ratings.items).begin.back());
    const double anywhere = std::pow(std::sqrt(most) + std::sqrt(rank), 2) * of_rating;
    scale.local.curvature = std::max(scale.local.curvature, anywhere + prior);
    scale.local.noise = std::max(scale.local.noise, (blocks - 1) * anywhere);
    scale.aligned = std::max(scale.aligned, most * rank * of_rating + prior);
    scale.mean += Parts(ratings).ratings() * of_rating + count * prior;
    rows += count;
  }
  scale.mean /= rows;
  return scale;
}

}  // namespace

double RowScale::langevin_step() const { return std::min(local.langevin_step(), aligned_share / aligned); }

double RowScale::momentum_step() const { return std::sqrt(langevin_step()); }

double RowScale::friction(double step) const {
  constexpr double heat = 0.05;
  return std::max(std::sqrt(local.curvature), step * local.noise / (2 * heat));
}

std::vector<ParamSpec> blocked_params(std::string_view step_size_doc, std::initializer_list<ParamSpec> own) {
  std::vector<ParamSpec> all{{"step_size", step_size_doc, ParamSpec::real, "0", 0, 1e100}};
  all.insert(all.end(), own);
  all.insert(all.end(), schedule_params().begin(), schedule_params().end());
  return all;
}

BlockedSetup blocked_setup(std::string_view sampler, const Target& target, const Config& config, double step_size,
                           const ChainSpec& spec) {
  const auto* model = dynamic_cast<const BlockedFactorization*>(&target);
  if (!model) {
    throw UsageError(fmt::format("{} needs a model whose parameters come in blocks: mf", sampler));
  }
  OneProcess alone;
  Exchange& exchange = spec.exchange != nullptr ? *spec.exchange : alone;
  BlockedSetup setup{model->settings(), nullptr, schedule_of(config, step_size), step_size == 0, {}};
  expect_step_size(config, setup.step);
  setup.ratings = model->load_blocks(exchange);
  setup.scale = row_scale(*setup.ratings, setup.settings, exchange);
  return setup;
}

}  // namespace quasar
