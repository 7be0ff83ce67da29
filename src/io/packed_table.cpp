#include "io/packed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

#include "io/file_descriptor.hpp"
#include "io/packed_file.hpp"
#include "io/packed_format.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

class PackedRows final : public RowSource {
 public:
  PackedRows(FileDescriptor file, const PackedHead& head)
      : file_(std::move(file)),
        rows_(static_cast<Index>(head.rows)),
        columns_(static_cast<Index>(head.columns)),
        data_begin_(static_cast<std::int64_t>(head.data_begin)) {}

  Index rows() const override { return rows_; }
  void read(Index begin, Index count, double* to) const override {
    file_.read_at(offset(begin), std::as_writable_bytes(std::span(to, static_cast<std::size_t>(count * columns_))));
  }
  void announce(Index begin, Index count) const override {
    file_.announce(offset(begin), count * columns_ * static_cast<std::int64_t>(sizeof(double)));
  }

 private:
  std::int64_t offset(Index row) const {
    return data_begin_ + row * columns_ * static_cast<std::int64_t>(sizeof(double));
  }

  FileDescriptor file_;
  Index rows_, columns_;
  std::int64_t data_begin_;
};

struct Header {
  PackedHead head{};
  std::vector<PackedColumn> columns;
  std::string names;  // one after the other
};

// Every step makes the next one safe: the head is there, what follows it can be read, it is what was written, and then
// the sizes it states are those of the file.
class HeaderReader {
 public:
  HeaderReader(const FileDescriptor& file, std::string name)
      : file_(file), name_(std::move(name)), size_(static_cast<std::uint64_t>(file.size())) {}

  Header read() {
    read_head();
    read_columns();
    check_sizes();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const { throw DataError(fmt::format("{}: {}", name_, cause)); }
  [[noreturn]] void fail_damaged() const { fail("is damaged: its header does not fit its checksum or itself"); }

  void read_head() {
    PackedHead& head = header_.head;
    if (size_ < sizeof head) fail("is cut short: not even its header is there");
    file_.read_at(0, std::as_writable_bytes(std::span(&head, 1)));
    if (std::memcmp(head.mark, packed_mark, sizeof packed_mark) != 0) fail("is not a packed table");
    if (head.version != packed_version) {
      fail(fmt::format("is a packed table of version {}; this Quasar reads version {}: pack it again", head.version,
                       packed_version));
    }
    if (head.columns > most_packed_columns || head.name_bytes > most_packed_name_bytes) fail_damaged();
    if (size_ < packed_header_size(head)) fail("is cut short: its header is not complete");
  }

  void read_columns() {
    const PackedHead& head = header_.head;
    std::vector<std::byte> rest(packed_header_size(head) - sizeof head);
    file_.read_at(sizeof head, rest);
    if (packed_header_checksum(head, rest) != head.checksum) fail_damaged();
    header_.columns.resize(head.columns);
    const std::size_t records = head.columns * sizeof(PackedColumn);
    std::copy_n(rest.data(), records, std::as_writable_bytes(std::span(header_.columns)).data());
    header_.names.assign(reinterpret_cast<const char*>(rest.data()) + records, head.name_bytes);
  }

  void check_sizes() const {
    const PackedHead& head = header_.head;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (head.rows == 0 || head.columns == 0 || head.data_begin != packed_data_begin(head)) fail_damaged();
    if (head.rows > (most - head.data_begin) / sizeof(double) / head.columns) fail_damaged();
    if (head.file_size != head.data_begin + head.rows * head.columns * sizeof(double)) fail_damaged();
    std::uint64_t names = 0;
    for (const PackedColumn& column : header_.columns) {
      if (column.name_length > head.name_bytes || column.first_not_binary > head.rows) fail_damaged();
      names += column.name_length;
    }
    if (names != head.name_bytes) fail_damaged();
    require_length(name_, size_, head.file_size);
  }

  const FileDescriptor& file_;
  std::string name_;
  std::uint64_t size_;
  Header header_;
};

Table table_of(const fs::path& path, const Header& header, FileDescriptor file) {
  Table table{.source = path.string(), .names = {}, .values = {}, .lines = {}};
  std::size_t begin = 0;
  for (const PackedColumn& column : header.columns) {
    table.names.push_back(header.names.substr(begin, column.name_length));
    begin += column.name_length;
    table.summaries.push_back(summary_in(column));
  }
  table.content_hash = without_zeros(header.head.content_hash);
  table.stored = std::make_shared<PackedRows>(std::move(file), header.head);
  return table;
}

}  // namespace

bool is_packed_table(const fs::path& path) { return begins_with_mark(path, packed_mark); }

Table open_packed_table(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const Header header = HeaderReader(file, path.string()).read();
  return table_of(path, header, std::move(file));
}

Table verify_packed_table(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const Header header = HeaderReader(file, path.string()).read();
  if (checksum_of(file, header.head.data_begin, header.head.file_size) != header.head.data_checksum) {
    throw DataError(fmt::format("{}: is damaged: its rows do not fit their checksum", path.string()));
  }
  return table_of(path, header, std::move(file));
}

}  // namespace quasar
