#include "io/init.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "io/checksum.hpp"
#include "io/input_file.hpp"
#include "io/join.hpp"
#include "io/json_text.hpp"
#include "io/run_file.hpp"
#include "io/run_file_format.hpp"

namespace quasar {
namespace {

using Json = nlohmann::json;

// The values of one starting point as far as they are given; the others are NaN.
struct Given {
  std::string where;  // the file, and which of its points
  Vec values;
  std::vector<std::string> missing;  // variables without a value
};

std::string shape_text(std::span<const Index> shape) {
  if (shape.empty()) return "a number";
  std::vector<std::string> sizes;
  for (const Index size : shape) sizes.push_back(std::to_string(size));
  return fmt::format("an array of shape ({})", join(sizes, ", "));
}

// Appends the numbers of nested arrays, last index fastest; false: not of this shape.
bool flatten(const Json& value, std::span<const Index> shape, std::vector<double>& numbers) {
  if (shape.empty()) {
    if (value.is_number()) numbers.push_back(value.get<double>());
    return value.is_number();
  }
  if (!value.is_array() || static_cast<Index>(value.size()) != shape.front()) return false;
  return std::all_of(value.begin(), value.end(),
                     [&](const Json& entry) { return flatten(entry, shape.subspan(1), numbers); });
}

// Calls take(variable) -> numbers for each variable; no numbers: not given.
template <class Take>
Given collect(const Layout& layout, const std::string& where, Take&& take) {
  Given given{where, Vec::Constant(layout.size(), std::numeric_limits<double>::quiet_NaN()), {}};
  Index begin = 0;
  for (const Variable& variable : layout.variables) {
    if (const std::optional<std::vector<double>> numbers = take(variable)) {
      std::copy(numbers->begin(), numbers->end(), given.values.begin() + begin);
    } else {
      given.missing.push_back(variable.name);
    }
    begin += variable.size();
  }
  return given;
}

void refuse_unknown_keys(const Json& object, const Layout& layout, const std::string& where) {
  std::vector<std::string_view> known;
  for (const Variable& variable : layout.variables) known.push_back(variable.name);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw DataError(fmt::format("{}: {}", where, unknown_name("variable", key, known)));
    }
  }
}

Given from_object(const Json& object, const Layout& layout, const std::string& where) {
  if (!object.is_object()) throw DataError(fmt::format("{}: expected an object of variables and their values", where));
  refuse_unknown_keys(object, layout, where);
  return collect(layout, where, [&](const Variable& variable) -> std::optional<std::vector<double>> {
    if (!object.contains(variable.name)) return std::nullopt;
    std::vector<double> numbers;
    if (flatten(object[variable.name], variable.shape, numbers)) return numbers;
    throw DataError(fmt::format("{}: variable '{}': expected {}", where, variable.name, shape_text(variable.shape)));
  });
}

std::vector<Given> given_in(const std::string& file, const Json& document, const Layout& layout, int chains) {
  if (!document.is_array()) return {from_object(document, layout, file)};
  if (std::ssize(document) != chains) {
    throw DataError(fmt::format("{}: {} initial points for {} chains", file, document.size(), chains));
  }
  std::vector<Given> given;
  for (const Json& object : document) {
    given.push_back(from_object(object, layout, fmt::format("{}: point {}", file, given.size() + 1)));
  }
  return given;
}

Given from_draw(std::span<const double> draw, const RunHeader& run, const Layout& layout, const std::string& where) {
  const auto columns = run_format::columns_of(run.layout);
  return collect(layout, where, [&](const Variable& variable) -> std::optional<std::vector<double>> {
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const auto& candidate) { return candidate.variable.name == variable.name; });
    if (column == columns.end()) return std::nullopt;
    if (column->variable.shape != variable.shape) {
      throw DataError(fmt::format("{}: variable '{}': expected {}, found {}", where, variable.name,
                                  shape_text(variable.shape), shape_text(column->variable.shape)));
    }
    const auto begin = draw.begin() + column->begin;
    return std::vector<double>(begin, begin + variable.size());
  });
}

std::vector<Given> from_run(const std::filesystem::path& path, const Layout& layout) {
  const Run run = open_run_file(path);
  if (run.draws() == 0 || run.keep() == Keep::moments)
    throw DataError(fmt::format("{}: holds no draws to start from", path.string()));
  const Index width = run.layout.size();
  std::vector<double> draw(static_cast<std::size_t>(width));
  std::vector<Given> given;
  for (Index chain = 0; chain < run.chains(); ++chain) {
    run.source->read({Phase::sampling, Part::values, chain, run.draws() - 1, 1, 0, width}, draw);
    const std::string where = fmt::format("{}: last draw of chain {}", path.string(), chain + 1);
    given.push_back(from_draw(draw, run, layout, where));
  }
  return given;
}

[[noreturn]] void refuse_given(const Given& given, std::string_view cause) {
  const std::string missing =
      given.missing.empty() ? ""
                            : fmt::format("; no value for '{}' (derived ones need none)", join(given.missing, "', '"));
  throw DataError(fmt::format("{}: {}{}", given.where, cause, missing));
}

Vec starting_point(const Target& target, const Given& given) {
  Vec x(target.dim());
  try {
    target.unconstrain(given.values, x);
  } catch (const UsageError& error) {  // to the model values out of place, here a fault of the file
    refuse_given(given, error.what());
  }
  if (x.allFinite()) return x;
  // What is missing is NaN and can only make NaN of a coordinate, not infinity.
  if (given.missing.empty() || !x.hasNaN()) {
    throw DataError(fmt::format("{}: values outside the support of the model", given.where));
  }
  refuse_given(given, "not enough to start from, or outside the support of the model");
}

std::vector<Vec> starting_points(const Target& target, const std::vector<Given>& given, int chains) {
  std::vector<Vec> points;
  for (int chain = 0; chain < chains; ++chain) {
    points.push_back(starting_point(target, given[static_cast<std::size_t>(chain) % given.size()]));
  }
  return points;
}

}  // namespace

std::vector<Vec> parse_json_init(const std::string& file, std::string_view text, const Target& target, int chains) {
  return starting_points(target, given_in(file, parse_json(file, text), target.layout(), chains), chains);
}

std::vector<Vec> read_init(const std::filesystem::path& path, const Target& target, int chains) {
  const std::filesystem::path type = path.extension();
  if (type != ".json" && type != ".nc") {
    throw UsageError(fmt::format("{}: initial points are read from a .json or a .nc file", path.string()));
  }
  if (type == ".json") return parse_json_init(path.string(), read_text(path), target, chains);
  return starting_points(target, from_run(path, target.layout()), chains);
}

std::string points_hash(const std::vector<Vec>& points) {
  std::uint32_t sum = 0;
  for (const Vec& point : points)
    sum = checksum(std::as_bytes(std::span(point.data(), point.data() + point.size())), sum);
  return fmt::format("crc32:{:08x}", sum);
}

}  // namespace quasar
