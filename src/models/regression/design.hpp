// What regression models share: the design matrix with its intercept, the scales of its columns, the names of the
// coefficients, and the way from standardised coefficients to those of the original columns and back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

namespace quasar {

struct Scale {  // value = mean + sd * standardised value
  double mean = 0, sd = 1;
};

class Design {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // one row is contiguous
  enum class Response { binary, standardized };

  // Every column but the target is a predictor. With standardize, predictors (and a response that is not binary) have
  // mean 0 and population standard deviation 1.
  Design(const Table& table, const std::string& target, bool standardize, Response response);

  Index rows() const { return rows_; }
  Index coefficients() const { return 1 + means_.size(); }
  const Matrix& x() const { return x_; }  // rows x coefficients; the first column is 1. Empty where rows are stored
  const Vec& y() const { return y_; }
  const std::shared_ptr<const RowSource>& stored() const { return stored_; }  // the table's rows, if not in memory

  // Makes the first rows of x and y of these rows of the table.
  void take_rows(std::span<const double> values, Eigen::Ref<Matrix> x, Out y) const;
  const Scale& response_scale() const { return response_; }

  Layout layout() const;               // intercept, beta[predictor]
  ConstantData constant_data() const;  // names and scales of the columns
  void to_original(In standardized, Out original) const;
  void to_standardized(In original, Out standardized) const;

 private:
  void set_scales(const Table& table, bool standardize, Response response);
  void take_table(const Table& table);

  Matrix x_;
  Vec y_;
  std::shared_ptr<const RowSource> stored_;
  Index rows_, response_column_;
  std::string target_;
  std::vector<std::string> predictors_;
  Vec means_, deviations_;  // of the predictors
  Scale response_;
};

// Independent N(0, sd^2) on every coefficient: writes the gradient, returns the log density without its constant.
double normal_prior(In coefficients, double sd, Out grad);

inline constexpr ParamSpec regression_params[] = {
    {.name = "target",
     .doc = "the response column; empty: the last one. Every other column is a predictor",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "standardize",
     .doc = "fit on standardised columns; coefficients are reported on the original scale either way",
     .type = ParamSpec::boolean,
     .init = "true"},
    {.name = "prior_sd",
     .doc = "prior standard deviation of intercept and coefficients on the scale that is fitted",
     .type = ParamSpec::real,
     .init = "10",
     .min = 0,
     .max = 1e100,
     .exclusive_min = true},
};

}  // namespace quasar
