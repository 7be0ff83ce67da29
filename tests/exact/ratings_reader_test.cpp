// Ratings from every kind of file, and what is refused of each: file, line and cause.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/errors.hpp>

#include "fuzz/in_pieces.hpp"
#include "io/ratings.hpp"

namespace quasar {
namespace {

using Labels = std::vector<std::string>;

Table read(std::string_view text, const RatingNames& wanted = {}, RatingsFor use = RatingsFor::fitting) {
  return read_ratings(fuzz::in_pieces(text, 7), wanted, use);
}

template <class Error = DataError>
std::string refusal(std::string_view text, const RatingNames& wanted = {}, RatingsFor use = RatingsFor::fitting) {
  try {
    read(text, wanted, use);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// "1 5 3.5 | 1 7 2 | ": labels and ratings in the order of the rows.
std::string triples(const Table& table) {
  std::string text;
  for (Index i = 0; i < table.rows(); ++i) {
    for (const Index column : {0, 1}) {
      text += table.levels[static_cast<std::size_t>(column)][static_cast<std::size_t>(table.values(i, column))] + " ";
    }
    text += table.columns() == 2 ? "| " : fmt::format("{} | ", table.values(i, 2));
  }
  return text;
}

constexpr std::string_view three = "1 5 3.5 | 2 5 2 | 1 1000000000 4 | ";

TEST(RatingsReader, EverySeparatorSaysTheSame) {
  EXPECT_EQ(triples(read("user,item,rating\n1,5,3.5\n2,5,2\n1,1000000000,4\n")), three);
  EXPECT_EQ(triples(read("1,5,3.5\n2,5,2\n1,1000000000,4\n")), three);
  EXPECT_EQ(triples(read("1\t5\t3.5\t88\n2\t5\t2\t\n1\t1000000000\t4\t89\n")), three);
  EXPECT_EQ(triples(read("1::5::3.5::88\r\n2::5::2::88\r\n1::1000000000::4::8\r\n")), three);
  EXPECT_EQ(triples(read("who;what;how\n1;5;3.5\n2;5;2\n1;1000000000;4\n\n")), three);
  EXPECT_EQ(triples(read("\xEF\xBB\xBFuser::item::rating\n1::5::3.5\n2::5::2\n1::1000000000::4")), three);
  EXPECT_EQ(triples(read("%%MatrixMarket matrix coordinate real general\n% films\n\n2 1000000000 3\n"
                         "1 5 3.5\n2 5 2\n1\t1000000000  4\n")),
            three);
}

TEST(RatingsReader, NamesAreThoseOfTheHeader) {
  EXPECT_EQ(read("1::5::3\n").names, (Labels{"user", "item", "rating"}));
  EXPECT_EQ(read("who\twhat\thow\nann\ttea\t3\n").names, (Labels{"who", "what", "how"}));
  const Table chosen = read("when,how,who,what\n9,3,ann,tea\n", {"who", "what", "how"});
  EXPECT_EQ(chosen.names, (Labels{"who", "what", "how"}));
  EXPECT_EQ(triples(chosen), "ann tea 3 | ");
}

TEST(RatingsReader, UsualNamesAreTakenWhereverTheyStand) {
  EXPECT_EQ(triples(read("user,item,timestamp,rating\nann,tea,881250949,3\n")), "ann tea 3 | ");
  EXPECT_EQ(triples(read("item,user,rating\ntea,ann,3\n")), "ann tea 3 | ");
  EXPECT_EQ(triples(read("who,what,when,rating\nann,tea,881250949,3\n")), "ann tea 3 | ");
  EXPECT_EQ(triples(read("user,item,2024\nann,tea,3\n")), "ann tea 3 | ");
  EXPECT_EQ(refusal<UsageError>("when,user,rating\n9,ann,3\n").substr(0, 58),
            "fuzz:1: user, item and rating must be three different colu");
}

TEST(RatingsReader, NewRatingsWithoutAHeaderHaveTheColumnsThatWereFitted) {
  const RatingNames fitted{"item", "user", "rating"};  // users are in a column called item
  for (const std::string_view text :
       {"ann,tea,3\n", "ann\ttea\t\n", "7,5\n", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n"}) {
    const Table table = read(text, fitted, RatingsFor::predicting);
    EXPECT_EQ(table.names[0], "item") << text;
    EXPECT_EQ(table.names[1], "user") << text;
    EXPECT_EQ(table.rows(), 1) << text;
  }
}

TEST(RatingsReader, AFirstLineWithoutItsRatingIsNotLost) {
  EXPECT_EQ(refusal("alice,Titanic,NA\nbob,Titanic,3\n"),
            "fuzz:1: the third field 'NA' is neither the name of a column nor a rating");
  EXPECT_EQ(triples(read("alice,Titanic,NA\nbob,Titanic,3\n", {}, RatingsFor::predicting)),
            "alice Titanic nan | bob Titanic 3 | ");
}

TEST(RatingsReader, TitlesMayHoldOtherSeparators) {
  EXPECT_EQ(triples(read("bob::The Good, the Bad, and the Ugly, 1966::5\n")),
            "bob The Good, the Bad, and the Ugly, 1966 5 | ");
  EXPECT_EQ(triples(read("u1;\"Me, You, \"\"and\"\", Them\";4\n")), "u1 Me, You, \"and\", Them 4 | ");
  EXPECT_EQ(triples(read("u1;12\" single;4\nu1;7\" single;5\n")), "u1 12\" single 4 | u1 7\" single 5 | ");
}

TEST(RatingsReader, LabelsAreInTheOrderOfNumbersOrOfTheAlphabet) {
  const Table table = read("10,b,1\n9,10,2\n9.0,a,3\n");
  EXPECT_EQ(table.levels[0], (Labels{"9", "10"}));
  EXPECT_EQ(table.levels[1], (Labels{"10", "a", "b"}));
  EXPECT_EQ(table.lines, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(table.source, "fuzz");
  EXPECT_EQ(table.content_hash, content_hash("10,b,1\n9,10,2\n9.0,a,3\n"));
}

TEST(RatingsReader, QuotesHoldDelimiters) {
  EXPECT_EQ(triples(read("user,item,rating\n\"Ann, A.\",\"say \"\"tea\"\"\",3\n")), "Ann, A. say \"tea\" 3 | ");
  EXPECT_EQ(triples(read("u\ti\tr\n\"a\tb\"\t\"c\"\t3\n")), "a\tb c 3 | ");
  EXPECT_EQ(triples(read("u::i::r\n\"a::b\"::c::3\n")), "a::b c 3 | ");
}

TEST(RatingsReader, PairsNeedNoRatingsToBePredicted) {
  const auto pairs = [](std::string_view text, const RatingNames& wanted = {}) {
    return triples(read(text, wanted, RatingsFor::predicting));
  };
  EXPECT_EQ(pairs("1\t5\n2\t5\n"), "1 5 | 2 5 | ");
  EXPECT_EQ(pairs("user,item\nann,tea\n"), "ann tea | ");
  EXPECT_EQ(pairs("item,x,user\ntea,0,ann\n", {"user", "item", "rating"}), "ann tea | ");
  EXPECT_EQ(pairs("user,item,rating\nann,tea,\nbob,tea,4\n"), "ann tea nan | bob tea 4 | ");
  EXPECT_EQ(refusal("1\t5\n2\t5\n"),
            "fuzz:1: user, item and rating are three columns, and there are 2, separated by tabs");
  EXPECT_EQ(refusal("user,item\nann,tea\n"),
            "fuzz:1: user, item and rating are three columns, and there are 2, separated by commas");
}

TEST(RatingsReader, ColumnsThatAreNotThereAreNamed) {
  constexpr auto no_who =
      "fuzz:1: there is no column 'who' for the user; the first line, taken for a header, has a, b, c";
  EXPECT_EQ(refusal<UsageError>("a,b,c\n1,2,3\n", {"who", "", ""}), no_who);
  EXPECT_EQ(refusal("a,b,c\n1,2,3\n", {"who", "", ""}, RatingsFor::predicting), no_who);
  EXPECT_EQ(refusal("a,b,b\n1,2,3\n", {"", "", "b"}), "fuzz:1: two columns are called 'b'");
  EXPECT_NE(refusal<UsageError>("a,b,c\n1,2,3\n", {"a", "a", ""}), "");
  EXPECT_EQ(refusal("x,x,rating\n1,2,3\n"), "fuzz:1: two columns have one name: new ratings could not be told by it");
}

TEST(RatingsReader, BadLinesAreRefusedWithTheirNumber) {
  EXPECT_EQ(refusal("1::5::3\n1::6::good\n"), "fuzz:2: the rating 'good' is not a number");
  EXPECT_EQ(refusal("1::5::good\n"), "fuzz:1: the rating 'good' is not a number");
  EXPECT_EQ(refusal("1,5,3\n1,6,inf\n"), "fuzz:2: the rating 'inf' is not finite");
  EXPECT_EQ(refusal("1,5,3\n1,6,nan\n"), "fuzz:2: the rating 'nan' is a missing value");
  EXPECT_EQ(refusal("1,5,3\n1,6,\n"), "fuzz:2: the rating is missing");
  EXPECT_EQ(refusal("1,5,3\n,6,1\n"), "fuzz:2: the user is missing");
  EXPECT_EQ(refusal("1\t5\t3\n1\t\t1\n"), "fuzz:2: the item is missing");
  EXPECT_EQ(
      refusal("1,5,3\n1,6\n"),
      "fuzz:2: expected 3 fields, found 2: as the first line, this is separated by commas; a field that holds them is "
      "quoted");
  EXPECT_EQ(refusal("1,5,3\n\n1,6,3\n"), "fuzz:3: line 2 is empty, yet the table goes on");
  EXPECT_EQ(refusal("1,5,3\n\xff,6,3\n"), "fuzz:2: the user is not UTF-8 text");
  EXPECT_EQ(refusal("1;5;3,5\n"), "fuzz:1: the rating '3,5' is not a number");
  EXPECT_EQ(refusal(""), "fuzz: the file is empty");
  EXPECT_EQ(refusal("user,item,rating\n"), "fuzz: a header but no ratings");
  EXPECT_EQ(refusal("1 5 3\n"),
            "fuzz:1: ratings are separated by commas, tabs, semicolons or '::', and this line has none of them");
}

TEST(RatingsReader, MatricesKeepWhatTheyPromise) {
  const auto matrix = [](std::string_view kind, std::string_view rest) {
    return refusal(fmt::format("%%MatrixMarket matrix {}\n{}", kind, rest));
  };
  EXPECT_EQ(matrix("coordinate integer general", "2 2 1\n1 2 3\n"), "");
  EXPECT_EQ(matrix("coordinate real general", "2 2 2\n1 2 3\n"),
            "fuzz:3: the file ends after 1 of the 2 entries that it promises");
  EXPECT_EQ(matrix("coordinate real general", "2 2 1\n1 2 3\n2 1 3\n"),
            "fuzz:4: there are more than the 1 entries that the size promises");
  EXPECT_EQ(matrix("coordinate real general", "2 2 1\n3 2 3\n"),
            "fuzz:3: row 3 is not between 1 and 2, the size of the matrix");
  EXPECT_EQ(matrix("coordinate real general", "2 2 1\n1 0 3\n"),
            "fuzz:3: column 0 is not between 1 and 2, the size of the matrix");
  EXPECT_EQ(matrix("coordinate real general", "2 2 0\n"), "fuzz: the matrix has no entries");
  EXPECT_EQ(matrix("coordinate real general", "2 2\n"), "fuzz:2: the size is three numbers: rows, columns, entries");
  EXPECT_NE(matrix("coordinate pattern general", "2 2 1\n1 2\n").find("'pattern' holds no ratings"), std::string::npos);
  EXPECT_NE(matrix("coordinate real symmetric", "2 2 1\n1 2 3\n").find("users are no items"), std::string::npos);
  EXPECT_NE(matrix("array real general", "2 2\n1\n").find("a sparse matrix"), std::string::npos);
}

}  // namespace
}  // namespace quasar
