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

RowScale row_scale(const RatingBlocks& ratings, const BlockedFactorizationSettings& settings, Exchange& exchange) {
  const auto rank = static_cast<double>(settings.rank), blocks = static_cast<double>(ratings.blocks());
  const double factor_variance = std::sqrt(rating_variance(ratings, exchange) / rank);
  const double of_rating = factor_variance / (settings.noise_sd * settings.noise_sd);
  RowScale scale{{}, 0, 0};
  scale.local.curvature = 0;
  double rows = 0;
  for (const bool users : {true, false}) {
    const double sd = users ? settings.user_sd : settings.item_sd, prior = 1 / (sd * sd);
    const double of_ratings = static_cast<double>(ratings.largest[users ? 0 : 1]) * of_rating;
    const auto count = static_cast<double>((users ? ratings.users : ratings.items).begin.back());
    scale.local.curvature = std::max(scale.local.curvature, of_ratings + prior);
    scale.local.noise = std::max(scale.local.noise, (blocks - 1) * of_ratings);
    scale.aligned = std::max(scale.aligned, rank * of_ratings + prior);
    scale.mean += Parts(ratings).ratings() * of_rating + count * prior;
    rows += count;
  }
  scale.mean /= rows;
  return scale;
}

}  // namespace

double RowScale::langevin_step() const { return std::min(local.langevin_step(), aligned_share / aligned); }

double RowScale::momentum_step() const { return std::min(local.momentum_step(), std::sqrt(aligned_share / aligned)); }

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
