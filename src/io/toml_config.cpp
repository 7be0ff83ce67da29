#include "io/toml_config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include <quasar/errors.hpp>

#include "io/input_file.hpp"
#include "io/join.hpp"

namespace quasar {
namespace {

constexpr std::array<std::string_view, 3> table_names = {"run", "model", "sampler"};

std::string shortest_text(double number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

class TomlReader {
 public:
  explicit TomlReader(const std::filesystem::path& path) : path_(path) {
    config_.file = path.string();
    for (const std::string_view name : table_names) {
      config_.tables[std::string(name)] = {};
      config_.key_lines[std::string(name)] = {};
    }
  }

  TomlConfig read() {
    for (auto&& [key, node] : parse()) {
      const std::string name(key.str());
      if (!node.is_table())
        fail(node, fmt::format("'{}' stands outside the tables [run], [model] and [sampler]", name));
      if (!config_.tables.contains(name)) fail(node, unknown_name("table", name, table_names));
      read_table(name, *node.as_table());
    }
    return std::move(config_);
  }

 private:
  [[noreturn]] void fail(const toml::node& node, std::string_view cause) const {
    throw UsageError(fmt::format("{}:{}: {}", config_.file, node.source().begin.line, cause));
  }

  toml::table parse() const {
    const std::string text = read_text(path_);
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      const auto [line, column] = error.source().begin;
      throw DataError(fmt::format("{}:{}:{}: {}", config_.file, line, column, error.description()));
    }
  }

  void read_table(const std::string& name, const toml::table& table) {
    for (auto&& [key, node] : table) {
      const std::string setting(key.str());
      const bool is_input = name == "run" && (setting == "data" || setting == "init" || setting == "bridgestan");
      const std::string text = text_of(node, setting);
      config_.tables[name][setting] = is_input ? beside_the_file(text) : text;
      config_.key_lines[name][setting] = static_cast<int>(node.source().begin.line);
    }
  }

  // An empty text names no file, and stays so.
  std::string beside_the_file(const std::string& input) const {
    return input.empty() ? input : (path_.parent_path() / input).lexically_normal().string();
  }

  std::string text_of(const toml::node& node, const std::string& key) const {
    if (const toml::array* array = node.as_array()) return joined(*array, key);
    return scalar_text(node, key);
  }

  std::string scalar_text(const toml::node& node, const std::string& key) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) return shortest_text(number->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    fail(node, fmt::format("'{}' must be a number, true or false, a string, or an array of these", key));
  }

  std::string joined(const toml::array& array, const std::string& key) const {
    std::vector<std::string> parts;
    for (const toml::node& entry : array) {
      parts.push_back(scalar_text(entry, key));
      if (parts.back().find(',') != std::string::npos) fail(entry, fmt::format("an entry of '{}' holds a comma", key));
    }
    return join(parts, ",");
  }

  std::filesystem::path path_;
  TomlConfig config_;
};

}  // namespace

std::string TomlConfig::where(const std::string& table, const std::string& key) const {
  return fmt::format("{}:{}", file, key_lines.at(table).at(key));
}

TomlConfig read_toml(const std::filesystem::path& path) { return TomlReader(path).read(); }

}  // namespace quasar
