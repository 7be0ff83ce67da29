#include <algorithm>
#include <cstring>
#include <span>

#include "core/column_summaries.hpp"
#include "io/file_descriptor.hpp"
#include "io/packed_file.hpp"
#include "io/packed_ratings.hpp"
#include "io/packed_ratings_format.hpp"

namespace quasar {
namespace {

template <class Use>
void each_row(std::span<const PackedRating> ratings, Use&& use) {
  for (const PackedRating& one : ratings) {
    const std::array<double, rating_columns_count> row = {static_cast<double>(one.user), static_cast<double>(one.item),
                                                          one.rating};
    use(std::span<const double>(row));
  }
}

std::vector<ColumnSummary> summaries_of(std::span<const PackedRating> ratings) {
  ColumnSummaries summaries(rating_columns_count);
  each_row(ratings, [&](std::span<const double> row) { summaries.add(row); });
  each_row(ratings, [&](std::span<const double> row) { summaries.add_squares(row); });
  return summaries.result();
}

std::vector<std::byte> records_and_texts(const RatingsToPack& content) {
  std::vector<std::byte> rest;
  std::size_t column = 0;
  for (const ColumnSummary& summary : summaries_of(content.ratings)) {
    const PackedColumn record = packed_column(summary, content.names[column++].size());
    append_bytes<PackedColumn>(rest, {&record, 1});
  }
  for (const auto* labels : {&content.users, &content.items}) {
    for (const std::string& label : *labels) {
      const auto length = static_cast<std::uint32_t>(label.size());
      append_bytes<std::uint32_t>(rest, {&length, 1});
    }
  }
  for (const std::string& name : content.names) append_bytes<char>(rest, name);
  for (const auto* labels : {&content.users, &content.items}) {
    for (const std::string& label : *labels) append_bytes<char>(rest, label);
  }
  return rest;
}

PackedRatingsHead ratings_head(const RatingsToPack& content) {
  PackedRatingsHead head{};
  std::memcpy(head.mark, packed_ratings_mark, sizeof packed_ratings_mark);
  head.version = packed_ratings_version;
  head.ratings = content.ratings.size();
  head.users = content.users.size();
  head.items = content.items.size();
  head.text_bytes = bytes_of(content.names) + bytes_of(content.users) + bytes_of(content.items);
  head.data_begin = packed_ratings_begin(head);
  head.file_size = head.data_begin + head.ratings * sizeof(PackedRating);
  std::copy_n(content.content_hash.begin(), std::min(content.content_hash.size(), sizeof head.content_hash),
              head.content_hash);
  return head;
}

}  // namespace

void write_packed_ratings(const std::filesystem::path& path, const RatingsToPack& content, IfExists if_exists) {
  AtomicFile file(path);
  PackedRatingsHead head = ratings_head(content);
  const std::vector<std::byte> rest = records_and_texts(content);
  const auto ratings = std::as_bytes(std::span(content.ratings));
  head.data_checksum = checksum(ratings);
  head.checksum = packed_header_checksum(head, rest);
  {
    FileDescriptor bytes = FileDescriptor::open_existing(file.temporary());
    bytes.write_at(0, std::as_bytes(std::span(&head, 1)));
    bytes.write_at(sizeof head, rest);
    bytes.write_at(static_cast<std::int64_t>(head.data_begin), ratings);
  }
  file.commit(if_exists);
}

}  // namespace quasar
