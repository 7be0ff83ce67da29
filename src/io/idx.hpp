// Images and their labels in the IDX format of the MNIST database (LeCun, Cortes & Burges): a magic number, the sizes
// as big-endian words of four bytes, then one byte for each pixel or label. Gzip is undone on the way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <quasar/core.hpp>

#include "io/input_file.hpp"

namespace quasar {

using Bytes = std::vector<unsigned char>;

struct IdxImages {
  std::string source;
  Index count, rows, cols;
  Bytes pixels;  // image after image, row after row
  std::string content_hash;
};
struct IdxLabels {
  Bytes values;  // one per image
  std::string content_hash;
};

struct Images {
  Index rows = 0, cols = 0;
  Mat pixels;               // one image per column, row after row, 0 .. 255
  std::vector<int> labels;  // one per image, 0 .. 255
};

// DataError, with the file and the cause: another format, sizes that make no sense, too few or too many bytes, or not
// one label for each image.
IdxImages read_idx_images(InputFile file);
IdxLabels read_idx_labels(InputFile file, const IdxImages& images);
Images read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels);
Images read_idx_images(InputFile images, InputFile labels);

}  // namespace quasar
