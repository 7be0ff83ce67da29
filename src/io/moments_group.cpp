#include "io/moments_group.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "io/run_file_format.hpp"

namespace quasar {
namespace {

using run_format::chain;
constexpr const char *moment = "moment", *draw_count = "draw_count";

constexpr double most_draws = 1e15;

bool is_of_moments(const Variable& variable, Index chains) {
  const auto& [name, shape, dims, integer] = variable;
  return shape.size() >= 2 && dims.size() == shape.size() && dims[0] == chain && dims[1] == moment &&
         shape[0] == chains && shape[1] == 2;
}

// Without the axes of chains and moments, and without names of axes that any variable has.
Variable of_one_chain(const Variable& stored) {
  Variable variable{stored.name, {stored.shape.begin() + 2, stored.shape.end()}, {}};
  const std::vector<std::string> dims(stored.dims.begin() + 2, stored.dims.end());
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] != dimension_name(variable, axis)) {
      variable.dims = dims;
      break;
    }
  }
  return variable;
}

}  // namespace

void check_moments(const Layout& layout) {
  const auto refuse = [](const Variable& variable, const char* name) {
    throw UsageError(fmt::format("variable '{}': the name '{}' is taken in files of moments", variable.name, name));
  };
  for (const Variable& variable : layout.variables) {
    if (variable.name == draw_count || variable.name == moment) refuse(variable, variable.name.c_str());
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      const std::string dimension = dimension_name(variable, axis);
      if (dimension == draw_count || dimension == moment) refuse(variable, dimension.c_str());
    }
  }
}

ConstantData moments_group(const PosteriorMoments& moments) {
  const Index chains = std::ssize(moments.chains), size = moments.layout.size();
  ConstantData group;
  group.layout.coords = moments.layout.coords;
  group.layout.coords[moment] = {"mean", "sd"};
  group.layout.variables = {{draw_count, {chains}, {chain}}};
  group.values.resize(chains * (1 + 2 * size));
  for (Index c = 0; c < chains; ++c) {
    group.values[c] = static_cast<double>(moments.chains[static_cast<std::size_t>(c)].draws);
  }
  Index begin = 0, at = chains;
  for (const Variable& variable : moments.layout.variables) {
    Variable stored{variable.name, {chains, 2}, {chain, moment}};
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      stored.shape.push_back(variable.shape[axis]);
      stored.dims.push_back(dimension_name(variable, axis));
    }
    group.layout.variables.push_back(stored);
    for (const ChainMoments& one : moments.chains) {
      group.values.segment(at, variable.size()) = one.mean.segment(begin, variable.size());
      group.values.segment(at + variable.size(), variable.size()) = one.sd.segment(begin, variable.size());
      at += 2 * variable.size();
    }
    begin += variable.size();
  }
  return group;
}

PosteriorMoments selected(const PosteriorMoments& moments, std::span<const std::string> names) {
  const Selection selection = select_variables(moments.layout, names);
  const auto part_of = [&](const Vec& whole) {
    Vec part(selection.layout.size());
    copy_selected(selection, {whole.data(), static_cast<std::size_t>(whole.size())},
                  {part.data(), static_cast<std::size_t>(part.size())});
    return part;
  };
  PosteriorMoments out{selection.layout, {}};
  for (const ChainMoments& whole : moments.chains) {
    out.chains.push_back({whole.draws, part_of(whole.mean), part_of(whole.sd)});
  }
  return out;
}

PosteriorMoments moments_of(const ConstantData& group) {
  const auto& variables = group.layout.variables;
  if (variables.empty() || variables.front().name != draw_count) throw DataError("the moments have no draw_count");
  const Index chains = variables.front().size();
  PosteriorMoments moments;
  moments.layout.coords = group.layout.coords;
  moments.layout.coords.erase(moment);
  for (std::size_t i = 1; i < variables.size(); ++i) {
    if (!is_of_moments(variables[i], chains)) {
      throw DataError("the moments of '" + variables[i].name + "' are not (chain, moment, ...)");
    }
    moments.layout.variables.push_back(of_one_chain(variables[i]));
  }
  const Index size = moments.layout.size();
  for (Index c = 0; c < chains; ++c) {
    const double draws = group.values[c];
    if (!(draws >= 0 && draws <= most_draws)) throw DataError("the moments are of an impossible number of draws");
    moments.chains.push_back({static_cast<std::int64_t>(draws), Vec(size), Vec(size)});
  }
  Index begin = 0, at = chains;
  for (const Variable& variable : moments.layout.variables) {
    for (ChainMoments& one : moments.chains) {
      one.mean.segment(begin, variable.size()) = group.values.segment(at, variable.size());
      one.sd.segment(begin, variable.size()) = group.values.segment(at + variable.size(), variable.size());
      at += 2 * variable.size();
    }
    begin += variable.size();
  }
  return moments;
}

}  // namespace quasar
