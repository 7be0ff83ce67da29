#include "models/regression/formula.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/errors.hpp>

#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/level_combinations.hpp"
#include "models/regression/levels.hpp"

namespace quasar {

namespace {

constexpr Index most_levels = 1000;  // of a predictor or a response: a name or an identifier has more
constexpr Index most_groups = 10'000'000;

class FormulaMaker {
 public:
  FormulaMaker(const Table& table, const DesignSettings& settings)
      : table_(table), settings_(settings), choice_(choose_columns(table.source, table.names, settings)) {}

  Formula make(Response response) const {
    if (choice_.predictors.empty() && choice_.interactions.empty()) {
      throw DataError(table_.source + ": a regression needs a target and at least one predictor column");
    }
    Formula formula{response, settings_.intercept, target(response), {}, {}, {}};
    if (choice_.group) formula.group = labelled(*choice_.group, most_groups);
    std::vector<Index> places(static_cast<std::size_t>(table_.columns()), -1);
    const auto place_of = [&](Index column) {
      Index& place = places[static_cast<std::size_t>(column)];
      if (place < 0) {
        place = std::ssize(formula.columns);
        formula.columns.push_back({name(column), is_categorical(column) ? levels(column) : ColumnNames()});
      }
      return place;
    };
    for (const Index column : choice_.predictors) formula.terms.push_back({place_of(column)});
    for (const std::vector<Index>& product : choice_.interactions) {
      formula.terms.emplace_back();
      for (const Index column : product) formula.terms.back().push_back(place_of(column));
      require_few_combinations(formula, formula.terms.back());
    }
    formula.left_out = combinations_never_met(formula, table_);
    formula.drop_missing = settings_.drop_missing;
    return formula;
  }

 private:
  const std::string& name(Index column) const { return table_.names[static_cast<std::size_t>(column)]; }

  bool is_categorical(Index column) const {
    const auto& named = choice_.categorical;
    return table_.has_labels(column) || std::find(named.begin(), named.end(), column) != named.end();
  }

  std::vector<std::string> levels(Index column) const {
    std::vector<std::string> labels = levels_of(table_, column, most_levels).labels;
    if (labels.size() == 1 && !settings_.keep_constant_columns) {
      throw DataError(location(table_, column) + "every value is the same, so the column tells nothing; leave it out");
    }
    return labels;
  }

  FormulaColumn labelled(Index column, Index most) const {
    if (!is_categorical(column)) require_whole(table_, column);
    return {name(column), levels_of(table_, column, most).labels};
  }

  FormulaColumn target(Response response) const {
    const Index column = choice_.target;
    if (response == Response::classes || (response == Response::binary && is_categorical(column))) {
      FormulaColumn target = labelled(column, most_levels);
      require_classes(target, response);
      return target;
    }
    require_response(table_, column, response);
    return {name(column)};
  }

  void require_few_combinations(const Formula& formula, const std::vector<Index>& term) const {
    if (combinations(formula, term) <= most_combinations) return;
    throw DataError(fmt::format("{}: the interaction {} has more than {} combinations of levels", table_.source,
                                term_name(formula, term), most_combinations));
  }

  void require_classes(const FormulaColumn& target, Response response) const {
    const std::size_t count = target.levels.size();
    if (response == Response::binary && count != 2) {
      throw DataError(
          fmt::format("{}the target must have two different values, not {}", location(table_, choice_.target), count));
    }
    if (count < 2) throw DataError(location(table_, choice_.target) + "the target has one class only");
  }

  const Table& table_;
  const DesignSettings& settings_;
  ColumnChoice choice_;
};

}  // namespace

Formula make_formula(const Table& table, const DesignSettings& settings, Response response) {
  require_rows(table);
  return FormulaMaker(table, settings).make(response);
}

}  // namespace quasar
