#include "io/idx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

// The last byte of the magic number is the number of sizes that follow; 8 says that the elements are bytes.
constexpr std::uint32_t images_magic = 0x803, labels_magic = 0x801;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 31;  // 16 GiB as doubles

class IdxReader {
 public:
  explicit IdxReader(InputFile file) : file_(std::move(file)) {}

  void expect_magic(std::uint32_t expected, const char* what) {
    const std::uint32_t found = word();
    if (found != expected) {
      fail(fmt::format("is no IDX file of {}: it begins with {:#010x}, not {:#010x}", what, found, expected));
    }
  }
  const std::string& name() const { return file_.name(); }
  std::string content_hash() const { return file_.content_hash(); }
  std::uint32_t size(const char* what) {
    const std::uint32_t found = word();
    if (found == 0) fail(fmt::format("says it has no {}", what));
    return found;
  }
  // All bytes up to the end. Memory grows with what is there, not with what the sizes say.
  Bytes rest(std::uint64_t expected) {
    Bytes bytes;
    std::array<char, 1 << 16> buffer;
    while (const std::size_t count = file_.read(buffer)) {
      if (bytes.size() + count > expected)
        fail(fmt::format("goes on after the {} bytes that its sizes call for", expected));
      bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (bytes.size() < expected) {
      fail(fmt::format("ends early: its sizes call for {} bytes, {} are there", expected, bytes.size()));
    }
    return bytes;
  }
  [[noreturn]] void fail(const std::string& cause) const {
    throw DataError(fmt::format("{}: {}", file_.name(), cause));
  }

 private:
  std::uint32_t word() {
    std::array<char, 4> bytes{};
    std::size_t filled = 0;
    while (filled < bytes.size()) {
      const std::size_t count = file_.read(std::span(bytes).subspan(filled));
      if (count == 0) fail("ends inside its header");
      filled += count;
    }
    std::uint32_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }

  InputFile file_;
};

}  // namespace

IdxImages read_idx_images(InputFile file) {
  IdxReader reader(std::move(file));
  reader.expect_magic(images_magic, "images");
  const std::uint64_t count = reader.size("images"), rows = reader.size("rows"), cols = reader.size("columns");
  const std::uint64_t size = rows * cols;  // below 2^64
  if (size > most_elements || count > most_elements / size) {
    reader.fail(fmt::format("says it has {} images of {} x {}: too many to read", count, rows, cols));
  }
  Bytes pixels = reader.rest(count * size);
  return {reader.name(),     static_cast<Index>(count), static_cast<Index>(rows), static_cast<Index>(cols),
          std::move(pixels), reader.content_hash()};
}

IdxLabels read_idx_labels(InputFile file, const IdxImages& images) {
  IdxReader reader(std::move(file));
  reader.expect_magic(labels_magic, "labels");
  Bytes labels = reader.rest(reader.size("labels"));
  if (std::ssize(labels) != images.count) {
    throw DataError(
        fmt::format("{} has {} labels, {} has {} images", reader.name(), labels.size(), images.source, images.count));
  }
  return {std::move(labels), reader.content_hash()};
}

Images read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels) {
  return read_idx_images(InputFile(images), InputFile(labels));
}

Images read_idx_images(InputFile images, InputFile labels) {
  const IdxImages read = read_idx_images(std::move(images));
  const Bytes label = read_idx_labels(std::move(labels), read).values;
  Images result{read.rows, read.cols, Mat(read.rows * read.cols, read.count), {label.begin(), label.end()}};
  std::copy(read.pixels.begin(), read.pixels.end(), result.pixels.data());
  return result;
}

}  // namespace quasar
