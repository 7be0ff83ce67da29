#include "front/manifolds/problem_data.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "io/npy.hpp"
#include "io/packed_table.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

using RowsFirst = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[noreturn]] void refuse_shape(const std::filesystem::path& path, const std::string& what) {
  throw DataError(fmt::format("{}: {}", printable(path.string()), what));
}

std::string shape_text(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

// Every value takes part in the answer: there is no setting that leaves rows out.
Table read_whole_csv(const std::filesystem::path& path) {
  return read_csv(path, {.advise = false, .on_missing = "fill it in, or take the row out"});
}

Mat rows_of_numbers(const std::filesystem::path& path) {
  if (is_packed_table(path)) {
    refuse_shape(path, "is a packed table, which pca alone reads block by block; give the CSV file, or .npy");
  }
  Table table = read_whole_csv(path);
  for (Index c = 0; c < table.columns(); ++c) {
    if (table.has_labels(c)) {
      refuse_shape(path, fmt::format("column '{}' has labels, not numbers",
                                     printable(table.names[static_cast<std::size_t>(c)])));
    }
  }
  return std::move(table.values);
}

std::vector<Mat> cut_into_matrices(const double* numbers, Index count, Index n) {
  std::vector<Mat> matrices;
  for (Index i = 0; i < count; ++i) matrices.emplace_back(Eigen::Map<const RowsFirst>(numbers + i * n * n, n, n));
  return matrices;
}

std::vector<Mat> matrices_of_rows(const std::filesystem::path& path) {
  const RowsFirst rows = rows_of_numbers(path);
  const auto n = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(rows.cols()))));
  if (n * n != rows.cols()) {
    refuse_shape(path, fmt::format("has {} columns; a row holds the n x n numbers of a matrix", rows.cols()));
  }
  return cut_into_matrices(rows.data(), rows.rows(), n);
}

}  // namespace

std::vector<Mat> read_matrices(const std::filesystem::path& path) {
  if (!is_npy(path)) return matrices_of_rows(path);
  const NpyArray array = read_npy(InputFile(path));
  const std::vector<Index>& shape = array.shape;
  if (shape.size() != 3 || shape[1] != shape[2]) {
    refuse_shape(path, "is " + shape_text(shape) + "; N matrices of n rows are N x n x n");
  }
  return cut_into_matrices(array.values.data(), shape[0], shape[1]);
}

PcaData read_observations(const std::filesystem::path& path) {
  if (is_npy(path)) return {.names = {}, .columns = read_matrix(path).transpose(), .stored = nullptr};
  return pca_data(is_packed_table(path) ? open_packed_table(path) : read_whole_csv(path));
}

Mat read_matrix(const std::filesystem::path& path) {
  if (!is_npy(path)) return rows_of_numbers(path);
  const NpyArray array = read_npy(InputFile(path));
  if (array.shape.size() != 2) refuse_shape(path, "is " + shape_text(array.shape) + ", not a matrix");
  return Eigen::Map<const RowsFirst>(array.values.data(), array.shape[0], array.shape[1]);
}

}  // namespace quasar
