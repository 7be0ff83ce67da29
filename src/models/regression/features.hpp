// The predictors of a formula, made of the rows of one table.
//
// A column of numbers is one predictor. A categorical column is one for each level but the first, 1 where the row has
// that level and 0 elsewhere; where there is no intercept, the first categorical column has one for every level. An
// interaction of columns is the product of their predictors, for every combination.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/table.hpp>

#include "models/regression/formula.hpp"

namespace quasar {

class Features {
 public:
  Features(const Formula& formula, const Table& table);  // DataError: a column is not there, or holds something else

  Index size() const { return std::ssize(names_); }
  const std::vector<std::string>& names() const { return names_; }
  Index column(Index feature) const;  // that it is a copy of; -1: it is not

  // From a row of the table to all features: to[j] = scaled(j, value of the feature j).
  template <class Scaled>
  void expand(const double* row, double* to, Scaled&& scaled) const {
    for (const Copies& run : copies_) {
      for (Index i = 0; i < run.count; ++i) to[run.to + i] = scaled(run.to + i, row[run.from + i]);
    }
    for (const Product& each : products_) to[each.to] = scaled(each.to, product(each.factors, row));
  }

 private:
  struct Factor {
    Index column;
    bool indicator;
    double value;  // of an indicator: that at which it is 1
    Index level;   // its number
    std::string name;
  };
  struct Copies {  // of columns side by side
    Index from, to, count;
  };
  struct Product {
    std::vector<Factor> factors;
    Index to;
  };
  static std::vector<Factor> factors_of(const FormulaColumn& column, const Table& table, Index place);
  static std::vector<std::vector<Factor>> products(const std::vector<std::vector<Factor>>& combinations,
                                                   std::span<const Factor> more);
  static std::vector<Index> levels_in(const std::vector<Factor>& factors);
  void add(const std::vector<Factor>& factors);
  void add_copy(Index column);
  void require_unique_names(const Table& table) const;
  std::string origin(Index feature, const Table& table) const;
  static double product(const std::vector<Factor>& factors, const double* row);

  std::vector<std::string> names_;
  std::vector<Copies> copies_;
  std::vector<Product> products_;
};

}  // namespace quasar
