// Arrays in NumPy's .npy files (NEP 1; versions 1 to 3): a magic number, a header that is a Python dict, the numbers.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include <quasar/core.hpp>

#include "io/atomic_file.hpp"
#include "io/input_file.hpp"

namespace quasar {

struct NpyArray {
  std::vector<Index> shape;
  std::vector<double> values;  // the last index runs fastest
};

bool is_npy(const std::filesystem::path& path);  // by its name

bool is_complex_npy(InputFile file);  // by its header. DataError: it is damaged

// Real numbers and integers of up to 8 bytes, in either byte order, rows or columns first, of one to three dimensions.
// DataError, with the file and the cause: another format, a kind of numbers that is not read, too few or too many
// bytes. Numbers that are not finite are read as they are.
NpyArray read_npy(InputFile file);

// Complex numbers of two doubles or two floats, or real ones, of two dimensions, for models of complex observations.
// DataError also: no numbers, or one that is not finite, with its row and column.
Eigen::MatrixXcd read_npy_complex_matrix(InputFile file);

// The file appears whole or not at all.
void write_npy(const std::filesystem::path& path, const Mat& matrix, IfExists if_exists);

}  // namespace quasar
