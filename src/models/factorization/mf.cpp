#include "models/factorization/mf.hpp"

#include <string>

#include <quasar/rng.hpp>

#include "models/factorization/load_blocks.hpp"
#include "models/factorization/rating_params.hpp"
#include "models/factorization/scalar_prior.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

using rating_params::positive;

constexpr ParamSpec mf_keys[] = {
    rating_params::rank("numbers that describe a user or an item"),
    {.name = "blocks",
     .doc = "into how many blocks users are cut, and items: what dsgld and its kind work on; draws depend on it",
     .type = ParamSpec::integer,
     .init = "4",
     .min = 1,
     .max = 1024},
    positive("noise_sd", "of a rating around the product of its rows", "1"),
    positive("user_sd", "of the numbers of users under the prior", "1"),
    positive("item_sd", "of the numbers of items under the prior", "1"),
    {.name = "center",
     .doc = "whether the mean of all ratings is taken off them",
     .type = ParamSpec::boolean,
     .init = "true"},
    positive("start_sd", "of the numbers that a chain starts from", "0.3"),
    rating_params::user,
    rating_params::item,
    rating_params::rating,
    rating_params::duplicates,
};

BlockedFactorizationSettings settings_of(const Config& config) {
  return {.rank = static_cast<Index>(config.integer("rank")),
          .blocks = static_cast<Index>(config.integer("blocks")),
          .noise_sd = config.real("noise_sd"),
          .user_sd = config.real("user_sd"),
          .item_sd = config.real("item_sd"),
          .start_sd = config.real("start_sd")};
}

FactorizationSetup setup_of(const BlockedFactorizationSettings& settings) {
  const auto prior = [&](double sd) {
    return std::make_unique<FixedPrior>(Vec::Constant(settings.rank, 1 / (sd * sd)));
  };
  return {{.rank = settings.rank,
           .biases = false,
           .fixed = true,
           .noise_precision = 1 / (settings.noise_sd * settings.noise_sd),
           .start_sd = settings.start_sd},
          prior(settings.user_sd),
          prior(settings.item_sd)};
}

std::shared_ptr<const Ratings> all_of(const SortedRatings& sorted, double center) {
  auto ratings = std::make_shared<Ratings>(Ratings{sorted});
  ratings->center = center;
  ratings->all.reserve(static_cast<std::size_t>(sorted.size()));
  sorted.each(0, sorted.size(), [&](const Rating& one) {
    ratings->all.push_back({one.user, one.item, one.value - center});
  });
  sort_by_rows(*ratings);
  return ratings;
}

}  // namespace

BlockedMf::BlockedMf(SortedRatings ratings, bool center, const BlockedFactorizationSettings& settings)
    : data_(new Data{std::move(ratings), 0, {}}), settings_(settings) {
  if (center) data_->center = data_->ratings.mean;
  require_computable(data_->ratings.range, data_->center, 1, data_->ratings.source);
}

BlockedMf::BlockedMf(const BlockedMf& other)
    : RowSparseSum(other),
      RowSweep(other),
      BlockedFactorization(other),
      data_(other.data_),
      settings_(other.settings_) {}

// Without the lock while it is loading: ranks that are threads of one process wait for each other there.
std::shared_ptr<const RatingBlocks> BlockedMf::load_blocks(Exchange& exchange) const {
  const std::pair rank{exchange.rank(), exchange.size()};
  {
    const std::lock_guard lock(data_->mutex);
    if (auto loaded = data_->blocks[rank].lock()) return loaded;
  }
  auto blocks = load_rating_blocks(data_->ratings, data_->center, settings_.blocks, exchange);
  const std::lock_guard lock(data_->mutex);
  data_->blocks[rank] = blocks;
  return blocks;
}

Factorization& BlockedMf::whole() {
  if (whole_) return *whole_;
  const std::lock_guard lock(data_->mutex);
  if (!data_->whole) data_->whole = all_of(data_->ratings, data_->center);
  FactorizationSetup setup = setup_of(settings_);
  whole_ =
      std::make_unique<Factorization>(data_->whole, setup.settings, std::move(setup.users), std::move(setup.items));
  return *whole_;
}

Layout BlockedMf::layout() const {
  return {{{"user_factors", {users(), settings_.rank}, {"user", "factor"}},
           {"item_factors", {items(), settings_.rank}, {"item", "factor"}}},
          {{"user", data_->ratings.users}, {"item", data_->ratings.items}}};
}

void BlockedMf::draw_start(Out x, const Rng& rng) const {
  rng.stream("start").normals(x);
  x *= settings_.start_sd;
}

ConstantData BlockedMf::constant_data() const {
  return data_->ratings.constants(data_->ratings.counts_of_users(), data_->ratings.counts_of_items(), data_->center, 1);
}

std::span<const ParamSpec> mf_params() { return mf_keys; }

FactorizationSetup mf_setup(const Config& config) { return setup_of(settings_of(config)); }

std::unique_ptr<Target> make_mf(const Config& config, const Table* data) {
  const Table& table = require_table(data, "mf");
  return std::make_unique<BlockedMf>(sorted_ratings(table, config), config.flag("center"), settings_of(config));
}

}  // namespace quasar
