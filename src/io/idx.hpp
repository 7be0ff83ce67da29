// Images and their labels in the IDX format of the MNIST database (LeCun, Cortes & Burges): a magic number, the sizes
// as big-endian words of four bytes, then one byte for each pixel or label. Gzip is undone on the way.
#pragma once

#include <filesystem>
#include <vector>

#include <quasar/core.hpp>

#include "io/input_file.hpp"

namespace quasar {

struct Images {
  Index rows = 0, cols = 0;
  Mat pixels;               // one image per column, row after row, 0 .. 255
  std::vector<int> labels;  // one per image, 0 .. 255
};

// DataError, with the file and the cause: another format, sizes that make no sense, too few or too many bytes, or not
// one label for each image.
Images read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels);
Images read_idx_images(InputFile images, InputFile labels);

}  // namespace quasar
