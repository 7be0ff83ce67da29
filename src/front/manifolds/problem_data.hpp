// The data of problems on manifolds, from files: CSV, NumPy's .npy, packed tables.
#pragma once

#include <filesystem>
#include <vector>

#include "front/manifolds/pca.hpp"

namespace quasar {

// An array (matrix, row, column), or a table with the n * n numbers of a matrix in each row. DataError: another shape
std::vector<Mat> read_matrices(const std::filesystem::path& path);
PcaData read_observations(const std::filesystem::path& path);  // an observation in each row
Mat read_matrix(const std::filesystem::path& path);

}  // namespace quasar
