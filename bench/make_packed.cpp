// make_packed FILE MEGABYTES [PREDICTORS]: a packed table for the logistic model, of normal predictors, as large as
// wanted. It is written row by row in the format itself: a CSV file of that size would take longer than all the rest.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

#include "io/packed_writer.hpp"

namespace {

using namespace quasar;

void write_table(const std::string& file, Index megabytes, Index predictors) {
  std::vector<std::string> names;
  for (Index j = 1; j <= predictors; ++j) names.push_back(fmt::format("x{}", j));
  names.emplace_back("y");
  const Index rows = megabytes * 1'000'000 / (8 * (predictors + 1));
  PackedWriter writer(file, names);
  Stream stream = Rng(1).stream("rows");
  Vec row(predictors + 1);
  for (Index i = 0; i < rows; ++i) {
    stream.normals(row);
    const double z = 0.5 * (row[0] - row[predictors - 1]), u = std::erfc(-row[predictors] / std::sqrt(2.0)) / 2;
    row[predictors] = u < 1 / (1 + std::exp(-z)) ? 1 : 0;
    writer.add({row.data(), static_cast<std::size_t>(row.size())});
  }
  writer.finish("");
  fmt::print("{}: {} rows of {} columns, {} bytes\n", file, writer.rows(), names.size(), writer.bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "make_packed FILE MEGABYTES [PREDICTORS]\n");
    return 2;
  }
  try {
    write_table(argv[1], std::atoll(argv[2]), argc > 3 ? std::atoll(argv[3]) : 20);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "make_packed: {}\n", error.what());
    return 3;
  }
}
