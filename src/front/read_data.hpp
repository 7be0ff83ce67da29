// Tables from files: those that models are fitted to, and those that they predict for.
#pragma once

#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

namespace quasar {

// CSV, packed or images in the IDX format; of a CSV file, the columns that the parameters of the model name. Ratings
// (io/ratings.hpp), packed or not, or synthetic ones for models whose parameters name a user and an item. DataError,
// UsageError
Table read_data(const std::string& path, const Config& parameters);

Table in_memory(Table table);  // with its rows in `values`, wherever they were

// The columns that a model was fitted to, found by their names in any order; the response may be missing, and other
// columns may hold anything. DataError
Table read_new_rows(const std::string& path, const ConstantData& kept);

// Those columns among the names of a table in memory, which messages call `source`.
struct NewColumns {
  std::vector<std::string> labels, numbers;  // of ratings: user and item; the rating
  std::string response = {};                 // whose values may be missing; it need not be among them
};
NewColumns columns_of_new_rows(const std::string& source, const std::vector<std::string>& names,
                               const ConstantData& kept);  // DataError

// "12 of 532 rows have missing values and are left out"; empty: there is nothing to say.
std::string note_on_rows(const Table& table);
// The same, and the combinations of levels that no row has and that are no predictors of the model therefore. Of
// ratings: which columns they are, unless their names say so.
std::string note_on_fit(const Table& table, const ConstantData& kept);

}  // namespace quasar
