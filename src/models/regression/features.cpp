#include "models/regression/features.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include <quasar/errors.hpp>

#include "models/regression/columns.hpp"
#include "models/regression/levels.hpp"

namespace quasar {

namespace {

constexpr Index most_new_levels = std::numeric_limits<Index>::max();  // an unknown one is the better error

// The columns of a table by name.
class Places {
 public:
  explicit Places(const Table& table) : source_(table.source) {
    for (std::size_t i = 0; i < table.names.size(); ++i) places_.emplace(table.names[i], static_cast<Index>(i));
  }
  Index of(const std::string& name) const {
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    throw DataError(fmt::format("{}: there is no column '{}', which the model was fitted to", source_, name));
  }

 private:
  const std::string& source_;
  std::unordered_map<std::string_view, Index> places_;
};

}  // namespace

Features::Features(const Formula& formula, const Table& table) {
  std::vector<std::vector<Factor>> factors;
  const Places places(table);
  for (const FormulaColumn& column : formula.columns) {
    factors.push_back(factors_of(column, table, places.of(column.name)));
  }
  std::set<std::pair<Index, std::vector<Index>>> left_out;
  for (const auto& [term, levels] : formula.left_out) left_out.emplace(term, levels);
  bool first_has_all_levels = !formula.intercept;
  for (Index i = 0; i < std::ssize(formula.terms); ++i) {
    const std::vector<Index>& term = formula.terms[static_cast<std::size_t>(i)];
    std::vector<std::vector<Factor>> combinations = {{}};
    for (const Index column : term) {
      const std::vector<Factor>& all = factors[static_cast<std::size_t>(column)];
      const bool whole = !all.front().indicator || (term.size() == 1 && std::exchange(first_has_all_levels, false));
      combinations = products(combinations, std::span(all).subspan(whole ? 0 : 1));
    }
    for (const std::vector<Factor>& combination : combinations) {
      if (!left_out.contains({i, levels_in(combination)})) add(combination);
    }
  }
  if (names_.empty()) throw DataError(table.source + ": no column tells anything, so there are no predictors");
  require_unique_names(table);
}

// Its numbers, or an indicator of each level.
std::vector<Features::Factor> Features::factors_of(const FormulaColumn& column, const Table& table, Index place) {
  if (column.levels.empty()) {
    require_numbers(table, place);
    return {{place, false, 0, 0, column.name}};
  }
  const KnownLevels known = require_known(table, place, column.levels, levels_of(table, place, most_new_levels));
  std::vector<Factor> factors;
  for (Index level = 0; level < std::ssize(column.levels); ++level) {
    factors.push_back({place, true, known.value_of(level), level,
                       fmt::format("{}={}", column.name, column.levels[static_cast<std::size_t>(level)])});
  }
  return factors;
}

std::vector<std::vector<Features::Factor>> Features::products(const std::vector<std::vector<Factor>>& combinations,
                                                              std::span<const Factor> more) {
  std::vector<std::vector<Factor>> longer;
  for (const std::vector<Factor>& combination : combinations) {
    for (const Factor& factor : more) {
      longer.push_back(combination);
      longer.back().push_back(factor);
    }
  }
  return longer;
}

std::vector<Index> Features::levels_in(const std::vector<Factor>& factors) {
  std::vector<Index> levels;
  for (const Factor& factor : factors) {
    if (factor.indicator) levels.push_back(factor.level);
  }
  return levels;
}

void Features::add(const std::vector<Factor>& factors) {
  std::string name = factors.front().name;
  for (std::size_t i = 1; i < factors.size(); ++i) name += ":" + factors[i].name;
  if (factors.size() == 1 && !factors.front().indicator) {
    add_copy(factors.front().column);
  } else {
    products_.push_back({factors, size()});
  }
  names_.push_back(std::move(name));
}

void Features::add_copy(Index column) {
  if (!copies_.empty()) {
    Copies& last = copies_.back();
    if (last.from + last.count == column && last.to + last.count == size()) {
      ++last.count;
      return;
    }
  }
  copies_.push_back({column, size(), 1});
}

Index Features::column(Index feature) const {
  const auto after = std::upper_bound(copies_.begin(), copies_.end(), feature,
                                      [](Index place, const Copies& copies) { return place < copies.to; });
  if (after == copies_.begin()) return -1;
  const Copies& copies = *std::prev(after);
  return feature < copies.to + copies.count ? copies.from + feature - copies.to : -1;
}

// A column may be called sex=male, or a:b, as what is made of other columns is.
void Features::require_unique_names(const Table& table) const {
  std::unordered_map<std::string_view, Index> first;
  for (Index j = 0; j < size(); ++j) {
    const std::string& name = names_[static_cast<std::size_t>(j)];
    const auto [same, is_new] = first.emplace(name, j);
    if (is_new) continue;
    throw DataError(fmt::format("{}: two predictors are called '{}': one made of {}, one of {}; rename a column",
                                table.source, name, origin(same->second, table), origin(j, table)));
  }
}

std::string Features::origin(Index feature, const Table& table) const {
  const auto quoted = [&](Index column) { return "'" + table.names[static_cast<std::size_t>(column)] + "'"; };
  if (column(feature) >= 0) return "column " + quoted(column(feature));
  const auto made =
      std::find_if(products_.begin(), products_.end(), [&](const auto& one) { return one.to == feature; });
  std::string text = made->factors.size() == 1 ? "column " : "columns ";
  for (const Factor& factor : made->factors) {
    text += (&factor == &made->factors.front() ? "" : " and ") + quoted(factor.column);
  }
  return text;
}

double Features::product(const std::vector<Factor>& factors, const double* row) {
  double value = 1;
  for (const Factor& factor : factors) {
    const double at = row[factor.column];
    value *= factor.indicator ? (at == factor.value ? 1.0 : 0.0) : at;
  }
  return value;
}

}  // namespace quasar
