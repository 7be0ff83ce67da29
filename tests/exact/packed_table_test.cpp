// Packed tables: what was packed comes back, whatever else is there is refused by name, and damage never passes.
#include "io/packed_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include <quasar/errors.hpp>

#include "io/packed_format.hpp"
#include "support/error_message.hpp"
#include "support/packed.hpp"
#include "support/regression.hpp"

namespace quasar {
namespace {

using test::error_message, test::make_table, test::packed, test::TempFolder, test::write_packed;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string sound_bytes() {
  TempFolder folder;
  write_packed(folder.file("t.qpk"), make_table(20, 2, true));
  return bytes_of(folder.file("t.qpk"));
}

// What is said of a file with these bytes, without the folder.
std::string complaint(std::string_view bytes) {
  TempFolder folder;
  const fs::path file = folder.write("t.qpk", bytes);
  const std::string message = error_message<DataError>([&] { open_packed_table(file); });
  EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  return message.substr(std::min(message.size(), file.string().size() + 2));
}

// A header that was changed by somebody who also wrote a fresh checksum.
std::string forged(std::string bytes, const std::function<void(PackedHead&, PackedColumn&)>& change) {
  PackedHead head;
  PackedColumn first;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::memcpy(&first, bytes.data() + sizeof head, sizeof first);
  const std::size_t end = packed_header_size(head);
  change(head, first);
  std::memcpy(bytes.data() + sizeof head, &first, sizeof first);
  const auto rest = std::as_bytes(std::span(bytes).first(end).subspan(sizeof head));
  head.checksum = packed_header_checksum(head, rest);
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

TEST(PackedTable, GivesBackWhatWasPacked) {
  const Table table = make_table(300, 3, true);
  TempFolder folder;
  const Table back = packed(folder.file("t.qpk"), table);
  EXPECT_EQ(back.source, folder.file("t.qpk").string());
  EXPECT_EQ(back.names, table.names);
  EXPECT_EQ(back.content_hash, test::packed_hash);
  ASSERT_EQ(back.rows(), table.rows());
  ASSERT_EQ(back.columns(), table.columns());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor rows(300, 4);
  back.stored->read(0, 120, rows.data());
  back.stored->read(120, 180, rows.row(120).data());
  EXPECT_EQ(Mat(rows), table.values);
}

TEST(PackedTable, KnowsItsColumnsToTheLastBit) {
  const Table table = make_table(5000, 40, true);  // more than one buffer of the writer
  TempFolder folder;
  const Table back = packed(folder.file("t.qpk"), table);
  const auto expected = column_summaries(table);
  ASSERT_EQ(back.summaries.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_EQ(back.summaries[j].mean, expected[j].mean);
    EXPECT_EQ(back.summaries[j].squares, expected[j].squares);
    EXPECT_EQ(back.summaries[j].min, expected[j].min);
    EXPECT_EQ(back.summaries[j].max, expected[j].max);
    EXPECT_EQ(back.summaries[j].first_not_binary, expected[j].first_not_binary);
  }
}

TEST(PackedTable, SummariesAreWhatTheySay) {
  Table table{"memory", {"a", "b"}, Mat(3, 2), {}};
  table.values << 1, 0, 4, 1, -2, 1;
  const auto summaries = column_summaries(table);
  EXPECT_EQ(summaries[0].mean, 1);
  EXPECT_EQ(summaries[0].squares, 18);
  EXPECT_EQ(summaries[0].min, -2);
  EXPECT_EQ(summaries[0].max, 4);
  EXPECT_EQ(summaries[0].first_not_binary, 1);
  EXPECT_EQ(summaries[1].first_not_binary, 3);
}

TEST(PackedTable, IsKnownByItsFirstBytesAlone) {
  TempFolder folder;
  EXPECT_TRUE(is_packed_table(folder.write("t.csv", sound_bytes())));
  EXPECT_TRUE(is_packed_table(folder.write("t.csv", sound_bytes().substr(0, 5))));
  EXPECT_FALSE(is_packed_table(folder.write("t.qpk", "a,b\n1,2\n")));
  EXPECT_FALSE(is_packed_table(folder.write("t.qpk", "")));
  EXPECT_FALSE(is_packed_table(folder.path()));
  EXPECT_FALSE(is_packed_table(folder.file("missing")));
}

TEST(PackedTable, AnyCutIsNoticed) {
  const std::string sound = sound_bytes();
  ASSERT_GT(sound.size(), packed_alignment);
  for (std::size_t size = 0; size < sound.size(); size += size < 300 ? 1 : 13) {
    EXPECT_TRUE(complaint(sound.substr(0, size)).starts_with("is cut short")) << size;
  }
  EXPECT_EQ(complaint(sound.substr(0, sound.size() - 1)), "is cut short: 4575 of 4576 bytes are there");
  EXPECT_EQ(complaint(sound + '\0'), "is too long: 4577 bytes where its header tells of 4576");
}

TEST(PackedTable, AnyFlippedBitOfTheHeaderIsNoticed) {
  const std::string sound = sound_bytes();
  PackedHead head;
  std::memcpy(&head, sound.data(), sizeof head);
  for (std::size_t bit = 0; bit < 8 * packed_header_size(head); ++bit) {
    std::string flipped = sound;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(complaint(flipped), "") << bit;
  }
}

TEST(PackedTable, SaysWhatIsWrong) {
  std::string other = sound_bytes(), newer = other, damaged = other;
  other[0] = 'q';
  newer[8] = 2;
  damaged[16] = 21;
  EXPECT_EQ(complaint(other), "is not a packed table");
  EXPECT_EQ(complaint(newer), "is a packed table of version 2; this Quasar reads version 1: pack it again");
  EXPECT_EQ(complaint(damaged), "is damaged: its header does not fit its checksum or itself");
}

TEST(PackedTable, SizesThatMakeNoSenseAreRefusedEvenWithTheRightChecksum) {
  using Change = std::function<void(PackedHead&, PackedColumn&)>;
  const std::string sound = sound_bytes();
  const std::pair<const char*, Change> changes[] = {
      {"no rows", [](PackedHead& head, PackedColumn&) { head.rows = 0; }},
      {"rows overflow", [](PackedHead& head, PackedColumn&) { head.rows += std::uint64_t{1} << 61; }},
      {"rows beyond the file", [](PackedHead& head, PackedColumn&) { head.rows += 1; }},
      {"no columns", [](PackedHead& head, PackedColumn&) { head.columns = 0; }},
      {"columns overflow", [](PackedHead& head, PackedColumn&) { head.columns = ~std::uint64_t{0}; }},
      {"names overflow", [](PackedHead& head, PackedColumn&) { head.name_bytes = ~std::uint64_t{0}; }},
      {"data in the header", [](PackedHead& head, PackedColumn&) { head.data_begin = 0; }},
      {"data far away", [](PackedHead& head, PackedColumn&) { head.data_begin = ~std::uint64_t{0}; }},
      {"a name too long", [](PackedHead&, PackedColumn& column) { column.name_length += 1; }},
      {"a name far too long", [](PackedHead&, PackedColumn& column) { column.name_length = ~std::uint64_t{0}; }},
      {"a row that is not there", [](PackedHead&, PackedColumn& column) { column.first_not_binary = 21; }},
  };
  EXPECT_EQ(forged(sound, [](PackedHead&, PackedColumn&) {}), sound);
  for (const auto& [name, change] : changes) {
    EXPECT_TRUE(complaint(forged(sound, change)).starts_with("is damaged")) << name;
  }
}

TEST(PackedTable, VerifyingFindsAnyFlippedBitOfTheRows) {
  const std::string sound = sound_bytes();
  TempFolder folder;
  EXPECT_EQ(verify_packed_table(folder.write("t.qpk", sound)).rows(), 20);
  for (std::size_t byte = packed_alignment; byte < sound.size(); byte += 7) {
    std::string flipped = sound;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 1);
    const fs::path file = folder.write("t.qpk", flipped);
    const std::string message = error_message<DataError>([&] { verify_packed_table(file); });
    EXPECT_EQ(message, file.string() + ": is damaged: its rows do not fit their checksum");
  }
}

TEST(PackedTable, AFileThatIsCutWhileItIsReadIsNamedWithThePlace) {
  TempFolder folder;
  const fs::path file = folder.file("t.qpk");
  const Table table = packed(file, make_table(20, 2, true));
  fs::resize_file(file, 4200);
  std::vector<double> row(3);
  EXPECT_NO_THROW(table.stored->read(3, 1, row.data()));
  const std::string message = error_message<DataError>([&] { table.stored->read(10, 1, row.data()); });
  EXPECT_EQ(message, file.string() + ": ends early, at byte 4336");
}

TEST(PackedTable, NothingIsLeftOfATableThatWasNotFinished) {
  TempFolder folder;
  { PackedWriter(folder.file("t.qpk"), {"a"}).add(std::vector<double>{1}); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace quasar
