// Tables and regression models to test with.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <quasar/registry.hpp>
#include <quasar/rng.hpp>

#include "models/regression/design.hpp"
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

// The same with a response that the model takes and, where asked for, a column g of groups 0, 1, ... before all others.
inline Table make_table_for(const std::string& model, Index rows, Index predictors, Index groups = 0) {
  Table table = make_table(rows, predictors, model == "logistic");
  auto y = table.values.col(predictors);
  const Eigen::ArrayXd signal = (y.array() - y.mean()) / std::sqrt((y.array() - y.mean()).square().mean());
  if (model == "softmax") y = (1.5 + signal).floor().max(0).min(2);
  if (model == "poisson" || model == "negative-binomial") y = (2 * signal.exp()).floor();
  if (groups == 0) return table;
  Mat values(rows, predictors + 2);
  for (Index i = 0; i < rows; ++i) values(i, 0) = static_cast<double>((i * i + i / 3) % groups);
  values.rightCols(predictors + 1) = table.values;
  table.values = values;
  table.names.insert(table.names.begin(), "g");
  return table;
}

inline const std::vector<std::string> regression_models = {"linear", "logistic", "softmax", "poisson",
                                                           "negative-binomial"};

inline Config model_config(const std::string& model, const Settings& settings = {}) {
  return Config(model, find_model(model).params, settings);
}
inline std::unique_ptr<FiniteSum> regression(const std::string& model, const Table& table,
                                             const Settings& settings = {}) {
  auto made = find_model(model).make(model_config(model, settings), &table);
  return std::unique_ptr<FiniteSum>(&dynamic_cast<FiniteSum&>(*made.release()));
}
inline std::unique_ptr<Predictor> predictor(const std::string& model, const ConstantData& kept, const Table& rows,
                                            const Settings& settings = {}) {
  return find_model(model).predictor(model_config(model, settings), kept, rows);
}

inline std::unique_ptr<Target> logistic(const Table& table, const Settings& settings = {}) {
  return make_logistic(Config("logistic", regression_params, settings), &table);
}
inline std::unique_ptr<Target> linear(const Table& table, const Settings& settings = {}) {
  return make_linear(Config("linear", regression_params, settings), &table);
}
inline std::unique_ptr<Target> normal(const Table& table, const Settings& settings = {}) {
  return make_normal(Config("normal", normal_params, settings), &table);
}

}  // namespace quasar::test
