// Records of equally many numbers, each with a checksum, appended while a run goes on.
//
//   head     "QSRRECS1", byte order, owner, width, checksum      five words of eight bytes
//   record   width numbers, checksum                            width + 1 words
//
// A process may be killed within a record, and a power failure may leave rubbish behind the last sync: readers take
// the records up to the first that does not fit its checksum. `owner` tells the files of one run, chain and kind from
// all others.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <quasar/core.hpp>

#include "io/file_descriptor.hpp"

namespace quasar {

class RecordWriter {
 public:
  RecordWriter(std::filesystem::path path, std::uint64_t owner, Index width);

  void require(Index records) const;  // as RecordReader; changes nothing
  // Opens the file and starts over with the first `records` of it, or with a new and empty file. To be called before
  // anything is appended.
  void restart(Index records);

  void append(std::span<const double> numbers);  // into memory; on disk within about a second
  void flush();                                  // to the operating system
  void sync();                                   // and to disk
  Index records() const { return records_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path path_;
  std::uint64_t owner_;
  Index width_;
  std::optional<FileDescriptor> file_;
  Index records_ = 0;           // those in the buffer included
  std::vector<double> buffer_;  // records that are not yet in the file
  Clock::time_point flushed_ = Clock::now();
};

class RecordReader {
 public:
  // DataError: not a file of records, of another owner or width.
  RecordReader(const std::filesystem::path& path, std::uint64_t owner, Index width);

  Index records() const { return records_; }  // whole and undamaged, when the file was opened
  void require(Index records) const;          // DataError: there are fewer

  // Columns [first_column, first_column + columns) of records first, first + stride, ...
  void read(Index first, Index stride, Index count, Index first_column, Index columns, std::span<double> out) const;

 private:
  Index sound_records() const;

  std::filesystem::path path_;
  FileDescriptor file_;
  Index width_;
  Index records_;
};

}  // namespace quasar
