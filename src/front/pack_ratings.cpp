#include "front/pack_ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <quasar/errors.hpp>

#include "core/fixed_order.hpp"
#include "front/read_data.hpp"
#include "io/input_file.hpp"
#include "io/packed_ratings.hpp"
#include "models/factorization/make_factorization.hpp"
#include "models/factorization/ratings.hpp"

namespace quasar {
namespace {

std::vector<Index> places_of(std::size_t count) {
  const std::vector<Index> order = fixed_order(static_cast<Index>(count));
  std::vector<Index> places(count);
  for (std::size_t place = 0; place < count; ++place)
    places[static_cast<std::size_t>(order[place])] = static_cast<Index>(place);
  return places;
}

// A pair may be rated more than once (duplicates=keep): such ratings stay in the order of the file.
std::vector<PackedRating> sorted_by_places(const Ratings& ratings) {
  const std::vector<Index> users = places_of(ratings.users.size()), items = places_of(ratings.items.size());
  std::vector<PackedRating> sorted;
  sorted.reserve(ratings.all.size());
  for (const Rating& one : ratings.all) {
    sorted.push_back({static_cast<std::uint32_t>(one.user), static_cast<std::uint32_t>(one.item), one.value});
  }
  std::ranges::stable_sort(sorted, {},
                           [&](const PackedRating& one) { return std::pair(users[one.user], items[one.item]); });
  return sorted;
}

// Models take a column of the name user for the users', wherever it stands.
void require_plain_names(const Ratings& ratings, const std::string& source) {
  const bool crossed = ratings.item_name == "user" || ratings.rating_name == "user" || ratings.user_name == "item" ||
                       ratings.rating_name == "item" || ratings.user_name == "rating" || ratings.item_name == "rating";
  if (!crossed) return;
  throw UsageError(
      fmt::format("{}: the columns '{}', '{}' and '{}' of users, items and ratings would be taken for each other when "
                  "they are read "
                  "from a packed file: rename them",
                  source, ratings.user_name, ratings.item_name, ratings.rating_name));
}

}  // namespace

void pack_ratings(const std::string& source, const Settings& settings, const std::filesystem::path& out,
                  IfExists if_exists, const std::function<void()>& between) {
  const Config config("pack --ratings", bpmf_params(), settings);
  const Table table = read_data(source, config);
  between();
  const Ratings ratings = settled_ratings(table, config);
  require_plain_names(ratings, source);
  between();
  // Draws depend on the order of the ratings, which is not that of the source: a run does not go on from one to the
  // other, and so the hash is another one.
  const std::string hash =
      content_hash(fmt::format("{} as ratings of {} by {} in {}, duplicates: {}", table.content_hash, ratings.item_name,
                               ratings.user_name, ratings.rating_name, config.text("duplicates")));
  const RatingsToPack content{{ratings.user_name, ratings.item_name, ratings.rating_name},
                              ratings.users,
                              ratings.items,
                              sorted_by_places(ratings),
                              hash};
  between();
  write_packed_ratings(out, content, if_exists);
}

}  // namespace quasar
