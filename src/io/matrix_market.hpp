// Sparse matrices in the coordinate format of the Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935, 1996): rows
// are users, columns items, both counted from 1.
#pragma once

#include <string_view>

#include "io/input_file.hpp"
#include "io/rating_rows.hpp"

namespace quasar {

inline constexpr std::string_view matrix_market_mark = "%%MatrixMarket";

// Adds every entry. Returns the hash of the content. DataError: another kind of matrix, or a size that does not fit.
std::string read_matrix_market(InputFile file, RatingRows& rows);

}  // namespace quasar
