// Tables. The first byte says how many bytes a read returns, so that fields and line ends lie across reads; its bits
// say what is asked of the table as well.
#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size == 0) return 0;
  fuzz::read_or_refuse([&] {
    const auto options = [&](const std::vector<std::string>& names) {
      CsvOptions chosen{.drop_missing = (data[0] & 1) != 0};
      if ((data[0] & 2) != 0) chosen.categorical = {names.front()};
      if ((data[0] & 4) != 0) chosen.only = {names.front(), names.back()};
      return chosen;
    };
    const Table table = read_csv(fuzz::in_pieces(fuzz::text_of(data + 1, size - 1), 1 + std::size_t{data[0]}), options);
    fuzz::require(table.rows() == std::ssize(table.lines) && table.columns() == std::ssize(table.names));
    fuzz::require(table.rows() > 0 && table.columns() > 0 && table.values.allFinite());
    for (std::size_t column = 0; column < table.levels.size(); ++column) {
      const auto values = table.values.col(static_cast<Index>(column));
      if (table.levels[column].empty()) continue;
      fuzz::require(values.minCoeff() >= 0 && values.maxCoeff() < static_cast<double>(table.levels[column].size()));
    }
  });
  return 0;
}
