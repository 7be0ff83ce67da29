#include "models/regression/column_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
    parts.emplace_back(part.substr(0, part.find_last_not_of(" \t") + 1));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

class Chooser {
 public:
  Chooser(const std::string& source, const ColumnNames& names) : source_(source), names_(names) {}

  // The columns of one parameter; empty text: none.
  std::vector<Index> list(std::string_view parameter, const std::string& text, char separator = ',') const {
    std::vector<Index> columns;
    if (text.empty()) return columns;
    for (const std::string& name : split(text, separator)) {
      if (name.empty()) fail(fmt::format("model.{}: '{}' has an empty name", parameter, text));
      if (std::ranges::count(names_, name) == 0) refuse_separator_in_name(parameter, text, separator);
      const Index column = find_column(source_, names_, name);
      if (contains(columns, column)) fail(fmt::format("model.{}: '{}' is named twice", parameter, name));
      columns.push_back(column);
    }
    return columns;
  }

  std::vector<std::vector<Index>> interactions(const std::string& text) const {
    std::vector<std::vector<Index>> all, sorted;
    if (text.empty()) return all;
    for (const std::string& product : split(text, ',')) {
      all.push_back(list("interactions", product, ':'));
      if (all.back().size() < 2) {
        fail(fmt::format("model.interactions: '{}' is no product of columns, as age:sex is", product));
      }
      sorted.push_back(all.back());
      std::sort(sorted.back().begin(), sorted.back().end());
      if (std::count(sorted.begin(), sorted.end(), sorted.back()) > 1) {
        fail(fmt::format("model.interactions: '{}' is given twice", product));
      }
    }
    return all;
  }

  void require_other_role(Index column, std::string_view role, const std::vector<Index>& columns,
                          std::string_view other) const {
    if (!contains(columns, column)) return;
    fail(fmt::format("column '{}' is {} and cannot be {} as well", names_[static_cast<std::size_t>(column)], role,
                     other));
  }

  void require_used(const std::vector<Index>& categorical, const std::vector<Index>& used) const {
    for (const Index column : categorical) {
      if (contains(used, column)) continue;
      fail(fmt::format("model.categorical: '{}' is no column that the model uses",
                       names_[static_cast<std::size_t>(column)]));
    }
  }

  static bool contains(const std::vector<Index>& columns, Index column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  }

 private:
  // A name that is cut in pieces by the separator of the list.
  void refuse_separator_in_name(std::string_view parameter, const std::string& text, char separator) const {
    for (const std::string& name : names_) {
      if (name.find(separator) == std::string::npos || text.find(name) == std::string::npos) continue;
      fail(
          fmt::format("model.{} has a '{}' between its names, so that it cannot name the column '{}'; rename it in the "
                      "header",
                      parameter, separator, name));
    }
  }

  [[noreturn]] void fail(const std::string& cause) const { throw UsageError(fmt::format("{}: {}", source_, cause)); }

  const std::string& source_;
  const ColumnNames& names_;
};

}  // namespace

std::vector<Index> ColumnChoice::used() const {
  std::vector<Index> all = predictors;
  for (const auto& product : interactions) all.insert(all.end(), product.begin(), product.end());
  all.push_back(target);
  if (group) all.push_back(*group);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

ColumnChoice choose_columns(const std::string& source, const ColumnNames& names, const DesignSettings& settings) {
  const Chooser chooser(source, names);
  ColumnChoice choice{find_column(source, names, settings.target), {}, {}, {}, {}};
  if (!settings.group.empty()) choice.group = find_column(source, names, settings.group);
  choice.predictors = chooser.list("predictors", settings.predictors);
  choice.interactions = chooser.interactions(settings.interactions);
  choice.categorical = chooser.list("categorical", settings.categorical);
  if (settings.predictors.empty()) {
    for (Index column = 0; column < std::ssize(names); ++column) {
      if (column != choice.target && column != choice.group) choice.predictors.push_back(column);
    }
  }
  std::sort(choice.predictors.begin(), choice.predictors.end());
  std::vector<std::vector<Index>> terms = choice.interactions;
  terms.push_back(choice.predictors);
  for (const std::vector<Index>& columns : terms) {
    chooser.require_other_role(choice.target, "the target", columns, "a predictor");
    if (choice.group) chooser.require_other_role(*choice.group, "the group", columns, "a predictor");
  }
  if (choice.group) chooser.require_other_role(*choice.group, "the group", {choice.target}, "the target");
  chooser.require_used(choice.categorical, choice.used());
  return choice;
}

Index find_column(const std::string& source, const ColumnNames& names, const std::string& name) {
  if (name.empty()) return std::ssize(names) - 1;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    throw UsageError(source + ": " + unknown_name("column", name, candidates));
  }
  return found - names.begin();
}

std::vector<Index> find_columns(const std::string& source, const ColumnNames& names, std::string_view parameter,
                                const std::string& text) {
  return Chooser(source, names).list(parameter, text);
}

}  // namespace quasar
