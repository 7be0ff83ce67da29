#include "io/toml_config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
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

// The parser frees nested tables by recursion and limits the nesting of values, not that of dotted keys: one key of a
// million parts would overflow the stack.
class DottedKeys {
 public:
  explicit DottedKeys(std::string_view text) : rest_(text) {}

  std::int64_t line_of_too_long() {  // 0: there is none
    constexpr int most_dots = 16;
    std::int64_t line = 1;
    for (int dots = 0; !rest_.empty();) {
      const std::string_view token = take_token();
      line += std::count(token.begin(), token.end(), '\n');
      if (token == ".") ++dots;
      if (token == "," || token == "=" || token == "\n") dots = 0;
      if (dots > most_dots) return line;
    }
    return 0;
  }

 private:
  // A comment, a string, or one character of anything else.
  std::string_view take_token() {
    std::size_t size = 1;
    if (rest_.front() == '#') {
      size = std::min(rest_.find('\n'), rest_.size());
    } else if (rest_.starts_with("\"\"\"") || rest_.starts_with("'''")) {
      size = end_of_string(rest_.substr(0, 3));
    } else if (rest_.front() == '"' || rest_.front() == '\'') {
      size = end_of_string(rest_.substr(0, 1));
    }
    const std::string_view token = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return token;
  }

  std::size_t end_of_string(std::string_view quote) const {
    std::size_t at = quote.size();
    while (at < rest_.size() && !rest_.substr(at).starts_with(quote)) {
      if (rest_[at] == '\n' && quote.size() == 1) return at;  // broken off: an error, which the parser will tell
      at += rest_[at] == '\\' && quote.front() == '"' ? 2 : 1;
    }
    at += quote.size();
    if (quote.size() == 3) {  // the last two characters of the string may be quotes, too
      for (int i = 0; i < 2 && at < rest_.size() && rest_[at] == quote.front(); ++i) ++at;
    }
    return std::min(at, rest_.size());
  }

  std::string_view rest_;
};

bool is_input(std::string_view table, std::string_view key) {
  if (table == "model") return key == "dictionary";
  return table == "run" && (key == "data" || key == "init" || key == "bridgestan" || key == "held_out");
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

  TomlConfig read(std::string_view text) {
    for (auto&& [key, node] : parse(text)) {
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

  toml::table parse(std::string_view text) const {
    if (const std::int64_t line = DottedKeys(text).line_of_too_long()) {
      throw DataError(fmt::format("{}:{}: a key with too many dots", config_.file, line));
    }
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      const auto [line, column] = error.source().begin;
      throw DataError(fmt::format("{}:{}:{}: {}", config_.file, line, column, error.description()));
    }
  }

  // [sampler.nuts] is a table in [sampler]: its keys are "nuts.max_depth".
  void read_table(const std::string& name, const toml::table& table, const std::string& prefix = "") {
    for (auto&& [key, node] : table) {
      const std::string setting = prefix + std::string(key.str());
      if (name == "sampler" && prefix.empty() && node.is_table()) {
        read_table(name, *node.as_table(), setting + ".");
        continue;
      }
      const std::string text = text_of(node, setting);
      config_.tables[name][setting] = is_input(name, setting) ? beside_the_file(text) : text;
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

TomlConfig read_toml(const std::filesystem::path& path) { return parse_toml(path, read_text(path)); }

TomlConfig parse_toml(const std::filesystem::path& path, std::string_view text) { return TomlReader(path).read(text); }

}  // namespace quasar
