#include "front/pack_ratings.hpp"

#include <fmt/format.h>

#include <vector>

#include <quasar/errors.hpp>

#include "front/read_data.hpp"
#include "io/input_file.hpp"
#include "io/packed_ratings.hpp"
#include "models/factorization/make_factorization.hpp"
#include "models/factorization/sorted_ratings.hpp"

namespace quasar {
namespace {

std::vector<PackedRating> packed(const std::vector<Rating>& ratings) {
  std::vector<PackedRating> all;
  all.reserve(ratings.size());
  for (const Rating& one : ratings) {
    all.push_back({static_cast<std::uint32_t>(one.user), static_cast<std::uint32_t>(one.item), one.value});
  }
  return all;
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
  Ratings ratings = settled_ratings(table, config);
  sort_by_places(ratings);
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
                              packed(ratings.all),
                              hash};
  between();
  write_packed_ratings(out, content, if_exists);
}

}  // namespace quasar
