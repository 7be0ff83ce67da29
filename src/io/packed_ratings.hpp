// Ratings in a packed form, which are read in ranges: each of many processes may take its own.
//
// They are sorted by the user's place and then by the item's, where the place of a number is its position in
// fixed_order(count): equal ranges of places are about equal work, whatever the order of labels means.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <quasar/table.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

struct PackedRating {
  std::uint32_t user, item;  // numbers in the order of labels
  double rating;
};
static_assert(sizeof(PackedRating) == 16);

struct RatingsToPack {
  std::array<std::string, 3> names;  // of the columns user, item, rating
  std::vector<std::string> users, items;
  std::vector<PackedRating> ratings;  // in the order of places
  std::string content_hash;
};

// The file appears whole or not at all. DataError
void write_packed_ratings(const std::filesystem::path& path, const RatingsToPack& content,
                          IfExists if_exists = IfExists::replace);

bool is_packed_ratings(
    const std::filesystem::path& path);  // by its first bytes; what is no regular file is not touched

// Columns user, item (both with levels) and rating, with summaries. Reads the header alone; ratings are read when they
// are asked for. DataError: not packed ratings, of a newer version, cut short, too long, or with a header that is
// damaged; in reading, ratings of users or items that are not there.
Table open_packed_ratings(const std::filesystem::path& path);

// Reads all of it. DataError: as above, or the ratings are damaged.
Table verify_packed_ratings(const std::filesystem::path& path);

}  // namespace quasar
