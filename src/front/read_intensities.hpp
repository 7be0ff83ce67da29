// Matrices of numbers that matter by their size alone.
#pragma once

#include <string>

#include <quasar/config.hpp>
#include <quasar/table.hpp>

namespace quasar {

// NumPy's .npy with two dimensions, sizes of its numbers where they are complex, or CSV with a header line, where
// missing values are NaN: not observed. A column of the table for each column of the matrix. DataError
Table read_intensities(const std::string& path);

// The matrix that the parameters name beside the data, if they do; its hash becomes part of that of the data. DataError
void read_dictionary(const Config& parameters, Table& data);

}  // namespace quasar
