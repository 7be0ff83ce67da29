// Images in the IDX format: read as they are, or refused with the file and the cause.
#include "io/idx.hpp"

#include <gtest/gtest.h>

#include <string>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "front/read_data.hpp"
#include "io/idx_table.hpp"
#include "models/regression/design.hpp"
#include "support/error_message.hpp"
#include "support/gzipped.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string images_header(std::uint32_t count, std::uint32_t rows, std::uint32_t cols) {
  return word(0x803) + word(count) + word(rows) + word(cols);
}

class Idx : public testing::Test {
 protected:
  Images read(const std::string& images, const std::string& labels) const {
    return read_idx_images(folder.write("images", images), folder.write("labels", labels));
  }
  void expect_refused(const std::string& images, const std::string& labels, const std::string& file,
                      const std::string& cause) const {
    const std::string message = test::error_message<DataError>([&] { read(images, labels); });
    EXPECT_EQ(message.find(folder.file(file).string()), 0) << message;
    EXPECT_NE(message.find(cause), std::string::npos) << message;
  }
  const test::TempFolder folder;
  // Two images of 2 x 3 pixels: 1 .. 6 and 250 .. 255, labelled 7 and 200.
  const std::string two_images = images_header(2, 2, 3) + "\1\2\3\4\5\6\xfa\xfb\xfc\xfd\xfe\xff";
  const std::string two_labels = word(0x801) + word(2) + "\7\xc8";
};

TEST_F(Idx, PixelsAndLabels) {
  const Images found = read(two_images, two_labels);
  EXPECT_EQ(found.rows, 2);
  EXPECT_EQ(found.cols, 3);
  Mat expected(6, 2);
  expected << 1, 250, 2, 251, 3, 252, 4, 253, 5, 254, 6, 255;
  EXPECT_EQ(found.pixels, expected);
  EXPECT_EQ(found.labels, (std::vector<int>{7, 200}));
}

TEST_F(Idx, Gzip) {
  EXPECT_EQ(read(test::gzipped(two_images), test::gzipped(two_labels)).pixels, read(two_images, two_labels).pixels);
}

TEST_F(Idx, LongerThanOneRead) {
  std::string many = images_header(300, 28, 28);
  for (int i = 0; i < 300 * 28 * 28; ++i) many += static_cast<char>(i % 251);
  const Images found = read(many, word(0x801) + word(300) + std::string(300, '\1'));
  for (Index i = 0; i < found.pixels.size(); ++i) ASSERT_EQ(found.pixels.data()[i], i % 251);
}

TEST_F(Idx, OtherFormats) {
  expect_refused(two_labels, two_images, "images", "no IDX file of images: it begins with 0x00000801, not 0x00000803");
  expect_refused(two_images, two_images, "labels", "no IDX file of labels: it begins with 0x00000803, not 0x00000801");
  expect_refused("age,sex\n70,1\n", two_labels, "images", "no IDX file of images");
}

TEST_F(Idx, FilesThatEndEarly) {
  expect_refused("", two_labels, "images", "ends inside its header");
  expect_refused(two_images.substr(0, 15), two_labels, "images", "ends inside its header");
  expect_refused(two_images.substr(0, 16), two_labels, "images", "call for 12 bytes, 0 are there");
  expect_refused(two_images.substr(0, two_images.size() - 1), two_labels, "images", "call for 12 bytes, 11 are there");
  expect_refused(two_images, two_labels.substr(0, two_labels.size() - 1), "labels", "call for 2 bytes, 1 are there");
}

TEST_F(Idx, FilesThatGoOn) {
  expect_refused(two_images + "x", two_labels, "images", "goes on after the 12 bytes");
  expect_refused(two_images, two_labels + "x", "labels", "goes on after the 2 bytes");
}

TEST_F(Idx, SizesThatMakeNoSense) {
  expect_refused(images_header(0, 2, 3), two_labels, "images", "says it has no images");
  expect_refused(images_header(2, 0, 3), two_labels, "images", "says it has no rows");
  expect_refused(images_header(2, 2, 0), two_labels, "images", "says it has no columns");
  expect_refused(two_images, word(0x801) + word(0), "labels", "says it has no labels");
  const std::uint32_t most = 0xffffffff;
  expect_refused(images_header(most, most, most), two_labels, "images", "4294967295 x 4294967295: too many to read");
  expect_refused(images_header(most, 28, 28), two_labels, "images", "says it has 4294967295 images");
  // No memory is taken for what is not there.
  expect_refused(images_header(1 << 20, 32, 64), two_labels, "images", "call for 2147483648 bytes, 0 are there");
}

TEST_F(Idx, OneLabelForEachImage) {
  expect_refused(two_images, word(0x801) + word(3) + "\1\2\3", "labels", "has 3 labels");
}

TEST_F(Idx, MissingFiles) {
  EXPECT_THROW(read_idx_images(folder.file("none"), folder.write("labels", two_labels)), DataError);
  EXPECT_THROW(read_idx_images(folder.write("images", two_images), folder.file("none")), DataError);
}

Mat rows_of(const Table& table) {
  Design::Matrix rows(table.rows(), table.columns());
  read_rows(table, 0, table.rows(), rows.data());
  return rows;
}

// The labels 7 and 200 are the classes 0 and 1.
TEST_F(Idx, ATableOfPixelsAndLabels) {
  const Mat expected{{1, 2, 3, 4, 5, 6, 0}, {250, 251, 252, 253, 254, 255, 1}};
  for (const std::string images : {"a-images-idx3-ubyte", "b-images-idx3-ubyte.gz"}) {
    for (const std::string ending : {"", ".gz"}) {
      const auto path = folder.write(images, images.ends_with("gz") ? test::gzipped(two_images) : two_images);
      const std::string labels = images.substr(0, 2) + "labels-idx1-ubyte" + ending;
      const auto beside = folder.write(labels, ending.empty() ? two_labels : test::gzipped(two_labels));
      ASSERT_TRUE(is_idx_images(path));
      EXPECT_EQ(labels_beside(path), beside);
      const Table table = read_idx_table(path);
      EXPECT_EQ(table.names.front(), "pixel_1");
      EXPECT_EQ(table.names.back(), "label");
      EXPECT_EQ(table.levels.back(), (std::vector<std::string>{"7", "200"}));
      EXPECT_EQ(rows_of(table), expected);
      std::filesystem::remove(beside);
    }
  }
  EXPECT_FALSE(is_idx_images(folder.write("labels", two_labels)));
  EXPECT_FALSE(is_idx_images(folder.write("d.csv", "a,b\n1,2\n")));
  EXPECT_FALSE(is_idx_images(folder.write("empty", "")));
  EXPECT_FALSE(is_idx_images(folder.file("missing")));
}

TEST_F(Idx, LabelsAndImagesAreBothPartOfTheHash) {
  const auto path = folder.write("x-images-idx3-ubyte", two_images);
  folder.write("x-labels-idx1-ubyte", two_labels);
  const std::string first = read_idx_table(path).content_hash;
  folder.write("x-labels-idx1-ubyte", word(0x801) + word(2) + "\7\7");
  EXPECT_NE(read_idx_table(path).content_hash, first);
}

TEST_F(Idx, ATableWithoutLabelsHasNoResponse) {
  static constexpr ParamSpec params[] = {{.name = "target", .doc = "", .type = ParamSpec::text, .init = ""}};
  const auto message = [&](const std::string& name, const Settings& settings = {}) {
    const auto path = folder.write(name, two_images);
    EXPECT_EQ(rows_of(read_idx_table(path)).cols(), 6);
    return test::error_message<DataError>([&] { read_data(path.string(), Config("model", params, settings)); });
  };
  const std::string looked_for =
      "there are no labels: " + folder.file("x-labels-idx1-ubyte").string() + " is not there";
  EXPECT_NE(message("x-images-idx3-ubyte").find(looked_for), std::string::npos);
  EXPECT_NE(message("x-images-idx3-ubyte", {{"target", "label"}}).find(looked_for), std::string::npos);
  EXPECT_NE(message("digits").find("X-labels-idx1-ubyte"), std::string::npos);
  EXPECT_NO_THROW(read_data(folder.file("digits").string(), Config("model", params, {{"target", "pixel_3"}})));
}

// Test images are classified by what was fitted to others, whose labels are numbered differently.
TEST_F(Idx, NewImagesAreMatchedByTheirLabels) {
  const auto fitted = folder.write("a-images-idx3-ubyte", two_images);
  folder.write("a-labels-idx1-ubyte", two_labels);
  const auto other = folder.write("b-images-idx3-ubyte", two_images);
  folder.write("b-labels-idx1-ubyte", word(0x801) + word(2) + "\xc8\xc8");
  const DesignSettings settings{.scaling = Scaling::bytes, .intercept = false};
  const ConstantData kept = Design(read_idx_table(fitted), settings, Response::classes).constant_data();
  const Design design(kept, read_new_rows(other.string(), kept));
  Design::Matrix x(2, 6);
  Vec y(2);
  const Table table = read_idx_table(other);
  Design::Matrix rows = rows_of(table);
  design.take_rows({rows.data(), static_cast<std::size_t>(rows.size())}, x, y, {});
  EXPECT_EQ(y, (Vec{{1, 1}}));
  EXPECT_EQ(x(1, 5), 255.0 / 256);
}

}  // namespace
}  // namespace quasar
