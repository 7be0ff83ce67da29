#include "experiments/read_series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include <quasar/errors.hpp>

#include "io/csv.hpp"

namespace quasar {

Sequences read_series(const std::string& data_dir, const std::string& file, const std::string& column) {
  if (data_dir.empty()) {
    throw UsageError(fmt::format("this experiment reads a series: --data-dir names the folder that has {}", file));
  }
  const std::filesystem::path path = std::filesystem::path(data_dir) / file;
  const auto that_column = [&](const std::vector<std::string>& names) {
    if (std::ranges::find(names, column) == names.end()) {
      throw DataError(fmt::format("{}: no column '{}'", path.string(), column));
    }
    return CsvOptions{.numbers = {column}, .only = {column}, .advise = false};
  };
  return {read_csv(InputFile(path), that_column).values.transpose()};
}

}  // namespace quasar
