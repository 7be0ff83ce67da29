#include "io/record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <quasar/errors.hpp>

#include "io/checksum.hpp"

namespace quasar {
namespace {

constexpr std::size_t buffer_numbers = 1 << 15;  // a quarter of a megabyte
constexpr auto flush_interval = std::chrono::seconds(1);
constexpr Index block_numbers = 1 << 18;  // that a reader takes at once

using Head = std::array<std::uint64_t, 5>;

// A CRC of nothing but zeros is zero: without the start value a record of zeros would fit its checksum.
double sum_of(std::span<const double> numbers) {
  return std::bit_cast<double>(std::uint64_t{checksum(std::as_bytes(numbers), 0x51534152)});
}

Head record_head(std::uint64_t owner, Index width) {
  Head head = {std::bit_cast<std::uint64_t>(std::array{'Q', 'S', 'R', 'R', 'E', 'C', 'S', '1'}), 0x0102030405060708,
               owner, static_cast<std::uint64_t>(width), 0};
  head.back() = checksum(std::as_bytes(std::span(head).first(4)));
  return head;
}

std::int64_t offset_of(Index record, Index width) {
  return std::int64_t{sizeof(Head)} + record * (width + 1) * std::int64_t{sizeof(double)};
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

RecordWriter::RecordWriter(std::filesystem::path path, std::uint64_t owner, Index width)
    : path_(std::move(path)), owner_(owner), width_(width) {
  buffer_.reserve(buffer_numbers + static_cast<std::size_t>(width) + 1);
}

void RecordWriter::require(Index records) const { RecordReader(path_, owner_, width_).require(records); }

void RecordWriter::restart(Index records) {
  if (records > 0) {
    file_.emplace(FileDescriptor::open_existing(path_));
  } else {
    file_.emplace(FileDescriptor::open_or_create(path_));
    const Head head = record_head(owner_, width_);
    file_->write_at(0, std::as_bytes(std::span(head)));
  }
  file_->resize(offset_of(records, width_));
  records_ = records;
  buffer_.clear();
}

void RecordWriter::append(std::span<const double> numbers) {
  buffer_.insert(buffer_.end(), numbers.begin(), numbers.end());
  buffer_.push_back(sum_of(numbers));
  ++records_;
  if (buffer_.size() >= buffer_numbers || Clock::now() - flushed_ >= flush_interval) flush();
}

void RecordWriter::flush() {
  const auto buffered = static_cast<Index>(buffer_.size()) / (width_ + 1);
  file_->write_at(offset_of(records_ - buffered, width_), std::as_bytes(std::span(buffer_)));
  buffer_.clear();
  flushed_ = Clock::now();
}

void RecordWriter::sync() {
  flush();
  file_->sync();
}

RecordReader::RecordReader(const std::filesystem::path& path, std::uint64_t owner, Index width)
    : path_(path), file_(FileDescriptor::open_readable(path)), width_(width) {
  const auto fail = [&](const char* cause) { throw DataError(fmt::format("{}: {}", path.string(), cause)); };
  Head head{};
  const Head expected = record_head(owner, width);
  if (file_.size() < std::int64_t{sizeof head}) fail("is cut short");
  file_.read_at(0, std::as_writable_bytes(std::span(head)));
  if (head[0] != expected[0]) fail("is not a file of draws");
  if (head[1] != expected[1]) fail("comes from a machine with another byte order");
  if (head[4] != checksum(std::as_bytes(std::span(head).first(4))))
    fail("is damaged: its head does not fit its checksum");
  if (head != expected) fail("belongs to another run or chain");
  records_ = sound_records();
}

void RecordReader::require(Index records) const {
  if (records_ >= records) return;
  throw DataError(fmt::format("{}: record {} is damaged or missing, and the checkpoint needs {}", path_.string(),
                              records_ + 1, records));
}

Index RecordReader::sound_records() const {
  const Index record = width_ + 1;
  const Index complete = (file_.size() - offset_of(0, width_)) / (record * Index{sizeof(double)});
  const Index at_once = std::clamp<Index>(block_numbers / record, 1, std::max<Index>(1, complete));
  std::vector<double> block(static_cast<std::size_t>(at_once * record));
  for (Index first = 0; first < complete; first += at_once) {
    const Index count = std::min(at_once, complete - first);
    const std::span<double> numbers(block.data(), static_cast<std::size_t>(count * record));
    file_.read_at(offset_of(first, width_), std::as_writable_bytes(numbers));
    for (Index i = 0; i < count; ++i) {
      const auto one = std::span<const double>(numbers).subspan(static_cast<std::size_t>(i * record));
      const auto width = static_cast<std::size_t>(width_);
      if (!same_bits(one[width], sum_of(one.first(width)))) return first + i;
    }
  }
  return complete;
}

void RecordReader::read(Index first, Index stride, Index count, Index first_column, Index columns,
                        std::span<double> out) const {
  const Index record = width_ + 1;
  const Index at_once = std::clamp<Index>(block_numbers / (record * stride), 1, std::max<Index>(1, count));
  std::vector<double> block(static_cast<std::size_t>(at_once * stride * record));
  for (Index done = 0; done < count; done += at_once) {
    const Index rows = std::min(at_once, count - done);
    const Index read_rows = (rows - 1) * stride + 1;
    const std::span<double> numbers(block.data(), static_cast<std::size_t>(read_rows * record));
    file_.read_at(offset_of(first + done * stride, width_), std::as_writable_bytes(numbers));
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(numbers.begin() + i * stride * record + first_column, columns, out.begin() + (done + i) * columns);
    }
  }
}

}  // namespace quasar
