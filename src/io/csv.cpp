#include "io/csv.hpp"

#include <utility>

namespace quasar {

Table read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return read_csv(InputFile(path), [&](const auto&) { return options; });
}

Table read_csv(InputFile file, const CsvChoice& choose) {
  CsvRows csv(std::move(file));
  csv.choose(choose(csv.header()));
  Table table{.source = csv.source().name(), .names = csv.names(), .values = {}, .lines = {}};
  std::vector<double> row, values;  // values: row by row
  std::vector<Index> numbers;
  while (csv.next(row)) {
    values.insert(values.end(), row.begin(), row.end());
    table.lines.push_back(csv.line());
    numbers.push_back(csv.dropped() + std::ssize(table.lines));
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  table.values = Eigen::Map<const RowMajor>(values.data(), std::ssize(table.lines), std::ssize(table.names));
  table.content_hash = csv.source().content_hash();
  table.places = csv.places();
  table.dropped = csv.dropped();
  if (table.dropped > 0) table.numbers = std::move(numbers);
  // Labels are numbered as they come while they are read; then by their order, so that the rows' order does not matter.
  for (Index column = 0; column < table.columns(); ++column) {
    if (csv.labels(column).size() > 0) set_levels(table, column, csv.labels(column));
  }
  return table;
}

}  // namespace quasar
