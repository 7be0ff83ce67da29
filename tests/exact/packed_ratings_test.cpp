// Packed ratings: what was packed comes back in the order of places, whatever else is there is refused by name, and
// damage never passes. Synthetic ratings: any range of them, sorted, no pair twice, with the law that is stated.
#include "io/packed_ratings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "core/fixed_order.hpp"
#include "front/pack_ratings.hpp"
#include "front/read_data.hpp"
#include "io/packed_ratings_format.hpp"
#include "models/factorization/make_factorization.hpp"
#include "models/factorization/ratings.hpp"
#include "models/factorization/synthetic_ratings.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::error_message, test::TempFolder;
namespace fs = std::filesystem;

const std::string text = "user,item,rating\nann,10,4\nbob,9,2.5\ncid,9,1\nann,9,5\nbob,11,3\ndee,10,2\n";

Config bpmf(const Settings& settings = {}) { return {"model bpmf", bpmf_params(), settings}; }

Table packed(const TempFolder& folder, const std::string& csv, const Settings& settings = {}) {
  const fs::path source = folder.write("r.csv", csv), out = folder.file("r.qpk");
  pack_ratings(source.string(), settings, out, IfExists::replace, [] {});
  return open_packed_ratings(out);
}

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Rows rows_of(const Table& table, Index begin, Index count) {
  Rows rows(count, 3);
  table.stored->read(begin, count, rows.data());
  return rows;
}
Rows rows_of(const Table& table) { return rows_of(table, 0, table.rows()); }

std::vector<Index> places(Index count) {
  const auto order = fixed_order(count);
  std::vector<Index> result(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    result[static_cast<std::size_t>(order[place])] = static_cast<Index>(place);
  return result;
}

// Strictly ascending in (place of the user, place of the item).
bool sorted_without_duplicates(const Table& table) {
  const auto users = places(std::ssize(table.levels[0])), items = places(std::ssize(table.levels[1]));
  const Rows rows = rows_of(table);
  const auto key = [&](Index row) {
    return std::pair(users[static_cast<std::size_t>(rows(row, 0))], items[static_cast<std::size_t>(rows(row, 1))]);
  };
  for (Index row = 1; row < rows.rows(); ++row) {
    if (key(row - 1) >= key(row)) return false;
  }
  return true;
}

using Triple = std::tuple<std::string, std::string, double>;
std::multiset<Triple> triples(const Table& table) {
  std::multiset<Triple> result;
  const Rows rows = rows_of(table);
  for (Index row = 0; row < rows.rows(); ++row) {
    result.emplace(table.levels[0][static_cast<std::size_t>(rows(row, 0))],
                   table.levels[1][static_cast<std::size_t>(rows(row, 1))], rows(row, 2));
  }
  return result;
}

TEST(PackedRatings, GiveBackWhatWasPacked) {
  TempFolder folder;
  const Table table = packed(folder, text);
  EXPECT_EQ(table.names, (std::vector<std::string>{"user", "item", "rating"}));
  EXPECT_EQ(table.levels[0], (std::vector<std::string>{"ann", "bob", "cid", "dee"}));
  EXPECT_EQ(table.levels[1], (std::vector<std::string>{"9", "10", "11"}));
  EXPECT_TRUE(table.levels[2].empty());
  EXPECT_EQ(
      triples(table),
      (std::multiset<Triple>{
          {"ann", "10", 4}, {"bob", "9", 2.5}, {"cid", "9", 1}, {"ann", "9", 5}, {"bob", "11", 3}, {"dee", "10", 2}}));
  EXPECT_TRUE(sorted_without_duplicates(table));
  EXPECT_EQ(rows_of(table, 2, 3), rows_of(table).middleRows(2, 3));
  EXPECT_EQ(fs::file_size(folder.file("r.qpk")), packed_alignment + 6 * 16);
  EXPECT_EQ(triples(verify_packed_ratings(folder.file("r.qpk"))), triples(table));
}

TEST(PackedRatings, KnowTheirSums) {
  TempFolder folder;
  const Table table = packed(folder, text);
  EXPECT_EQ(table.summaries[2].mean, 17.5 / 6);
  EXPECT_NEAR(table.summaries[2].squares, 61.25 - 17.5 * 17.5 / 6, 1e-12);
  EXPECT_EQ(table.summaries[2].min, 1);
  EXPECT_EQ(table.summaries[2].max, 5);
  Table counted = table;
  counted.summaries.clear();
  const auto expected = column_summaries(counted);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(table.summaries[j].mean, expected[j].mean);
    EXPECT_EQ(table.summaries[j].squares, expected[j].squares);
    EXPECT_EQ(table.summaries[j].first_not_binary, expected[j].first_not_binary);
  }
}

// The model's ratings: the same labels, centre and scale to rounding, and each row's ratings in another order at most.
TEST(PackedRatings, MakeTheModelOfTheText) {
  TempFolder folder;
  const auto stored = make_ratings(packed(folder, text), bpmf());
  const auto read = make_ratings(read_data(folder.file("r.csv").string(), bpmf()), bpmf());
  EXPECT_EQ(stored->users, read->users);
  EXPECT_EQ(stored->items, read->items);
  EXPECT_EQ(stored->by_user.begin, read->by_user.begin);
  EXPECT_EQ(stored->by_item.begin, read->by_item.begin);
  EXPECT_NEAR(stored->center, read->center, 1e-15);
  EXPECT_EQ(stored->scale, read->scale);
  const auto set_of = [](const Ratings& ratings) {
    std::set<std::tuple<int, int, double>> all;
    for (const Rating& one : ratings.all) all.emplace(one.user, one.item, std::round(one.value * 1e12));
    return all;
  };
  EXPECT_EQ(set_of(*stored), set_of(*read));
}

TEST(PackedRatings, SettleDuplicatesAsTheModelDoes) {
  const std::string twice = text + "ann,10,1\n";
  TempFolder folder;
  EXPECT_EQ(error_message<DataError>([&] { packed(folder, twice); }).find(folder.file("r.csv").string() + ":8"), 0U);
  EXPECT_FALSE(fs::exists(folder.file("r.qpk")));
  EXPECT_TRUE(triples(packed(folder, twice, {{"duplicates", "last"}})).contains({"ann", "10", 1}));
  EXPECT_TRUE(triples(packed(folder, twice, {{"duplicates", "mean"}})).contains({"ann", "10", 2.5}));
  const Table kept = packed(folder, twice, {{"duplicates", "keep"}});
  EXPECT_EQ(kept.rows(), 7);
  EXPECT_THROW(make_ratings(kept, bpmf()), DataError);
  EXPECT_EQ(make_ratings(kept, bpmf({{"duplicates", "keep"}}))->all.size(), 7U);
}

TEST(PackedRatings, AreNotTakenForTheSourceNorForOtherChoices) {
  TempFolder folder;
  const std::string plain = packed(folder, text).content_hash;
  EXPECT_EQ(packed(folder, text).content_hash, plain);
  EXPECT_NE(read_data(folder.file("r.csv").string(), bpmf()).content_hash, plain);
  EXPECT_NE(packed(folder, text, {{"duplicates", "mean"}}).content_hash, plain);
}

TEST(PackedRatings, ChosenColumnsKeepTheirNames) {
  TempFolder folder;
  const std::string csv = "stars,film,who\n5,up,ann\n3,up,bob\n";
  const Settings columns = {{"user", "who"}, {"item", "film"}, {"rating", "stars"}};
  const Table table = packed(folder, csv, columns);
  EXPECT_EQ(table.names, (std::vector<std::string>{"who", "film", "stars"}));
  EXPECT_EQ(make_ratings(table, bpmf(columns))->users, (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(make_ratings(table, bpmf())->users, (std::vector<std::string>{"ann", "bob"}));
  EXPECT_THROW(make_ratings(table, bpmf({{"user", "nobody"}})), UsageError);
  EXPECT_THROW(packed(folder, "item,user,rating\n1,2,3\n", {{"user", "item"}, {"item", "user"}}), UsageError);
}

std::string sound_bytes() {
  TempFolder folder;
  packed(folder, text);
  std::ifstream in(folder.file("r.qpk"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string complaint(std::string_view bytes, const std::function<void(const fs::path&)>& use) {
  TempFolder folder;
  const fs::path file = folder.write("r.qpk", bytes);
  const std::string message = error_message<DataError>([&] { use(file); });
  EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  return message.substr(std::min(message.size(), file.string().size() + 2));
}
std::string complaint(std::string_view bytes) {
  return complaint(bytes, [](const fs::path& file) { open_packed_ratings(file); });
}

TEST(PackedRatings, AnyCutIsNoticed) {
  const std::string sound = sound_bytes();
  for (std::size_t size = 0; size < sound.size(); size += size < 400 ? 7 : 113) {
    EXPECT_TRUE(complaint(sound.substr(0, size)).starts_with("is cut short")) << size;
  }
  EXPECT_EQ(complaint(sound + '\0'), "is too long: 4193 bytes where its header tells of 4192");
}

TEST(PackedRatings, AFlippedBitOfTheHeaderIsNoticed) {
  const std::string sound = sound_bytes();
  PackedRatingsHead head;
  std::memcpy(&head, sound.data(), sizeof head);
  for (std::size_t bit = 0; bit < 8 * packed_ratings_header_size(head); bit += 11) {
    std::string flipped = sound;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(complaint(flipped), "") << bit;
  }
}

// A file that was changed by somebody who also wrote fresh checksums.
std::string forged(std::string bytes,
                   const std::function<void(PackedRatingsHead&, PackedColumn&, std::uint32_t&)>& change) {
  PackedRatingsHead head;
  PackedColumn first;
  std::uint32_t length;
  char* const column_at = bytes.data() + sizeof head;
  char* const length_at = column_at + 3 * sizeof first;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::memcpy(&first, column_at, sizeof first);
  std::memcpy(&length, length_at, sizeof length);
  const std::size_t end = packed_ratings_header_size(head);
  change(head, first, length);
  std::memcpy(column_at, &first, sizeof first);
  std::memcpy(length_at, &length, sizeof length);
  head.checksum = packed_header_checksum(head, std::as_bytes(std::span(bytes).first(end).subspan(sizeof head)));
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

TEST(PackedRatings, SizesThatMakeNoSenseAreRefusedEvenWithTheRightChecksum) {
  using Head = PackedRatingsHead;
  using Change = std::function<void(Head&, PackedColumn&, std::uint32_t&)>;
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::string sound = sound_bytes();
  const std::pair<const char*, Change> changes[] = {
      {"no ratings", [](Head& head, PackedColumn&, std::uint32_t&) { head.ratings = 0; }},
      {"ratings overflow", [](Head& head, PackedColumn&, std::uint32_t&) { head.ratings += std::uint64_t{1} << 60; }},
      {"ratings beyond the file", [](Head& head, PackedColumn&, std::uint32_t&) { head.ratings += 1; }},
      {"users overflow", [](Head& head, PackedColumn&, std::uint32_t&) { head.users = huge; }},
      {"items overflow", [](Head& head, PackedColumn&, std::uint32_t&) { head.items = huge / 4; }},
      {"texts overflow", [](Head& head, PackedColumn&, std::uint32_t&) { head.text_bytes = huge; }},
      {"data in the header", [](Head& head, PackedColumn&, std::uint32_t&) { head.data_begin = 0; }},
      {"data far away", [](Head& head, PackedColumn&, std::uint32_t&) { head.data_begin = huge; }},
      {"no name", [](Head&, PackedColumn& column, std::uint32_t&) { column.name_length = 0; }},
      {"a name far too long", [](Head&, PackedColumn& column, std::uint32_t&) { column.name_length = huge; }},
      {"a label too long", [](Head&, PackedColumn&, std::uint32_t& length) { length += 1; }},
      {"a row that is not there", [](Head&, PackedColumn& column, std::uint32_t&) { column.first_not_binary = 7; }},
  };
  EXPECT_EQ(forged(sound, [](Head&, PackedColumn&, std::uint32_t&) {}), sound);
  for (const auto& [name, change] : changes) {
    EXPECT_TRUE(complaint(forged(sound, change)).starts_with("is damaged")) << name;
  }
}

TEST(PackedRatings, TwoUsersOrItemsOfOneLabelAreRefused) {
  const auto renamed = [](std::string_view from, std::string_view to) {
    std::string bytes = sound_bytes();
    bytes.replace(bytes.find(from), from.size(), to);
    return complaint(forged(bytes, [](PackedRatingsHead&, PackedColumn&, std::uint32_t&) {}));
  };
  EXPECT_EQ(renamed("dee", "ann"), "has the user 'ann' twice: pack the ratings again");
  EXPECT_EQ(renamed("1011", "1010"), "has the item '10' twice: pack the ratings again");
}

TEST(PackedRatings, VerifyingFindsAnyFlippedBitOfTheRatings) {
  const std::string sound = sound_bytes();
  for (std::size_t byte = packed_alignment; byte < sound.size(); byte += 5) {
    std::string flipped = sound;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 1);
    EXPECT_EQ(complaint(flipped, [](const fs::path& file) { verify_packed_ratings(file); }),
              "is damaged: its ratings do not fit their checksum");
  }
}

TEST(PackedRatings, NumbersThatAreNotThereDoNotReachAModel) {
  const auto changed = [](std::size_t at, const auto& value) {
    std::string bytes = sound_bytes();
    std::memcpy(bytes.data() + packed_alignment + 16 + at, &value, sizeof value);
    return complaint(bytes, [](const fs::path& file) { rows_of(open_packed_ratings(file)); });
  };
  const std::string expected = "is damaged: rating 2 has a user or an item that is not there, or no value";
  EXPECT_EQ(changed(0, std::uint32_t{4}), expected);
  EXPECT_EQ(changed(4, std::uint32_t{3}), expected);
  EXPECT_EQ(changed(8, std::nan("")), expected);
}

TEST(PackedRatings, AreKnownByTheirFirstBytesAlone) {
  TempFolder folder;
  EXPECT_TRUE(is_packed_ratings(folder.write("r.csv", sound_bytes())));
  EXPECT_FALSE(is_packed_ratings(folder.write("r.qpk", text)));
  std::string newer = sound_bytes();
  newer[8] = 2;
  EXPECT_EQ(complaint(newer), "has packed ratings of version 2; this Quasar reads version 1: pack them again");
  EXPECT_EQ(complaint("user,item,rating\n" + std::string(200, '\n')), "is no file of packed ratings");
}

TEST(SyntheticRatings, AreSortedAndHaveNoPairTwice) {
  for (const char* name : {"synthetic:50x30x400", "synthetic:7x5x35", "synthetic:13x100x101:9", "synthetic:1x1x1"}) {
    const Table table = synthetic_ratings(name);
    EXPECT_TRUE(sorted_without_duplicates(table)) << name;
    std::vector<Index> counts(table.levels[0].size(), 0);
    const Rows rows = rows_of(table);
    for (Index row = 0; row < rows.rows(); ++row) ++counts[static_cast<std::size_t>(rows(row, 0))];
    const auto [least, most] = std::ranges::minmax(counts);
    EXPECT_LE(most - least, 1) << name;
    EXPECT_LE(rows.col(2).maxCoeff(), table.summaries[2].max);
    EXPECT_GE(rows.col(2).minCoeff(), table.summaries[2].min);
  }
}

TEST(SyntheticRatings, AnyRangeIsTheSameRows) {
  const Table table = synthetic_ratings("synthetic:50x30x400");
  const Rows all = rows_of(table);
  for (Index begin = 0; begin < 400; begin += 37) {
    const Index count = std::min<Index>(61, 400 - begin);
    EXPECT_EQ(rows_of(table, begin, count), all.middleRows(begin, count));
  }
  EXPECT_EQ(rows_of(synthetic_ratings("synthetic:50x30x400:1")), all);
  EXPECT_NE(rows_of(synthetic_ratings("synthetic:50x30x400:2")), all);
}

// 200 000 ratings; five standard errors of a mean are 0.06, for users and items are shared: their truth has 1000 rows.
TEST(SyntheticRatings, HaveTheMomentsThatAreStated) {
  const Table table = synthetic_ratings("synthetic:1000x1000x200000");
  const Rows rows = rows_of(table);
  const auto stated = table.summaries;
  const double mean = rows.col(2).mean();
  EXPECT_NEAR(mean, stated[2].mean, 0.06);
  EXPECT_NEAR((rows.col(2).array() - mean).square().mean(), stated[2].squares / 200000, 0.1);
  EXPECT_NEAR(rows.col(0).mean(), stated[0].mean, 1e-9);
  EXPECT_NEAR(rows.col(1).mean(), stated[1].mean, 5);
}

TEST(SyntheticRatings, NamesThatMakeNoSenseAreRefused) {
  for (const char* name :
       {"synthetic:", "synthetic:3", "synthetic:3x", "synthetic:3x4", "synthetic:3x4x", "synthetic:3x4x13",
        "synthetic:0x4x4", "synthetic:-3x4x5", "synthetic:3x4x5:", "synthetic:3x4x5:1:", "synthetic:3x4x5x6",
        "synthetic:3x4x3", "synthetic:1000000000x5x2000000000", "synthetic:99999999999999999999x1x1",
        "synthetic:100000000x100000000x20000000000", "synthetic:3x4x5:-1"}) {
    EXPECT_THROW(synthetic_ratings(name), UsageError) << name;
  }
}

}  // namespace
}  // namespace quasar
