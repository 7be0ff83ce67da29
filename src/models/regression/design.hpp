// What regression models share: the design matrix with its intercept, if it has one, the scales of its columns, the
// names of the coefficients, and the way from standardised coefficients to those of the original columns and back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/feature_scales.hpp"
#include "models/regression/features.hpp"
#include "models/regression/formula.hpp"
#include "models/regression/levels.hpp"

namespace quasar {

class Design {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // one row is contiguous
  using Response = quasar::Response;

  // With Scaling::standardize, predictors (and a response of that kind) have mean 0 and population standard deviation
  // 1; without an intercept to take it up, and unless they are to be centred, their mean stays.
  Design(const Table& table, const DesignSettings& settings, Response response);

  // The same columns made of other rows, by what was kept of those that a model was fitted to. Columns are found by
  // their names. The response may be missing, in some rows (NaN) or in all. DataError
  Design(const ConstantData& kept, const Table& rows);

  Index rows() const { return rows_; }
  Index coefficients() const { return intercept() + means_.size(); }
  Index intercept() const { return formula_.intercept ? 1 : 0; }  // its column is the first, of ones
  const std::vector<std::string>& predictors() const { return features_.names(); }
  bool has_response() const { return response_column_ >= 0; }

  // Of the response: the labels; 0 and 1 of one that is binary. Empty: it is a number.
  const std::vector<std::string>& classes() const { return classes_; }
  // The labels of the groups; groups that the model was not fitted to come behind those that it was.
  const std::vector<std::string>& groups() const { return groups_; }
  Index groups_fitted() const { return formula_.group ? std::ssize(formula_.group->levels) : 0; }

  // Rows in memory; all of them are empty where rows are stored.
  const Matrix& x() const { return x_; }                   // rows x coefficients
  const Vec& y() const { return y_; }                      // a class by its number; NaN where it is not observed
  std::span<const Index> group() const { return group_; }  // of each row; empty without groups

  const std::shared_ptr<const RowSource>& stored() const { return stored_; }  // the table's rows, if not in memory
  Index table_columns() const { return table_columns_; }

  // Makes the first rows of x, y and group of these rows of the table.
  void take_rows(std::span<const double> values, Eigen::Ref<Matrix> x, Out y, std::span<Index> group) const;
  const Scale& response_scale() const { return response_; }
  // The response of each row of the table that this was made of, as it stands there: the scale that is fitted rounds. A
  // class by its number; NaN where it is not observed; empty: it is not in the table.
  std::vector<double> observed(const Table& table) const;

  Layout layout() const;               // intercept, beta[predictor]
  ConstantData constant_data() const;  // what makes the same of other rows
  void to_original(In standardized, Out original) const;
  void to_standardized(In original, Out standardized) const;

 private:
  void find_labels(const Table& table);
  void take_table(const Table& table);
  double response(double value) const;  // on the scale that is fitted, of a value in the table

  Formula formula_;
  Features features_;
  std::vector<std::string> classes_, groups_;
  Index response_column_ = -1, group_column_ = -1;  // in the table; -1: there is none
  KnownLevels response_levels_, group_levels_;

  Vec means_, deviations_;  // of the predictors
  Scale response_;

  Index rows_, table_columns_;
  Matrix x_;
  Vec y_;
  std::vector<Index> group_;
  std::shared_ptr<const RowSource> stored_;
};

}  // namespace quasar
