// Tables: what is accepted, and that everything else is refused with file, line, column and cause.
#include "io/csv.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <span>

#include <quasar/errors.hpp>

#include "io/input_file.hpp"
#include "io/line_reader.hpp"
#include "support/error_message.hpp"
#include "support/gzipped.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::gzipped, test::TempFolder;

Table table_of(std::string_view bytes, const CsvOptions& options = {}) {
  TempFolder folder;
  return read_csv(folder.write("t.csv", bytes), options);
}

// What is said of a file with this content, without the folder.
std::string complaint(std::string_view bytes, const CsvOptions& options = {}) {
  TempFolder folder;
  const auto file = folder.write("t.csv", bytes);
  const std::string message = test::error_message<DataError>([&] { read_csv(file, options); });
  EXPECT_TRUE(message.starts_with(folder.path().string())) << message;
  return message.substr(std::min(message.size(), folder.path().string().size() + 1));
}

Mat two_by_two() { return (Mat(2, 2) << 1, 2.5, -3, 4e-3).finished(); }

TEST(Csv, ReadsNamesNumbersAndLines) {
  TempFolder folder;
  const auto file = folder.write("t.csv", "a,b\n1,2.5\n-3,4e-3\n");
  const Table table = read_csv(file);
  EXPECT_EQ(table.source, file.string());
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.values, two_by_two());
  EXPECT_EQ(table.lines, (std::vector<std::int64_t>{2, 3}));
}

TEST(Csv, DialectsThatMeanTheSame) {
  for (const std::string text : {
           "a,b\n1,2.5\n-3,4e-3",                    // no newline at the end
           "a,b\n1,2.5\n-3,4e-3\n\n \n",             // empty lines at the end
           "a,b\r\n1,2.5\r\n-3,4e-3\r\n",            // CRLF
           "\357\273\277a,b\n1,2.5\n-3,4e-3\n",      // byte order mark
           "\"a\",\"b\"\n\"1\",2.5\n-3,\"4e-3\"\n",  // quotes
           " a , b\n 1 ,\t+2.5\n-3, \"4e-3\" \n",    // blanks and a plus
           "a,b\n+1.0,25e-1\n-3.,.004\n",            // other spellings
       }) {
    SCOPED_TRACE(text);
    const Table table = table_of(text);
    EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(table.values, two_by_two());
  }
}

TEST(Csv, GzipIsReadDirectlyAndHasTheHashOfItsContent) {
  const std::string text = "a,b\n1,2.5\n-3,4e-3\n";
  TempFolder folder;
  const auto plain = folder.write("t.csv", text), packed = folder.write("t.csv.gz", gzipped(text));
  EXPECT_EQ(read_csv(packed).values, two_by_two());
  EXPECT_EQ(read_csv(packed).content_hash, read_csv(plain).content_hash);
}

TEST(Csv, ContentHashIsFnv1a64) {  // the vectors of the algorithm's authors
  const auto hash = [](std::string_view bytes) {
    InputFile file("memory", [bytes](std::span<char> buffer) mutable {  // two bytes at a time
      const std::size_t count = bytes.copy(buffer.data(), 2);
      bytes.remove_prefix(count);
      return count;
    });
    std::array<char, 2> buffer;
    while (file.read(buffer) > 0) continue;
    return file.content_hash();
  };
  EXPECT_EQ(hash(""), "fnv1a64:cbf29ce484222325");
  EXPECT_EQ(hash("a"), "fnv1a64:af63dc4c8601ec8c");
  EXPECT_EQ(hash("foobar"), "fnv1a64:85944171f73967e8");
}

TEST(Csv, QuotedNamesMayHoldCommasQuotesAndLineBreaks) {
  const Table table = table_of("\"age, years\",\"a \"\"b\"\"\",\"two\nlines\"\n1,2,3\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"age, years", "a \"b\"", "two\nlines"}));
  EXPECT_EQ(table.lines, std::vector<std::int64_t>{3});
}

TEST(Csv, OneColumnAndExtremeDoublesSurvive) {
  const Table table = table_of("x\n1.7976931348623157e308\n4.9406564584124654e-324\n-0.1\n");
  EXPECT_EQ(table.values(0, 0), std::numeric_limits<double>::max());
  EXPECT_EQ(table.values(1, 0), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(table.values(2, 0), -0.1);
}

TEST(Csv, BadValuesAreNamedWithLineAndColumn) {
  EXPECT_EQ(complaint("a,chol\n1,2\n3,abc\n"),
            "t.csv:3: column 2 ('chol'): 'abc' is not a number; if the values are labels, set model.categorical=chol");
  EXPECT_EQ(complaint("a,b\n1,2\n1.5x,2\n"),
            "t.csv:3: column 1 ('a'): '1.5x' is not a number; if the values are labels, set model.categorical=a");
  EXPECT_EQ(complaint("a,b\n1,-inf\n"), "t.csv:2: column 2 ('b'): '-inf' is not finite");
  EXPECT_EQ(complaint("a,b\n1,1e999\n"), "t.csv:2: column 2 ('b'): '1e999' is outside the range of a double");
  for (const std::string text :
       {"0x10", "+-1", "++1", "1,5\"", "1 2", "1_000", "--1", "+", "-", "e5", "1e", "\"1", "\357\273\2771"}) {
    SCOPED_TRACE(text);
    complaint("a\n5\n" + text + "\n");
  }
}

TEST(Csv, AValueIsShownShortAndPrintable) {
  EXPECT_EQ(complaint("a\n1\n1\x1b[2J\n", {.advise = false}), "t.csv:3: column 1 ('a'): '1?[2J' is not a number");
  EXPECT_LT(complaint("a\n1\n" + std::string(10000, 'y') + "\n").size(), 170u);
}

using Labels = std::vector<std::vector<std::string>>;

Mat column(std::initializer_list<double> values) {
  return Eigen::Map<const Vec>(values.begin(), static_cast<Index>(values.size()));
}

TEST(CsvLabels, AColumnWithoutNumbersHoldsLabelsInTheOrderOfTheAlphabet) {
  const Table table = table_of("sex,age\nmale,30\n\"fem, ale\",40\n male ,50\n\303\204,60\n");
  EXPECT_EQ(table.levels, (Labels{{"fem, ale", "male", "\303\204"}, {}}));
  EXPECT_EQ(table.values.col(0), column({1, 0, 1, 2}));
  EXPECT_EQ(table.values.col(1), column({30, 40, 50, 60}));
  EXPECT_TRUE(table.has_labels(0));
  EXPECT_FALSE(table.has_labels(1));
  EXPECT_TRUE(table_of("a\n1\n").levels.empty());
}

TEST(CsvLabels, TheOrderOfRowsDoesNotDecideTheOrderOfLabels) {
  EXPECT_EQ(table_of("a\nz\nb\n").levels, table_of("a\nb\nz\nb\n").levels);
}

TEST(CsvLabels, NumbersThatAreLabelsAreOrderedAsNumbersAndOneHoweverTheyAreWritten) {
  const Table table = table_of("a\n10\n9\n-0\n9.0\n0\n", {.categorical = {"a"}});
  EXPECT_EQ(table.levels, (Labels{{"0", "9", "10"}}));
  EXPECT_EQ(table.values, column({2, 1, 0, 1, 0}));
  const Table mixed = table_of("a\n10\n9\nx\n9.0\n", {.categorical = {"a"}});  // all of them are text then
  EXPECT_EQ(mixed.levels, (Labels{{"10", "9", "x"}}));
}

// A double has 17 digits: identifiers with more stay text, and stand in the order of their numbers all the same.
TEST(CsvLabels, NumbersThatNoDoubleHoldsStayAsTheyAreWritten) {
  const Table table =
      table_of("a\n1234567890123456790\n1234567890123456789\n007.50\n75e-1\n0.1\n", {.categorical = {"a"}});
  EXPECT_EQ(table.levels, (Labels{{"0.1", "7.5", "1234567890123456789", "1234567890123456790"}}));
  EXPECT_EQ(table.values, column({3, 2, 1, 1, 0}));
  const Table spellings = table_of("a\n1e22\n10000000000000000000000\n0.00\n1E-7\n.0000001\n", {.categorical = {"a"}});
  EXPECT_EQ(spellings.levels, (Labels{{"0", "1e-07", "1e+22"}}));
}

TEST(CsvLabels, AMixedColumnIsAnErrorWhereverTheOddOneStands) {
  EXPECT_EQ(complaint("a\nx\ny\n3\n"),
            "t.csv:4: column 1 ('a'): '3' is a number where line 2 has a label; if the values are labels, set "
            "model.categorical=a");
  EXPECT_EQ(complaint("a\n3\nx\n"),
            "t.csv:3: column 1 ('a'): 'x' is not a number; if the values are labels, set model.categorical=a");
  EXPECT_EQ(complaint("a\nx\ninf\n", {.advise = false}),
            "t.csv:3: column 1 ('a'): 'inf' is a number where line 2 has a label");
}

TEST(CsvLabels, MustBeText) {
  EXPECT_EQ(complaint("a,b\n1,caf\xE9\n"), "t.csv:2: column 2 ('b'): the label is not UTF-8 text");
}

TEST(CsvMissing, IsAnErrorThatNamesTheWayOut) {
  for (const std::string mark : {"", " ", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"}) {
    SCOPED_TRACE(mark);
    const std::string problem =
        mark.empty() || mark == " " ? "the value is missing" : "'" + mark + "' is a missing value";
    const std::string message = "t.csv:3: column 2 ('b'): " + problem + "; model.missing=drop leaves such rows out";
    EXPECT_EQ(complaint("a,b\n1,2\n3," + mark + "\n"), message);
    EXPECT_EQ(complaint("a,b\n1,x\n3," + mark + "\n"), message);
    EXPECT_EQ(complaint("a,b\n1,x\n3," + mark + "\n", {.categorical = {"b"}}), message);
    EXPECT_EQ(complaint("a,b\n1,x\n3," + mark + "\n", {.on_missing = ""}), "t.csv:3: column 2 ('b'): " + problem);
  }
  EXPECT_EQ(table_of("a\nNa\nnone\n?\n").levels, (Labels{{"?", "Na", "none"}}));  // labels, not marks
  EXPECT_EQ(complaint("a\n1\n?\n"),
            "t.csv:3: column 1 ('a'): '?' is not a number; a missing value is an empty field or NA");
}

TEST(CsvMissing, RowsAreLeftOutOnRequest) {
  const Table table = table_of("a,b\n1,x\nNA,never\n,\n4,\n5,w\n", {.drop_missing = true});
  EXPECT_EQ(table.values.col(0), column({1, 5}));
  EXPECT_EQ(table.levels, (Labels{{}, {"w", "x"}}));  // what only such a row has does not occur
  EXPECT_EQ(table.lines, (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(table.dropped, 3);
  EXPECT_EQ(table.numbers, (std::vector<Index>{1, 5}));
  EXPECT_EQ(table_of("a\n1\n", {.drop_missing = true}).dropped, 0);
  EXPECT_TRUE(table_of("a\n1\n", {.drop_missing = true}).numbers.empty());
  EXPECT_EQ(complaint("a\nNA\n", {.drop_missing = true}), "t.csv: every row has a missing value");
}

TEST(Csv, ColumnsThatAreNotWantedMayHoldAnything) {
  const Table table = table_of("a,b,c\n1,x,2\n3,,4\n5,7,6\n", {.only = {"c", "a"}});
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "c"}));  // in the order of the file
  EXPECT_EQ(table.values.col(1), column({2, 4, 6}));
  EXPECT_EQ(table.places, (std::vector<Index>{0, 2}));
  EXPECT_EQ(complaint("a,b,c\n1,x,2\n3,,q\n", {.only = {"a", "c"}, .advise = false}),
            "t.csv:3: column 3 ('c'): 'q' is not a number");
  EXPECT_EQ(complaint("a,b\n1,2\n3\n", {.only = {"a"}}), "t.csv:3: expected 2 fields, found 1");
  EXPECT_EQ(table_of("a,b\n1,NA\n3,4\n", {.only = {"a"}, .drop_missing = true}).dropped, 0);
}

TEST(Csv, RaggedRows) {
  EXPECT_EQ(complaint("a,b\n1,2\n3\n"), "t.csv:3: expected 2 fields, found 1");
  EXPECT_EQ(complaint("a,b\n1,2,3\n"), "t.csv:2: expected 2 fields, found 3");
  EXPECT_EQ(complaint("a,b\n1,2\n\n3,4\n"), "t.csv:4: line 3 is empty, yet the table goes on");
}

TEST(Csv, Headers) {
  EXPECT_EQ(complaint("a,b,a\n1,2,3\n"), "t.csv:1: column 3 ('a') repeats the name of column 1");
  EXPECT_EQ(complaint("a,,c\n1,2,3\n"), "t.csv:1: column 2 has no name");
  EXPECT_EQ(complaint("a,b,\n1,2,3\n"), "t.csv:1: column 3 has no name");
  EXPECT_EQ(complaint("1,2\n3,4\n"),
            "t.csv:1: every name in the header is a number: a header line with the names of the columns is required");
  EXPECT_EQ(complaint("\n1,2\n"),
            "t.csv:1: the first line is empty: a header line with the names of the columns is required");
  EXPECT_EQ(complaint("caf\xE9,b\n1,2\n"), "t.csv:1: the name of column 1 is not UTF-8 text");
}

TEST(Csv, OtherDelimitersAreRecognised) {
  EXPECT_EQ(complaint("a;b\n1;2\n"), "t.csv:1: the fields are separated by semicolons; commas are expected");
  EXPECT_EQ(complaint("\"a\";\"b\"\n1;2\n"), "t.csv:1: the fields are separated by semicolons; commas are expected");
  EXPECT_EQ(complaint("a\tb\n1\t2\n"), "t.csv:1: the fields are separated by tabs; commas are expected");
  EXPECT_EQ(complaint("a|b\n1|2\n"), "t.csv:1: the fields are separated by vertical bars; commas are expected");
  EXPECT_EQ(complaint("a,b\r1,2\r"), "t.csv:1: the lines end in a carriage return alone; \\n or \\r\\n is expected");
  EXPECT_EQ(table_of("\"a\rb\"\n1\n").names, std::vector<std::string>{"a\rb"});
  EXPECT_EQ(table_of("\"a;b\"\n1\n").names, std::vector<std::string>{"a;b"});
  EXPECT_EQ(table_of("a;b,c|d\n1,2\n").names, (std::vector<std::string>{"a;b", "c|d"}));
}

TEST(Csv, EmptyAndBinaryFiles) {
  EXPECT_EQ(complaint(""), "t.csv: the file is empty");
  EXPECT_EQ(complaint("a,b\n"), "t.csv: a header but no rows");
  EXPECT_EQ(complaint("a,b\n\n\n"), "t.csv: a header but no rows");
  EXPECT_EQ(complaint(std::string_view("a,b\n1,\0002\n", 9)), "t.csv:2: a NUL byte: this is not a text file in UTF-8");
  EXPECT_EQ(complaint(std::string_view("\xFF\xFE"
                                       "a\0,\0b\0\n\0",
                                       10)),
            "t.csv:1: a NUL byte: this is not a text file in UTF-8");
}

TEST(Csv, Quotes) {
  EXPECT_EQ(complaint("a,b\n1,\"2\n3,4\n"), "t.csv:2: the quote that opens field 2 is never closed");
  EXPECT_EQ(complaint("a,b\n\"1\"x,2\n"), "t.csv:2: text behind the closing quote of field 1");
}

TEST(Csv, FilesThatCannotBeRead) {
  TempFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    return test::error_message<DataError>([&] { read_csv(path); });
  };
  EXPECT_EQ(message(folder.file("none.csv")),
            folder.file("none.csv").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message(folder.path()), folder.path().string() + ": is a folder, not a file");
  if (::geteuid() != 0) {  // root reads everything
    const auto locked = folder.write("locked.csv", "a\n1\n");
    std::filesystem::permissions(locked, std::filesystem::perms::none);
    EXPECT_EQ(message(locked), locked.string() + ": cannot be opened: Permission denied");
  }
}

TEST(Csv, DamagedGzip) {
  std::string rows = "a,b\n";
  for (int i = 0; i < 5000; ++i) rows += std::to_string(i) + "," + std::to_string(i * i % 997) + "\n";
  const std::string packed = gzipped(rows);
  EXPECT_NE(complaint(packed.substr(0, packed.size() / 2)).find("break off early"), std::string::npos);
  EXPECT_NE(complaint(packed.substr(0, packed.size() - 4)).find("break off early"), std::string::npos);
  std::string flipped = packed;
  flipped[packed.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(complaint(flipped), "t.csv: the gzip data are damaged");
}

TEST(LineReader, LongLinesAreRefusedWhileReading) {
  TempFolder folder;
  const auto file = folder.write("long", "12345\n" + std::string(200000, 'x') + "\n");
  LineReader lines(InputFile(file), 100000);
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "12345");
  EXPECT_EQ(test::error_message<DataError>([&] { lines.next(line); }),
            file.string() + ":2: the line is longer than 100000 bytes");
  EXPECT_LE(line.size(), 100000u);
}

TEST(LineReader, LinesOfEveryLengthCrossTheBufferIntact) {
  TempFolder folder;
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t length = 0; length < 700; ++length) {  // 245 000 bytes: almost four buffers
    expected.emplace_back(length, static_cast<char>('a' + length % 26));
    text += expected.back() + (length % 3 == 0 ? "\r\n" : "\n");
  }
  LineReader lines(InputFile(folder.write("lines", text)));
  std::string line;
  for (const std::string& wanted : expected) {
    ASSERT_TRUE(lines.next(line));
    ASSERT_EQ(line, wanted);
  }
  EXPECT_FALSE(lines.next(line));
  EXPECT_EQ(lines.number(), 700);
}

}  // namespace
}  // namespace quasar
