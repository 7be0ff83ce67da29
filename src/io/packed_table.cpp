#include "io/packed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

#include "io/file_descriptor.hpp"
#include "io/packed_file.hpp"
#include "io/packed_format.hpp"
#include "io/packed_header.hpp"

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

struct TableHeader {
  PackedHead head{};
  std::vector<PackedColumn> columns;
  std::string names;  // one after the other
};

constexpr PackedKind packed_table_kind{packed_mark, packed_version, "is not a packed table", "is a packed table",
                                       "pack it again"};

class TableHeaderReader : PackedHeaderReader {
 public:
  TableHeaderReader(const FileDescriptor& file, std::string name) : PackedHeaderReader(file, std::move(name)) {}

  TableHeader read() {
    read_head();
    read_columns();
    check_sizes();
    return std::move(header_);
  }

 private:
  void read_head() {
    PackedHead& head = header_.head;
    PackedHeaderReader::read_head(packed_table_kind, head);
    if (head.columns > most_packed_columns || head.name_bytes > most_packed_name_bytes) fail_damaged();
  }

  void read_columns() {
    const PackedHead& head = header_.head;
    const std::vector<std::byte> rest = PackedHeaderReader::read_rest(head, packed_header_size(head));
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
    require_stated_length(head.file_size);
  }

  TableHeader header_;
};

Table table_of(const fs::path& path, const TableHeader& header, FileDescriptor file) {
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
  const TableHeader header = TableHeaderReader(file, path.string()).read();
  return table_of(path, header, std::move(file));
}

Table verify_packed_table(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  const TableHeader header = TableHeaderReader(file, path.string()).read();
  if (checksum_of(file, header.head.data_begin, header.head.file_size) != header.head.data_checksum) {
    throw DataError(fmt::format("{}: is damaged: its rows do not fit their checksum", path.string()));
  }
  return table_of(path, header, std::move(file));
}

}  // namespace quasar
