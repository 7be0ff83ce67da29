// A run configuration in TOML: the tables [run], [model] and [sampler], whose keys are those of the command line.
//
// Values become the text a user would have typed: `draws = 1_000` is "1000", `adapt = true` is "true", an array of
// plain values is joined by commas. Files that are read (`data`, `init`, `bridgestan` in [run], `dictionary` in
// [model]) are found relative to the folder of the configuration, so that it can be run from anywhere; `out` stays
// relative to the current folder, where results belong.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <quasar/config.hpp>

namespace quasar {

struct TomlConfig {
  std::string file;
  std::map<std::string, Settings> tables;                       // always "run", "model" and "sampler"
  std::map<std::string, std::map<std::string, int>> key_lines;  // likewise

  std::string where(const std::string& table, const std::string& key) const;  // "config.toml:12", for messages
};

// DataError: a missing file, or text that is not TOML (file:line:column). UsageError: a table or key in no known place,
// or a value that is neither a number, a truth value, a string, nor an array of these (file:line). Which keys a table
// may have, and in what range, is for their owner to say.
TomlConfig read_toml(const std::filesystem::path& path);
TomlConfig parse_toml(const std::filesystem::path& path, std::string_view text);

}  // namespace quasar
