// Ratings. The first byte says how many bytes a read returns; its bits say what is asked of the table as well.
#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/ratings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size == 0) return 0;
  fuzz::read_or_refuse([&] {
    const RatingsFor use = (data[0] & 1) != 0 ? RatingsFor::fitting : RatingsFor::predicting;
    const RatingNames wanted = (data[0] & 2) != 0 ? RatingNames{"user", "item", "rating"} : RatingNames{};
    const Table table =
        read_ratings(fuzz::in_pieces(fuzz::text_of(data + 1, size - 1), 1 + std::size_t{data[0]}), wanted, use);
    const Index rows = table.rows();
    fuzz::require(rows > 0 && rows == std::ssize(table.lines) && table.columns() == std::ssize(table.names));
    for (const Index side : {0, 1}) {
      const auto levels = static_cast<double>(table.levels[static_cast<std::size_t>(side)].size());
      fuzz::require(table.values.col(side).minCoeff() >= 0 && table.values.col(side).maxCoeff() < levels);
    }
    if (use == RatingsFor::fitting) fuzz::require(table.columns() == 3 && table.values.allFinite());
  });
  return 0;
}
