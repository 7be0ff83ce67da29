#include "io/packed_ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "io/file_descriptor.hpp"
#include "io/packed_file.hpp"
#include "io/packed_header.hpp"
#include "io/packed_ratings_format.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

constexpr auto record_size = static_cast<std::int64_t>(sizeof(PackedRating));

class StoredRatings final : public RowSource {
 public:
  StoredRatings(FileDescriptor file, std::string name, const PackedRatingsHead& head)
      : file_(std::move(file)), name_(std::move(name)), head_(head) {}

  Index rows() const override { return static_cast<Index>(head_.ratings); }

  // What is read lies behind the rows that are made of it: a record of 16 bytes is used before a row of 24 reaches it.
  void read(Index begin, Index count, double* to) const override {
    const auto rows = std::as_writable_bytes(std::span(to, static_cast<std::size_t>(3 * count)));
    const auto records = rows.last(static_cast<std::size_t>(count * record_size));
    file_.read_at(offset(begin), records);
    for (Index i = 0; i < count; ++i, to += 3) {
      PackedRating one;
      std::memcpy(&one, records.data() + i * record_size, sizeof one);
      check(one, begin + i);
      to[0] = one.user, to[1] = one.item, to[2] = one.rating;
    }
  }
  void announce(Index begin, Index count) const override { file_.announce(offset(begin), count * record_size); }

 private:
  std::int64_t offset(Index row) const { return static_cast<std::int64_t>(head_.data_begin) + row * record_size; }

  // Whoever uses a number as a place in a list relies on it.
  void check(const PackedRating& one, Index row) const {
    if (one.user < head_.users && one.item < head_.items && std::isfinite(one.rating)) return;
    throw DataError(
        fmt::format("{}: is damaged: rating {} has a user or an item that is not there, or no value", name_, row + 1));
  }

  FileDescriptor file_;
  std::string name_;
  PackedRatingsHead head_;
};

struct RatingsHeader {
  PackedRatingsHead head{};
  std::array<PackedColumn, rating_columns_count> columns{};
  std::vector<std::uint32_t> lengths;  // of labels
  std::string texts;
};

constexpr PackedKind packed_ratings_kind{packed_ratings_mark, packed_ratings_version, "is no file of packed ratings",
                                         "has packed ratings", "pack them again"};

class RatingsHeaderReader : PackedHeaderReader {
 public:
  RatingsHeaderReader(const FileDescriptor& file, std::string name) : PackedHeaderReader(file, std::move(name)) {}

  RatingsHeader read() {
    read_head();
    read_rest();
    check_texts();
    check_labels();
    check_sizes();
    return std::move(header_);
  }

 private:
  void read_head() {
    PackedRatingsHead& head = header_.head;
    PackedHeaderReader::read_head(packed_ratings_kind, head);
    if (head.users > most_packed_labels || head.items > most_packed_labels ||
        head.text_bytes > most_packed_text_bytes) {
      fail_damaged();
    }
  }

  void read_rest() {
    const PackedRatingsHead& head = header_.head;
    const std::vector<std::byte> rest = PackedHeaderReader::read_rest(head, packed_ratings_header_size(head));
    header_.lengths.resize(head.users + head.items);
    header_.texts.resize(head.text_bytes);
    std::span<const std::byte> from = rest;
    take_bytes<PackedColumn>(from, header_.columns);
    take_bytes<std::uint32_t>(from, header_.lengths);
    take_bytes<char>(from, header_.texts);
  }

  void check_texts() const {
    const PackedRatingsHead& head = header_.head;
    std::uint64_t bytes = 0;
    for (const PackedColumn& column : header_.columns) {
      if (column.name_length == 0 || column.name_length > head.text_bytes) fail_damaged();
      if (column.first_not_binary > head.ratings) fail_damaged();
      bytes += column.name_length;
    }
    for (const std::uint32_t length : header_.lengths) bytes += length;
    if (bytes != head.text_bytes) fail_damaged();
  }

  // Two users of one label would be one user to whoever looks it up.
  void check_labels() const {
    const char* text = header_.texts.data();
    for (const PackedColumn& column : header_.columns) text += column.name_length;
    std::vector<std::string_view> labels;
    for (const std::uint32_t length : header_.lengths) {
      labels.emplace_back(text, length);
      text += length;
    }
    const auto items = labels.begin() + static_cast<std::ptrdiff_t>(header_.head.users);
    require_different(std::span(labels.begin(), items), "user");
    require_different(std::span(items, labels.end()), "item");
  }

  void require_different(std::span<std::string_view> labels, std::string_view what) const {
    const auto twice = one_of_two_equal(labels);
    if (twice) fail(fmt::format("has the {} '{}' twice: pack the ratings again", what, *twice));
  }

  void check_sizes() const {
    const PackedRatingsHead& head = header_.head;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (head.ratings == 0 || head.users == 0 || head.items == 0) fail_damaged();
    if (head.data_begin != packed_ratings_begin(head)) fail_damaged();
    if (head.ratings > (most - head.data_begin) / sizeof(PackedRating)) fail_damaged();
    if (head.file_size != head.data_begin + head.ratings * sizeof(PackedRating)) fail_damaged();
    require_stated_length(head.file_size);
  }

  RatingsHeader header_;
};

Table ratings_in(const fs::path& path, const RatingsHeader& header, FileDescriptor file) {
  const PackedRatingsHead& head = header.head;
  Table table{.source = path.string(), .names = {}, .values = {}, .lines = {}};
  const char* text = header.texts.data();
  const auto take = [&text](std::uint64_t length) {
    text += length;
    return std::string(text - length, length);
  };
  for (const PackedColumn& column : header.columns) {
    table.names.push_back(take(column.name_length));
    table.summaries.push_back(summary_in(column));
  }
  table.levels.resize(rating_columns_count);
  for (std::size_t label = 0; label < header.lengths.size(); ++label) {
    table.levels[label < head.users ? 0 : 1].push_back(take(header.lengths[label]));
  }
  table.content_hash = without_zeros(head.content_hash);
  table.stored = std::make_shared<StoredRatings>(std::move(file), path.string(), head);
  return table;
}

}  // namespace

bool is_packed_ratings(const fs::path& path) { return begins_with_mark(path, packed_ratings_mark); }

Table open_packed_ratings(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const RatingsHeader header = RatingsHeaderReader(file, path.string()).read();
  return ratings_in(path, header, std::move(file));
}

Table verify_packed_ratings(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const RatingsHeader header = RatingsHeaderReader(file, path.string()).read();
  if (checksum_of(file, header.head.data_begin, header.head.file_size) != header.head.data_checksum) {
    throw DataError(fmt::format("{}: is damaged: its ratings do not fit their checksum", path.string()));
  }
  return ratings_in(path, header, std::move(file));
}

}  // namespace quasar
