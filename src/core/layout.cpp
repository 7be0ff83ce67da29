#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

namespace quasar {
namespace {

using Labels = std::vector<std::string>;

const std::set<std::string> reserved = {"chain", "draw", "ensemble"};  // coordinates of every run file

// Bytes: one less than netCDF's NC_MAX_NAME, for its library reads a name of that length without its end.
constexpr std::size_t longest_name = 255;

void check_length(const std::string& name, std::string_view what) {
  if (name.size() <= longest_name) return;
  throw UsageError(fmt::format("{} '{}': run files hold names of at most {} bytes", what, name, longest_name));
}

const Labels* labels_of(const Layout& layout, const Variable& variable, std::size_t axis) {
  const auto found = layout.coords.find(dimension_name(variable, axis));
  return found == layout.coords.end() ? nullptr : &found->second;
}

// The text of every index of one axis.
Labels index_texts(const Layout& layout, const Variable& variable, std::size_t axis) {
  if (const Labels* labels = labels_of(layout, variable, axis)) return *labels;
  Labels texts;
  for (Index i = 1; i <= variable.shape[axis]; ++i) texts.push_back(std::to_string(i));
  return texts;
}

// Every combination "first,second,...", the last axis fastest.
Labels index_tuples(const Layout& layout, const Variable& variable) {
  Labels tuples = {""};
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    const Labels indices = index_texts(layout, variable, axis);
    Labels longer;
    for (const std::string& head : tuples) {
      for (const std::string& index : indices) {
        longer.push_back(axis == 0 ? index : head + "," + index);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

void check_dimension(const Layout& layout, const Variable& variable, std::size_t axis,
                     std::map<std::string, Index>& sizes) {
  const std::string name = dimension_name(variable, axis);
  const Index size = variable.shape[axis];
  if (reserved.contains(name)) {
    throw UsageError(fmt::format("variable '{}': the dimension name '{}' is reserved", variable.name, name));
  }
  check_length(name, "dimension");
  const auto [known, is_new] = sizes.emplace(name, size);
  if (!is_new && known->second != size) {
    throw UsageError(fmt::format("dimension '{}' has the sizes {} and {}", name, known->second, size));
  }
  const Labels* labels = labels_of(layout, variable, axis);
  if (labels != nullptr && std::ssize(*labels) != size) {
    throw UsageError(fmt::format("dimension '{}' has {} labels for {} entries", name, labels->size(), size));
  }
}

// The size of every dimension.
std::map<std::string, Index> check_dimensions(const Layout& layout) {
  std::map<std::string, Index> sizes;
  for (const Variable& variable : layout.variables) {
    if (!variable.dims.empty() && variable.dims.size() != variable.shape.size()) {
      throw UsageError(fmt::format("variable '{}' has {} axes but {} dimension names", variable.name,
                                   variable.shape.size(), variable.dims.size()));
    }
    std::set<std::string> own;
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      check_dimension(layout, variable, axis, sizes);
      if (!own.insert(dimension_name(variable, axis)).second) {
        throw UsageError(fmt::format("variable '{}' has two axes of one dimension", variable.name));
      }
    }
  }
  return sizes;
}

void require_known(const Layout& layout, std::span<const std::string> names) {
  std::vector<std::string_view> known;
  for (const Variable& variable : layout.variables) known.push_back(variable.name);
  for (const std::string& name : names) {
    const bool found = std::find(known.begin(), known.end(), name) != known.end();
    if (!found) throw UsageError(unknown_name("variable", name, known));
  }
}

void add_variable(Selection& selection, const Layout& layout, const Variable& variable, Index begin) {
  selection.layout.variables.push_back(variable);
  selection.begins.push_back(begin);
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    const Labels* labels = labels_of(layout, variable, axis);
    if (labels != nullptr) selection.layout.coords[dimension_name(variable, axis)] = *labels;
  }
}

}  // namespace

std::string dimension_name(const Variable& variable, std::size_t axis) {
  return variable.dims.empty() ? fmt::format("{}_dim_{}", variable.name, axis) : variable.dims[axis];
}

std::vector<std::string> element_names(const Layout& layout) {
  std::vector<std::string> names;
  for (const Variable& variable : layout.variables) {
    if (variable.shape.empty()) {
      names.push_back(variable.name);
      continue;
    }
    for (const std::string& tuple : index_tuples(layout, variable)) {
      names.push_back(fmt::format("{}[{}]", variable.name, tuple));
    }
  }
  return names;
}

void check_layout(const Layout& layout) {
  const auto dimensions = check_dimensions(layout);
  std::set<std::string> seen;
  for (const Variable& variable : layout.variables) {
    if (variable.name.empty()) throw UsageError("a variable has no name");
    check_length(variable.name, "variable");
    if (reserved.contains(variable.name) || dimensions.contains(variable.name)) {
      throw UsageError(fmt::format("variable '{}' has the name of a dimension of run files", variable.name));
    }
    if (!seen.insert(variable.name).second)
      throw UsageError(fmt::format("two variables are called '{}'", variable.name));
  }
}

Selection select_variables(const Layout& layout, std::span<const std::string> names) {
  require_known(layout, names);
  Selection selection;
  Index begin = 0;
  for (const Variable& variable : layout.variables) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), variable.name) != names.end();
    if (wanted) add_variable(selection, layout, variable, begin);
    begin += variable.size();
  }
  return selection;
}

void copy_selected(const Selection& selection, std::span<const double> draw, std::span<double> out) {
  auto next = out.begin();
  for (std::size_t i = 0; i < selection.begins.size(); ++i) {
    next = std::copy_n(draw.begin() + selection.begins[i], selection.layout.variables[i].size(), next);
  }
}

}  // namespace quasar
