#include "io/idx_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/idx.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 4> images_begin = {0, 0, 8, 3};

// One row per image: its pixels, then its label, if labels are there.
class ByteRows final : public RowSource {
 public:
  ByteRows(Index rows, Bytes pixels, Bytes labels)
      : rows_(rows), size_(std::ssize(pixels) / rows), pixels_(std::move(pixels)), labels_(std::move(labels)) {}

  Index rows() const override { return rows_; }
  void read(Index begin, Index count, double* to) const override {
    for (Index row = begin; row < begin + count; ++row) {
      to = std::copy_n(pixels_.data() + row * size_, size_, to);
      if (!labels_.empty()) *to++ = labels_[static_cast<std::size_t>(row)];
    }
  }
  void announce(Index, Index) const override {}  // all is in memory

 private:
  Index rows_, size_;
  Bytes pixels_, labels_;
};

// Renumbers the labels from 0 and returns their texts.
std::vector<std::string> take_levels(Bytes& labels) {
  std::array<unsigned char, 256> numbers{};
  std::vector<std::string> levels;
  Bytes distinct = labels;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const unsigned char label : distinct) {
    numbers[label] = static_cast<unsigned char>(levels.size());
    levels.push_back(std::to_string(label));
  }
  for (unsigned char& label : labels) label = numbers[label];
  return levels;
}

bool replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.rfind(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

}  // namespace

bool is_idx_images(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;  // reading a pipe would take its beginning away
  InputFile file(path);
  std::array<char, 4> begin{1};
  file.read(begin);
  return begin == images_begin;
}

std::optional<fs::path> labels_beside(const fs::path& images) {
  std::string name = images.filename().string();
  if (!replace(name, "images", "labels") || !replace(name, "idx3", "idx1")) return std::nullopt;
  fs::path labels = images.parent_path() / name;
  std::error_code ignored;
  if (fs::exists(labels, ignored)) return labels;
  fs::path other = labels;
  if (labels.extension() == ".gz") {
    other.replace_extension();
  } else {
    other += ".gz";
  }
  return fs::exists(other, ignored) ? other : labels;
}

Table read_idx_table(const fs::path& path) {
  IdxImages images = read_idx_images(InputFile(path));
  Table table{.source = path.string(), .names = {}, .values = {}, .lines = {}};
  for (Index pixel = 1; pixel <= images.rows * images.cols; ++pixel) {
    table.names.push_back("pixel_" + std::to_string(pixel));
  }
  table.content_hash = images.content_hash;
  Bytes labels;
  std::error_code ignored;
  if (const auto beside = labels_beside(path); beside && fs::exists(*beside, ignored)) {
    IdxLabels read = read_idx_labels(InputFile(*beside), images);
    labels = std::move(read.values);
    table.names.emplace_back("label");
    table.levels.resize(table.names.size());
    table.levels.back() = take_levels(labels);
    table.content_hash = content_hash(images.content_hash + read.content_hash);
  }
  table.stored = std::make_shared<ByteRows>(images.count, std::move(images.pixels), std::move(labels));
  return table;
}

}  // namespace quasar
