#include "io/packed_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/packed_file.hpp"

namespace quasar {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 17;  // doubles: 1 MiB

}  // namespace

PackedWriter::PackedWriter(const std::filesystem::path& path, std::vector<std::string> names)
    : names_(std::move(names)),
      summaries_(std::ssize(names_)),
      file_(path),
      bytes_(FileDescriptor::open_existing(file_.temporary())) {
  std::memcpy(head_.mark, packed_mark, sizeof packed_mark);
  head_.version = packed_version;
  head_.columns = names_.size();
  for (const std::string& name : names_) head_.name_bytes += name.size();
  head_.data_begin = head_.file_size = packed_data_begin(head_);
}

void PackedWriter::add(std::span<const double> row) {
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  ++head_.rows;
  if (buffer_.size() >= buffer_size) flush();
}

void PackedWriter::flush() {
  const auto bytes = std::as_bytes(std::span(std::as_const(buffer_)));
  bytes_->write_at(static_cast<std::int64_t>(head_.file_size), bytes);
  head_.file_size += bytes.size();
  head_.data_checksum = checksum(bytes, head_.data_checksum);
  summaries_.add(buffer_);
  buffer_.clear();
}

void PackedWriter::add_squares() {
  const std::uint64_t row_bytes = head_.columns * sizeof(double);
  buffer_.resize(head_.columns * std::max<std::uint64_t>(1, buffer_size / head_.columns));
  for (std::uint64_t begin = head_.data_begin; begin < head_.file_size; begin += buffer_.size() * sizeof(double)) {
    const std::uint64_t rows = std::min(buffer_.size() / head_.columns, (head_.file_size - begin) / row_bytes);
    const auto piece = std::span(buffer_).first(rows * head_.columns);
    bytes_->read_at(static_cast<std::int64_t>(begin), std::as_writable_bytes(piece));
    summaries_.add_squares(piece);
  }
}

void PackedWriter::write_header(const std::string& content_hash) {
  std::copy_n(content_hash.begin(), std::min(content_hash.size(), sizeof head_.content_hash), head_.content_hash);
  std::vector<std::byte> rest;
  std::size_t column = 0;
  for (const ColumnSummary& summary : summaries_.result()) {
    const PackedColumn record = packed_column(summary, names_[column++].size());
    append_bytes<PackedColumn>(rest, std::span(&record, 1));
  }
  for (const std::string& name : names_) append_bytes<char>(rest, name);
  head_.checksum = packed_header_checksum(head_, rest);
  bytes_->write_at(0, std::as_bytes(std::span(&head_, 1)));
  bytes_->write_at(sizeof head_, rest);
}

void PackedWriter::finish(const std::string& content_hash, IfExists if_exists) {
  flush();
  add_squares();
  write_header(content_hash);
  bytes_.reset();
  file_.commit(if_exists);
}

}  // namespace quasar
