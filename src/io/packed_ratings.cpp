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

struct Header {
  PackedRatingsHead head{};
  std::array<PackedColumn, rating_columns_count> columns{};
  std::vector<std::uint32_t> lengths;  // of labels
  std::string texts;
};

// Every step makes the next one safe: the head is there, what follows it can be read, it is what was written, and then
// the sizes it states are those of the file.
class HeaderReader {
 public:
  HeaderReader(const FileDescriptor& file, std::string name)
      : file_(file), name_(std::move(name)), size_(static_cast<std::uint64_t>(file.size())) {}

  Header read() {
    read_head();
    read_rest();
    check_texts();
    check_labels();
    check_sizes();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const { throw DataError(fmt::format("{}: {}", name_, cause)); }
  [[noreturn]] void fail_damaged() const { fail("is damaged: its header does not fit its checksum or itself"); }

  void read_head() {
    PackedRatingsHead& head = header_.head;
    if (size_ < sizeof head) fail("is cut short: not even its header is there");
    file_.read_at(0, std::as_writable_bytes(std::span(&head, 1)));
    if (std::memcmp(head.mark, packed_ratings_mark, sizeof packed_ratings_mark) != 0)
      fail("is no file of packed ratings");
    if (head.version != packed_ratings_version) {
      fail(fmt::format("has packed ratings of version {}; this Quasar reads version {}: pack them again", head.version,
                       packed_ratings_version));
    }
    if (head.users > most_packed_labels || head.items > most_packed_labels ||
        head.text_bytes > most_packed_text_bytes) {
      fail_damaged();
    }
    if (size_ < packed_ratings_header_size(head)) fail("is cut short: its header is not complete");
  }

  void read_rest() {
    const PackedRatingsHead& head = header_.head;
    std::vector<std::byte> rest(packed_ratings_header_size(head) - sizeof head);
    file_.read_at(sizeof head, rest);
    if (packed_ratings_checksum(head, rest) != head.checksum) fail_damaged();
    header_.lengths.resize(head.users + head.items);
    header_.texts.resize(head.text_bytes);
    const std::byte* from = rest.data();
    const auto take = [&from](std::span<std::byte> to) {
      std::copy_n(from, to.size(), to.data());
      from += to.size();
    };
    take(std::as_writable_bytes(std::span(header_.columns)));
    take(std::as_writable_bytes(std::span(header_.lengths)));
    take(std::as_writable_bytes(std::span(header_.texts)));
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
    std::ranges::sort(labels);
    const auto twice = std::ranges::adjacent_find(labels);
    if (twice != labels.end()) fail(fmt::format("has the {} '{}' twice: pack the ratings again", what, *twice));
  }

  void check_sizes() const {
    const PackedRatingsHead& head = header_.head;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (head.ratings == 0 || head.users == 0 || head.items == 0) fail_damaged();
    if (head.data_begin != packed_ratings_begin(head)) fail_damaged();
    if (head.ratings > (most - head.data_begin) / sizeof(PackedRating)) fail_damaged();
    if (head.file_size != head.data_begin + head.ratings * sizeof(PackedRating)) fail_damaged();
    require_length(name_, size_, head.file_size);
  }

  const FileDescriptor& file_;
  std::string name_;
  std::uint64_t size_;
  Header header_;
};

Table table_of(const fs::path& path, const Header& header, FileDescriptor file) {
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
  const Header header = HeaderReader(file, path.string()).read();
  return table_of(path, header, std::move(file));
}

Table verify_packed_ratings(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const Header header = HeaderReader(file, path.string()).read();
  if (checksum_of(file, header.head.data_begin, header.head.file_size) != header.head.data_checksum) {
    throw DataError(fmt::format("{}: is damaged: its ratings do not fit their checksum", path.string()));
  }
  return table_of(path, header, std::move(file));
}

}  // namespace quasar
