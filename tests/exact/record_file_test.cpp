// Files of records and checked files: what was written comes back, and whatever else is there is noticed.
#include "io/record_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>

#include <quasar/errors.hpp>

#include "io/checked_file.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::TempFolder;

constexpr std::uint64_t run_id = 42;
constexpr Index width = 3;
constexpr std::size_t head_size = 40, record_size = 8 * (width + 1);

std::vector<double> record(Index i) {
  const auto x = static_cast<double>(i);
  return {x, x + 0.25, i == 4 ? std::numeric_limits<double>::quiet_NaN() : -x};
}

void write_records(const std::filesystem::path& path, Index from, Index to) {
  RecordWriter writer(path, run_id, width);
  writer.restart(from);
  for (Index i = from; i < to; ++i) writer.append(record(i));
  writer.sync();
  EXPECT_EQ(writer.records(), to);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Index sound_records(const std::filesystem::path& path) { return RecordReader(path, run_id, width).records(); }

TEST(RecordFile, GivesBackWhatWasAppended) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  write_records(path, 0, 10);
  const RecordReader reader(path, run_id, width);
  ASSERT_EQ(reader.records(), 10);
  std::vector<double> numbers(6);
  reader.read(1, 3, 3, 1, 2, numbers);  // records 1, 4, 7, without their first numbers
  EXPECT_EQ(numbers[0], 1.25);
  EXPECT_EQ(numbers[2], 4.25);
  EXPECT_TRUE(std::isnan(numbers[3]));
  EXPECT_EQ(numbers[5], -7);
}

TEST(RecordFile, ReadsAcrossTheBlocksOfAReader) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  constexpr Index many = 200'000, stride = 3, first = 2, rows = (many - first) / stride;
  write_records(path, 0, many);
  const RecordReader reader(path, run_id, width);
  std::vector<double> numbers(rows);
  reader.read(first, stride, rows, 0, 1, numbers);
  for (Index i = 0; i < rows; ++i)
    ASSERT_EQ(numbers[static_cast<std::size_t>(i)], static_cast<double>(first + i * stride));
}

TEST(RecordFile, GoesOnWhereItIsToldAndForgetsTheRest) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  write_records(path, 0, 10);
  const std::string whole = bytes_of(path);
  write_records(path, 4, 6);
  EXPECT_EQ(bytes_of(path), whole.substr(0, head_size + 6 * record_size));
  write_records(path, 6, 10);
  EXPECT_EQ(bytes_of(path), whole);
}

TEST(RecordFile, EndsBeforeTheFirstTornRecord) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  write_records(path, 0, 5);
  const std::string whole = bytes_of(path);
  for (std::size_t size = head_size; size <= whole.size(); ++size) {
    folder.write("a.draws", whole.substr(0, size));
    ASSERT_EQ(sound_records(path), static_cast<Index>((size - head_size) / record_size)) << size;
  }
  folder.write("a.draws", whole + std::string(10 * record_size, '\0'));  // what a power failure can leave
  EXPECT_EQ(sound_records(path), 5);
  folder.write("a.draws", whole + std::string(10 * record_size, '\xff'));
  EXPECT_EQ(sound_records(path), 5);
}

TEST(RecordFile, EveryFlippedBitIsNoticed) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  write_records(path, 0, 5);
  const std::string whole = bytes_of(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    folder.write("a.draws", flipped);
    if (bit / 8 < head_size) {
      test::error_message<DataError>([&] { sound_records(path); });
    } else {
      ASSERT_EQ(sound_records(path), static_cast<Index>((bit / 8 - head_size) / record_size)) << bit;
    }
  }
}

TEST(RecordFile, RefusesWhatItCannotGoOnFrom) {
  TempFolder folder;
  const auto path = folder.file("a.draws");
  write_records(path, 0, 5);
  RecordWriter writer(path, run_id, width);
  const std::string missing = test::error_message<DataError>([&] { writer.require(7); });
  EXPECT_NE(missing.find("a.draws: record 6 is damaged or missing, and the checkpoint needs 7"), std::string::npos)
      << missing;
  const std::string other = test::error_message<DataError>([&] { RecordReader(path, run_id + 1, width); });
  EXPECT_NE(other.find("belongs to another run or chain"), std::string::npos) << other;
  const std::string wider = test::error_message<DataError>([&] { RecordReader(path, run_id, width + 1); });
  EXPECT_NE(wider.find("belongs to another run or chain"), std::string::npos) << wider;
  folder.write("text.draws", std::string(100, 'a'));
  const std::string text = test::error_message<DataError>([&] { sound_records(folder.file("text.draws")); });
  EXPECT_NE(text.find("is not a file of draws"), std::string::npos) << text;
}

TEST(CheckedFile, IsWholeOrRefused) {
  TempFolder folder;
  const auto path = folder.file("state");
  for (const std::string& content : {std::string("content"), std::string(), std::string(100'000, 'x')}) {
    write_checked_file(path, "state", content);
    EXPECT_EQ(read_checked_file(path, "state"), content);
  }
  write_checked_file(path, "state", "content");
  const std::string whole = bytes_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("state", whole.substr(0, size));
    test::error_message<DataError>([&] { read_checked_file(path, "state"); });
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    folder.write("state", flipped);
    test::error_message<DataError>([&] { read_checked_file(path, "state"); });
  }
  folder.write("state", whole + "x");
  test::error_message<DataError>([&] { read_checked_file(path, "state"); });
  folder.write("state", whole);
  const std::string kind = test::error_message<DataError>([&] { read_checked_file(path, "run"); });
  EXPECT_NE(kind.find("is another kind of file"), std::string::npos) << kind;
}

}  // namespace
}  // namespace quasar
