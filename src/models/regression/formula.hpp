// What a regression makes of the columns of a table, by name: a response, products of columns as predictors, groups. It
// is kept with the draws, so that the same can be made of another table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

struct FormulaColumn {
  std::string name;
  std::vector<std::string> levels = {};  // empty: it holds numbers
};

struct LeftOut {  // a combination of levels that no row has
  Index term;
  std::vector<Index> levels;  // one for each categorical column of the term
};

struct Formula {
  Response response;
  bool intercept;
  FormulaColumn target;
  std::optional<FormulaColumn> group;
  std::vector<FormulaColumn> columns;     // those that predictors are made of
  std::vector<std::vector<Index>> terms;  // the columns of each product; of one alone as a rule
  std::vector<LeftOut> left_out = {};     // of the predictors that the terms have
  bool drop_missing = false;              // rows with a missing value are left out

  std::string to_json() const;
  static Formula from_json(std::string_view text);  // DataError: it is damaged

  void keep_in(ConstantData& kept) const;
  static bool is_kept_in(const ConstantData& kept);
  static Formula kept_in(const ConstantData& kept);  // DataError: it is not there, or damaged
};

// UsageError, DataError: the table has no such columns, or they cannot be used like that.
Formula make_formula(const Table& table, const DesignSettings& settings, Response response);

}  // namespace quasar
