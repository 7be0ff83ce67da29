// The data of problems on manifolds, from files: CSV, NumPy's .npy, packed tables.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "front/manifolds/pca.hpp"

namespace quasar {

// An array (matrix, row, column), or a table with the n * n numbers of a matrix in each row. DataError: another shape
std::vector<Mat> read_matrices(const std::filesystem::path& path);
PcaData read_observations(const std::filesystem::path& path);  // an observation in each row
Mat read_matrix(const std::filesystem::path& path);

// What is wrong with data that was read is told with where it came from.
template <class Solve>
auto naming_data(const std::string& source, const Solve& solve) {
  try {
    return solve();
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace quasar
