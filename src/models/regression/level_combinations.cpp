#include "models/regression/level_combinations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/blocks.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/levels.hpp"

namespace quasar {

namespace {

using Combination = std::vector<Index>;

const FormulaColumn& column_of(const Formula& formula, Index column) {
  return formula.columns[static_cast<std::size_t>(column)];
}

// The categorical columns of one term in a table.
class Levelled {
 public:
  Levelled(const Formula& formula, const std::vector<Index>& term, const Table& table) {
    for (const Index column : term) {
      const auto& [name, levels] = column_of(formula, column);
      if (levels.empty()) continue;
      const Index place = find_column(table, name);
      places_.push_back(place);
      known_.push_back(require_known(table, place, levels, levels_of(table, place, std::numeric_limits<Index>::max())));
      counts_.push_back(std::ssize(levels));
    }
  }
  std::size_t size() const { return places_.size(); }
  Index first_place() const { return places_.front(); }

  void read(const double* row, Combination& levels) const {
    levels.clear();
    for (std::size_t i = 0; i < size(); ++i) levels.push_back(known_[i].number(row[places_[i]]));
  }

  template <class Use>
  void each(Use&& use) const {  // use(levels) for every combination without the first levels
    if (std::any_of(counts_.begin(), counts_.end(), [](Index count) { return count < 2; })) return;
    Combination levels(size(), 1);
    for (std::size_t i = size(); true; i = size()) {
      use(levels);
      while (i > 0 && ++levels[i - 1] == counts_[i - 1]) levels[--i] = 1;
      if (i == 0) return;
    }
  }

 private:
  static Index find_column(const Table& table, const std::string& name) {
    return std::find(table.names.begin(), table.names.end(), name) - table.names.begin();
  }

  std::vector<Index> places_, counts_;
  std::vector<KnownLevels> known_;
};

template <class Use>
void each_combination(const Levelled& columns, const Table& table, Use&& use) {  // use(row, levels)
  std::vector<double> values(static_cast<std::size_t>(block_rows * table.columns()));
  Combination levels;
  each_block(0, table.rows(), [&](Index begin, Index count) {
    read_rows(table, begin, count, values.data());
    for (Index i = 0; i < count; ++i) {
      columns.read(values.data() + i * table.columns(), levels);
      use(begin + i, levels);
    }
  });
}

}  // namespace

double combinations(const Formula& formula, const std::vector<Index>& term) {
  double product = 1;
  for (const Index column : term) {
    const std::size_t levels = column_of(formula, column).levels.size();
    if (levels > 0) product *= static_cast<double>(levels - 1);
  }
  return product;
}

std::string term_name(const Formula& formula, const std::vector<Index>& term) {
  std::vector<std::string> names;
  for (const Index column : term) names.push_back(column_of(formula, column).name);
  return fmt::format("{}", fmt::join(names, ":"));
}

std::string shown(const Formula& formula, const LeftOut& combination) {
  std::vector<std::string> parts;
  for (const Index column : formula.terms[static_cast<std::size_t>(combination.term)]) {
    const auto& [name, levels] = column_of(formula, column);
    if (levels.empty()) continue;
    const Index level = combination.levels[parts.size()];
    parts.push_back(fmt::format("{}={}", name, levels[static_cast<std::size_t>(level)]));
  }
  return fmt::format("{}", fmt::join(parts, ":"));
}

std::vector<LeftOut> combinations_never_met(const Formula& formula, const Table& table) {
  std::vector<LeftOut> never;
  for (std::size_t term = 0; term < formula.terms.size(); ++term) {
    if (formula.terms[term].size() < 2) continue;
    const Levelled columns(formula, formula.terms[term], table);
    if (columns.size() < 2) continue;  // each level is met
    std::set<Combination> met;
    each_combination(columns, table, [&](Index, const Combination& levels) { met.insert(levels); });
    columns.each([&](const Combination& levels) {
      if (!met.contains(levels)) never.push_back({static_cast<Index>(term), levels});
    });
  }
  return never;
}

void require_met_combinations(const Formula& formula, const Table& table) {
  for (std::size_t term = 0; term < formula.terms.size(); ++term) {
    std::set<Combination> never;
    for (const LeftOut& one : formula.left_out) {
      if (one.term == static_cast<Index>(term)) never.insert(one.levels);
    }
    if (never.empty()) continue;
    const Levelled columns(formula, formula.terms[term], table);
    each_combination(columns, table, [&](Index row, const Combination& levels) {
      if (!never.contains(levels)) return;
      throw DataError(fmt::format("{}the model was fitted to no row with {}, and so has no coefficient for it",
                                  location(table, row, columns.first_place()),
                                  shown(formula, {static_cast<Index>(term), levels})));
    });
  }
}

}  // namespace quasar
