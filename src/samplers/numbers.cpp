#include "samplers/numbers.hpp"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

std::vector<double> parse(const Config& config, const std::string& name) {
  std::vector<double> found;
  std::string_view rest = config.text(name);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    const auto value = parse_real(one);
    if (!value || !(std::abs(*value) <= 1e100)) {
      throw UsageError(fmt::format("{}={}: '{}' is not a number within 1e100", name, config.text(name), one));
    }
    found.push_back(*value);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return found;
}

[[noreturn]] void wrong_count(const std::string& name, std::size_t count, Index dim, const char* allowed) {
  throw UsageError(
      fmt::format("{} has {} numbers; the model has {} coordinates, so give {}", name, count, dim, allowed));
}

}  // namespace

Vec numbers(const Config& config, const std::string& name, Index dim) {
  const std::vector<double> given = parse(config, name);
  if (given.size() == 1) return Vec::Constant(dim, given[0]);
  if (std::ssize(given) != dim) wrong_count(name, given.size(), dim, "one or as many");
  return Eigen::Map<const Vec>(given.data(), dim);
}

Mat any_matrix(const Config& config, const std::string& name, Index dim) {
  const std::vector<double> given = parse(config, name);
  const Index count = std::ssize(given);
  if (count == 1 || count == dim) return Eigen::Map<const Mat>(given.data(), count, 1);
  if (count != dim * dim) wrong_count(name, given.size(), dim, "one, as many, or their square");
  Mat matrix = Eigen::Map<const Mat>(given.data(), dim, dim);
  if (matrix != matrix.transpose()) throw UsageError(fmt::format("{} is not symmetric", name));
  return matrix;
}

}  // namespace quasar
