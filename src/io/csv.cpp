#include "io/csv.hpp"

#include <utility>

#include "io/csv_rows.hpp"

namespace quasar {

Table read_csv(const std::filesystem::path& path) { return read_csv(InputFile(path)); }

Table read_csv(InputFile file) {
  CsvRows csv(std::move(file));
  Table table{.source = csv.source().name(), .names = csv.names(), .values = {}, .lines = {}};
  std::vector<double> row, values;  // values: row by row
  while (csv.next(row)) {
    values.insert(values.end(), row.begin(), row.end());
    table.lines.push_back(csv.line());
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  table.values = Eigen::Map<const RowMajor>(values.data(), std::ssize(table.lines), std::ssize(table.names));
  table.content_hash = csv.source().content_hash();
  return table;
}

}  // namespace quasar
