// Arrays of NumPy: read as they are, or refused with the file and the cause.
#include "io/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/gzipped.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using namespace std::string_literals;
using Complex = std::complex<double>;

std::string little_endian(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

std::string npy_with(const std::string& header, const std::string& numbers, int version = 1) {
  return "\x93NUMPY" + little_endian(static_cast<std::size_t>(version), 2) +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + numbers;
}

std::string header(const std::string& kind, const std::string& shape, bool columns_first = false) {
  return "{'descr': '" + kind + "', 'fortran_order': " + (columns_first ? "True" : "False") + ", 'shape': " + shape +
         ", }      \n";
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers, bool big_endian = false) {
  std::string bytes;
  for (const Number number : numbers) {
    std::string one(sizeof number, '\0');
    std::memcpy(one.data(), &number, sizeof number);
    if (big_endian) std::ranges::reverse(one);
    bytes += one;
  }
  return bytes;
}

const std::vector<double> kSix = {1, 2, 3, 4, 5, 6};

class Npy : public testing::Test {
 protected:
  NpyArray read(const std::string& bytes) const { return read_npy(InputFile(folder.write("a.npy", bytes))); }
  Eigen::MatrixXcd read_complex(const std::string& bytes) const {
    return read_npy_complex_matrix(InputFile(folder.write("a.npy", bytes)));
  }
  template <class Read>
  void expect_cause(Read&& read_it, const std::string& cause) const {
    const std::string message = test::error_message<DataError>(read_it);
    EXPECT_EQ(message.find(folder.file("a.npy").string() + ": "), 0) << message;
    EXPECT_NE(message.find(cause), std::string::npos) << message;
  }
  void expect_refused(const std::string& bytes, const std::string& cause) const {
    expect_cause([&] { read(bytes); }, cause);
    expect_cause([&] { read_complex(bytes); }, cause);
  }
  void expect_refused_header(const std::string& text, const std::string& cause = "its header is damaged") const {
    SCOPED_TRACE(text);
    expect_refused(npy_with(text, bytes_of(kSix)), cause);
  }
  template <class Number>
  void expect_kind(const std::string& kind, const std::vector<Number>& numbers) const {
    SCOPED_TRACE(kind);
    const std::vector<double> expected(numbers.begin(), numbers.end());
    const std::string shape = "(" + std::to_string(numbers.size()) + ",)";
    for (const bool big : {false, true}) {
      const std::string name = (sizeof(Number) == 1 ? "|" : big ? ">" : "<") + kind;
      EXPECT_EQ(read(npy_with(header(name, shape), bytes_of(numbers, big))).values, expected);
    }
  }
  const test::TempFolder folder;
};

TEST_F(Npy, KindsOfNumbers) {
  expect_kind<double>("f8", {0.1, -1e300, 5e-324, std::numeric_limits<double>::infinity()});
  expect_kind<float>("f4", {0.1F, -3e38F});
  expect_kind<std::int64_t>("i8", {-5, std::int64_t{1} << 52});
  expect_kind<std::int32_t>("i4", {-2147483647 - 1, 2147483647});
  expect_kind<std::int16_t>("i2", {-32768, 258});
  expect_kind<std::int8_t>("i1", {-128, 127});
  expect_kind<std::uint64_t>("u8", {0, std::uint64_t{1} << 63});
  expect_kind<std::uint32_t>("u4", {0, 4294967295U});
  expect_kind<std::uint16_t>("u2", {1, 65535});
  expect_kind<std::uint8_t>("u1", {0, 255});
  expect_kind<std::uint8_t>("b1", {0, 1, 1});
  const NpyArray nan = read(npy_with(header("<f8", "(1,)"), bytes_of<double>({std::nan("")})));
  EXPECT_TRUE(std::isnan(nan.values.at(0)));
}

TEST_F(Npy, VersionsAndShapes) {
  for (const int version : {1, 2, 3}) {
    const NpyArray found = read(npy_with(header("<f8", "(2, 3)"), bytes_of(kSix), version));
    EXPECT_EQ(found.shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(found.values, kSix);
  }
  EXPECT_EQ(read(npy_with(header("<f8", "(6,)"), bytes_of(kSix))).shape, (std::vector<Index>{6}));
  EXPECT_EQ(read(npy_with(header("<f8", "(3, 1, 2)"), bytes_of(kSix))).shape, (std::vector<Index>{3, 1, 2}));
  EXPECT_EQ(read(test::gzipped(npy_with(header("<f8", "(6,)"), bytes_of(kSix)))).values, kSix);
  const std::string other_order = "{'shape':(6,),'fortran_order':False,'descr':'<f8'}";
  EXPECT_EQ(read(npy_with(other_order, bytes_of(kSix))).values, kSix);
}

TEST_F(Npy, ColumnsFirst) {
  EXPECT_EQ(read(npy_with(header("<f8", "(2, 3)", true), bytes_of(kSix))).values,
            (std::vector<double>{1, 3, 5, 2, 4, 6}));
  std::vector<double> numbers(24), expected(24);  // of 2 x 3 x 4
  for (std::size_t i = 0; i < 24; ++i) {
    numbers[i] = static_cast<double>(i);
    expected[(i % 2) * 12 + (i / 2 % 3) * 4 + i / 6] = numbers[i];
  }
  EXPECT_EQ(read(npy_with(header("<f8", "(2, 3, 4)", true), bytes_of(numbers))).values, expected);
}

TEST_F(Npy, EmptyArrays) {
  for (const std::string shape : {"(0,)", "(0, 3)", "(3, 0)", "(2, 0, 3)"}) {
    for (const bool columns_first : {false, true}) {
      EXPECT_TRUE(read(npy_with(header("<f8", shape, columns_first), "")).values.empty());
    }
  }
  expect_refused(npy_with(header("<f8", "(0, 9000000000000000000)"), ""), "claims more numbers");
  expect_cause([&] { read_complex(npy_with(header("<c16", "(0, 3)"), "")); }, "has no numbers");
}

TEST_F(Npy, CutFilesAndLongOnes) {
  for (const int version : {1, 2}) {
    const std::string good = npy_with(header("<f8", "(2, 3)"), bytes_of(kSix), version);
    for (std::size_t size = 0; size < good.size(); ++size) expect_refused(good.substr(0, size), "ends in its");
    expect_refused(good + "x", "has bytes behind its last number");
  }
  expect_cause([&] { read_complex(npy_with(header("<c16", "(2, 2)"), bytes_of(kSix))); }, "ends in its numbers");
}

TEST_F(Npy, HostileShapes) {
  const auto refuse = [&](const std::string& shape, const std::string& cause = "its header is damaged") {
    expect_refused_header(header("<f8", shape), cause);
  };
  refuse("(-2, -3)");
  refuse("(9223372036854775808,)");
  refuse("(99999999999999999999999999,)");
  refuse("(9223372036854775807,)", "claims more numbers");
  refuse("(4294967296, 4294967296)", "claims more numbers");     // 2^64 = 0 modulo 2^64
  refuse("(3, 3074457345618258603, 2)", "claims more numbers");  // 2 modulo 2^64
  refuse("(1099511627776,)", "ends in its numbers: 48 of");      // possible, but not there
  refuse("()", "has 0 dimensions; one to three are read");
  refuse("(1, 1, 1, 6)", "has 4 dimensions");
  refuse("(2 3)");
  refuse("(2.0, 3)");
  refuse("(2, 3");
  refuse("(2,, 3)");
  refuse("(,)");
  refuse("6");
  refuse("[6]");
}

TEST_F(Npy, DamagedHeaders) {
  const std::string descr = "'descr': '<f8'", order = "'fortran_order': False", shape = "'shape': (6,)";
  expect_refused_header("");
  expect_refused_header("{}");
  expect_refused_header("{" + descr + ", " + order + "}");
  expect_refused_header("{" + descr + ", " + shape + "}");
  expect_refused_header("{" + order + ", " + shape + "}");
  expect_refused_header("{" + descr + ", " + descr + ", " + shape + "}");  // three keys, one of them twice
  expect_refused_header("{" + descr + ", " + order + ", " + shape + ", " + shape + "}");
  expect_refused_header("{" + descr + ", " + order + ", " + shape + ", 'more': 1}");
  expect_refused_header("{" + descr + " " + order + " " + shape + "}");
  expect_refused_header("{" + descr + ", " + order + ", " + shape);
  expect_refused_header("{" + descr + ", " + order + ", " + shape + "} and more");
  expect_refused_header("{" + descr + ", 'fortran_order': Maybe, " + shape + "}");
  expect_refused_header("{'descr': '<f8, " + order + ", " + shape + "}");
  expect_refused_header("{'descr': [('x', '<f8')], " + order + ", " + shape + "}", "holds records");
  for (const std::string kind : {"", "f8", "<", "<f2", "<f16", "<U5", "|O", "<M8[D]", "?f8", "<\n"}) {
    expect_refused_header(header(kind, "(6,)"), "holds numbers of the kind '");
  }
  expect_refused(npy_with(header("<f8", "(6,)"), bytes_of(kSix), 4), "is of version 4, which is not known");
  expect_refused("\x93NUMPY\x02\0\xff\xff\xff\xff"s, "its header is damaged");  // not 4 GiB for it
  expect_refused("a,b\n1,2\n3,4\n", "is no array of NumPy");
  expect_refused("PK\x03\x04 and the rest", "is an archive");
}

TEST_F(Npy, ComplexMatrices) {
  const Eigen::MatrixXcd expected{{Complex(1, 2), Complex(3, 4), Complex(5, 6)},
                                  {Complex(-1, 0), Complex(0, -0.5), Complex(7, 8)}};
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6, -1, 0, 0, -0.5, 7, 8};
  const std::vector<double> columns = {1, 2, -1, 0, 3, 4, 0, -0.5, 5, 6, 7, 8};
  const std::vector<float> singles(rows.begin(), rows.end());
  EXPECT_EQ(read_complex(npy_with(header("<c16", "(2, 3)"), bytes_of(rows))), expected);
  EXPECT_EQ(read_complex(npy_with(header(">c16", "(2, 3)"), bytes_of(rows, true))), expected);
  EXPECT_EQ(read_complex(npy_with(header("<c16", "(2, 3)", true), bytes_of(columns))), expected);
  EXPECT_EQ(read_complex(npy_with(header("<c8", "(2, 3)"), bytes_of(singles))), expected);
  EXPECT_EQ(read_complex(npy_with(header(">c8", "(2, 3)"), bytes_of(singles, true))), expected);
  const Eigen::MatrixXcd real{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(read_complex(npy_with(header("<f8", "(2, 3)"), bytes_of(kSix))), real);
}

TEST_F(Npy, ComplexNumbersInTheWrongPlace) {
  const std::string bytes = bytes_of(kSix);
  expect_cause([&] { read(npy_with(header("<c16", "(1, 3)"), bytes)); },
               "holds complex numbers (of the kind '<c16'), real ones are needed");
  expect_cause([&] { read_complex(npy_with(header("<c16", "(3,)"), bytes)); }, "is 3, not a matrix; reshape");
  expect_cause([&] { read_complex(npy_with(header("<f8", "(1, 2, 3)"), bytes)); }, "is 1 x 2 x 3, not a matrix");
  std::vector<double> broken = kSix;
  broken[3] = std::nan("");  // the imaginary part of the second number
  expect_cause([&] { read_complex(npy_with(header("<c16", "(1, 3)"), bytes_of(broken))); },
               "the number in row 1, column 2 is not finite");
  broken[3] = -std::numeric_limits<double>::infinity();
  expect_cause([&] { read_complex(npy_with(header("<f8", "(3, 2)"), bytes_of(broken))); },
               "the number in row 2, column 2 is not finite");
}

TEST_F(Npy, WrittenMatricesComeBack) {
  const Mat matrix{{1, 2, 3}, {4, 5, 0.1}};
  write_npy(folder.file("w.npy"), matrix, IfExists::fail);
  const NpyArray found = read_npy(InputFile(folder.file("w.npy")));
  EXPECT_EQ(found.shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(found.values, (std::vector<double>{1, 2, 3, 4, 5, 0.1}));
  EXPECT_THROW(write_npy(folder.file("w.npy"), matrix, IfExists::fail), DataError);
}

TEST_F(Npy, FilesThatCannotBeRead) {
  EXPECT_THROW(read_npy(InputFile(folder.file("missing.npy"))), DataError);
  EXPECT_THROW(read_npy(InputFile(folder.path())), DataError);
  EXPECT_TRUE(is_npy("a.npy") && is_npy("x/a.npy.gz") && is_npy("a.npz"));
  EXPECT_FALSE(is_npy("a.csv") || is_npy("npy"));
}

}  // namespace
}  // namespace quasar
