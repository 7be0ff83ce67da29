// Sparse matrices in the coordinate format of the Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935, 1996): rows
// and columns are counted from 1.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/input_file.hpp"

namespace quasar {

inline constexpr std::string_view matrix_market_mark = "%%MatrixMarket";

struct MatrixSize {
  std::int64_t rows, columns, entries;
};

struct MatrixEntry {
  std::int64_t row, column;  // from 1
  std::string_view row_text, column_text, value;
  std::int64_t line;
};

// What is done with a matrix. Each may throw std::invalid_argument with the cause; the reader knows the line.
struct MatrixUse {
  std::string_view holds;                       // for messages: "ratings"
  std::string_view asymmetry;                   // why rows are no columns: "users are no items"
  std::function<void(const MatrixSize&)> size;  // may be empty
  std::function<void(const MatrixEntry&)> entry;
};

// Returns the hash of the content. DataError: another kind of matrix, or a size that does not fit.
std::string read_matrix_market(InputFile file, const MatrixUse& use);

}  // namespace quasar
