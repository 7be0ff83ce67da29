// Tables and regression models to test with.
#pragma once

#include <memory>
#include <string>

#include <quasar/rng.hpp>

#include "models/regression/linear.hpp"
#include "models/regression/logistic.hpp"
#include "models/regression/normal.hpp"

namespace quasar::test {

// Predictors x1 .. xp on different scales, then the response y.
inline Table make_table(Index rows, Index predictors, bool binary) {
  Table table{"data.csv", {}, Mat(rows, predictors + 1), {}};
  Stream stream = Rng(4).stream("table");
  for (Index j = 0; j < predictors; ++j) {
    table.names.emplace_back("x").append(std::to_string(j + 1));
    stream.normals(table.values.col(j));
    table.values.col(j) = 3.0 * static_cast<double>(j) + (0.5 + static_cast<double>(j)) * table.values.col(j).array();
  }
  table.names.emplace_back("y");
  for (Index i = 0; i < rows; ++i) {
    const double signal = table.values(i, 0) - 0.1 * table.values(i, predictors - 1) + stream.normal();
    table.values(i, predictors) = binary ? (signal > 0 ? 1 : 0) : 20 + 5 * signal;
    table.lines.push_back(2 * i + 2);  // every second line, so that a row number cannot pass for a line number
  }
  return table;
}

inline std::unique_ptr<Target> logistic(const Table& table, const Settings& settings = {}) {
  return make_logistic(Config("logistic", logistic_params, settings), &table);
}
inline std::unique_ptr<Target> linear(const Table& table, const Settings& settings = {}) {
  return make_linear(Config("linear", linear_params, settings), &table);
}
inline std::unique_ptr<Target> normal(const Table& table, const Settings& settings = {}) {
  return make_normal(Config("normal", normal_params, settings), &table);
}

}  // namespace quasar::test
