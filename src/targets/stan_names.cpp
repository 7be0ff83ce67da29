#include "targets/stan_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

struct Element {
  std::string_view name;  // in full
  std::vector<Index> indices;
  Index position;  // among the program's values
};

struct Group {  // the elements of one variable
  std::string name;
  std::vector<Element> elements;
};

void check_name(std::string_view name, Index position) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':';
  });
  if (name.empty() || !plain) {
    throw DataError(fmt::format("value {} has a name that no Stan program can have given it", position + 1));
  }
}

std::optional<Index> as_index(std::string_view piece) {
  if (piece.front() != '.') return std::nullopt;
  Index value = 0;
  const char* end = piece.data() + piece.size();
  const auto [stopped, error] = std::from_chars(piece.data() + 1, end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

// Takes the name apart; what is no index is the variable's name.
std::string take_apart(Element& element) {
  std::string variable;
  std::string_view rest = element.name;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, rest.find_first_of(".:", 1));
    if (const auto index = as_index(piece)) {
      element.indices.push_back(*index);
    } else {
      variable += piece;
    }
    rest.remove_prefix(piece.size());
  }
  return variable;
}

std::vector<Group> group_elements(std::string_view names) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (Index position = 0; !names.empty(); ++position) {
    const std::size_t comma = names.find(',');
    Element element{names.substr(0, comma), {}, position};
    check_name(element.name, position);
    std::string variable = take_apart(element);
    const auto [found, is_new] = known.emplace(variable, groups.size());
    if (is_new) groups.push_back({std::move(variable), {}});
    groups[found->second].elements.push_back(std::move(element));
    if (comma == names.size() - 1) check_name({}, position + 1);  // a comma with nothing behind it
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return groups;
}

// The greatest index of each axis; nothing: the elements cannot fill that.
std::optional<std::vector<Index>> extents(const Group& group) {
  std::vector<Index> shape(group.elements.front().indices.size(), 0);
  for (const Element& element : group.elements) {
    if (element.indices.size() != shape.size()) return std::nullopt;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (element.indices[axis] < 1) return std::nullopt;
      shape[axis] = std::max(shape[axis], element.indices[axis]);
    }
  }
  Index missing = std::ssize(group.elements);  // divided, not multiplied: products of wild indices overflow
  for (const Index extent : shape) {
    if (missing % extent != 0) return std::nullopt;
    missing /= extent;
  }
  if (missing != 1) return std::nullopt;
  return shape;
}

// Where each value of the variable comes from, the last index fastest; nothing: an element comes twice.
std::optional<std::vector<Index>> row_major(const Group& group, const std::vector<Index>& shape) {
  constexpr Index none = -1;
  std::vector<Index> source(group.elements.size(), none);
  for (const Element& element : group.elements) {
    Index offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) offset = offset * shape[axis] + element.indices[axis] - 1;
    Index& from = source[static_cast<std::size_t>(offset)];
    if (from != none) return std::nullopt;
    from = element.position;
  }
  return source;
}

bool add_array(const Group& group, StanLayout& out) {
  const auto shape = extents(group);
  if (!shape) return false;
  const auto source = row_major(group, *shape);
  if (!source) return false;
  out.layout.variables.push_back({group.name, *shape, {}});
  out.source.insert(out.source.end(), source->begin(), source->end());
  return true;
}

void add_scalars(const Group& group, StanLayout& out) {
  for (const Element& element : group.elements) {
    out.layout.variables.push_back({std::string(element.name), {}, {}});
    out.source.push_back(element.position);
  }
}

}  // namespace

StanLayout parse_stan_names(std::string_view names) {
  StanLayout out;
  for (const Group& group : group_elements(names)) {
    if (!add_array(group, out)) add_scalars(group, out);
  }
  return out;
}

}  // namespace quasar
