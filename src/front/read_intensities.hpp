// Matrices of numbers that matter by their size alone.
#pragma once

#include <string>

#include <quasar/table.hpp>

namespace quasar {

// NumPy's .npy with two dimensions, sizes of its numbers where they are complex, or CSV with a header line, where
// missing values are NaN: not observed. A column of the table for each column of the matrix. DataError
Table read_intensities(const std::string& path);

}  // namespace quasar
