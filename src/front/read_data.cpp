#include "front/read_data.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "front/read_intensities.hpp"
#include "io/csv.hpp"
#include "io/field_text.hpp"
#include "io/idx_table.hpp"
#include "io/packed_ratings.hpp"
#include "io/packed_table.hpp"
#include "io/ratings.hpp"
#include "models/alpha/make_alpha_mf.hpp"
#include "models/factorization/kept_ratings.hpp"
#include "models/factorization/synthetic_ratings.hpp"
#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/formula.hpp"
#include "models/regression/level_combinations.hpp"
#include "models/sequences/series.hpp"

namespace quasar {
namespace {

Table read_table(const std::string& path, const CsvChoice& choose) {
  if (is_packed_table(path)) return open_packed_table(path);
  if (is_packed_ratings(path)) throw DataError(path + ": holds ratings of items by users, and this model is of none");
  if (is_idx_images(path)) return read_idx_table(path);
  return read_csv(InputFile(path), choose);
}

std::vector<std::string> names_of(const std::vector<Index>& columns, const ColumnNames& names) {
  std::vector<std::string> chosen;
  for (const Index column : columns) chosen.push_back(names[static_cast<std::size_t>(column)]);
  return chosen;
}

// A series may have gaps, and beside those that hold numbers columns that do not, unless some are named.
CsvOptions options_for_series(const std::string& path, const SeriesSettings& settings, const ColumnNames& names) {
  const SeriesColumns columns = series_columns(path, names, settings);
  CsvOptions options{.categorical = names_of(columns.labels, names),
                     .all_may_be_missing = true,
                     .only = names_of(columns.values, names),
                     .advise = false};
  if (!settings.sequence.empty()) options.only.push_back(settings.sequence);
  return options;
}

// Columns that the model does not use may hold anything.
CsvOptions options_for(const std::string& path, const Config& parameters, const ColumnNames& names) {
  if (is_of_series(parameters)) return options_for_series(path, series_settings(parameters), names);
  const DesignSettings settings = design_settings(parameters);
  if (!parameters.values().contains("target")) return {};
  if (!parameters.values().contains("predictors")) {
    return {.only = {names[static_cast<std::size_t>(find_column(path, names, settings.target))]}};
  }
  const ColumnChoice choice = choose_columns(path, names, settings);
  return {.categorical = names_of(choice.categorical, names),
          .only = names_of(choice.used(), names),
          .drop_missing = settings.drop_missing};
}

// The last column stands for the response unless another is named: of images without labels it would be a pixel.
void require_labels(const std::string& path, const Config& parameters) {
  const std::string& target = parameters.text("target");
  if (!target.empty() && target != "label") return;
  const auto labels = labels_beside(path);
  throw DataError(labels ? fmt::format("{}: there are no labels: {} is not there", path, labels->string())
                         : fmt::format("{}: there are no labels: they are read from a file beside that of the images "
                                       "where these are called X-images-idx3-ubyte, and the labels X-labels-idx1-ubyte",
                                       path));
}

// Columns that a model was fitted to, by what they hold, among those that are there.
class NewColumnsAmong {
 public:
  NewColumnsAmong(std::string where, const ColumnNames& names)
      : where_(std::move(where)), names_(names), there_(names.begin(), names.end()) {}

  enum class Hold { numbers, labels };
  void require(const std::string& name, Hold hold) {
    if (!there_.contains(name)) {
      throw DataError(fmt::format("{}: there is no column '{}', which the model was fitted to: there are {}", where_,
                                  name, shown_list(names_)));
    }
    (hold == Hold::numbers ? found_.numbers : found_.labels).push_back(name);
  }
  void response(const std::string& name, Hold hold) {
    found_.response = name;
    if (there_.contains(name)) require(name, hold);
  }
  NewColumns found() && { return std::move(found_); }

 private:
  std::string where_;
  const ColumnNames& names_;
  std::unordered_set<std::string_view> there_;
  NewColumns found_;
};
using Hold = NewColumnsAmong::Hold;

NewColumns columns_of(const Formula& formula, NewColumnsAmong columns) {
  const auto held = [](const FormulaColumn& column) { return column.levels.empty() ? Hold::numbers : Hold::labels; };
  for (const FormulaColumn& column : formula.columns) columns.require(column.name, held(column));
  if (formula.group) columns.require(formula.group->name, held(*formula.group));
  columns.response(formula.target.name, held(formula.target));
  return std::move(columns).found();
}

CsvOptions options_for_new_rows(const std::string& path, const Formula& formula, const ColumnNames& names) {
  const NewColumns columns = columns_of(formula, {path + ":1", names});
  CsvOptions options{.categorical = columns.labels,
                     .numbers = columns.numbers,
                     .may_be_missing = columns.response,
                     .only = columns.labels,
                     .drop_missing = formula.drop_missing,
                     .advise = false,
                     .on_missing = "take the row out, or fit with model.missing=drop: then it is left out"};
  options.only.insert(options.only.end(), columns.numbers.begin(), columns.numbers.end());
  return options;
}

bool is_of_ratings(const Config& parameters) {
  return parameters.values().contains("user") && parameters.values().contains("item");
}

Table read_rating_file(const std::string& path, const RatingNames& names, RatingsFor use) {
  if (path.starts_with(synthetic_mark)) {
    Table table = synthetic_ratings(path);
    table.content_hash = content_hash(path);
    return table;
  }
  if (is_packed_ratings(path)) return open_packed_ratings(path);
  if (is_packed_table(path) || is_idx_images(path)) {
    throw DataError(
        fmt::format("{}: ratings are read from text: separated by commas, tabs, semicolons or '::', or "
                    "MatrixMarket, gzip or not; or packed by quasar pack --ratings",
                    path));
  }
  return read_ratings(InputFile(path), names, use);
}

}  // namespace

Table in_memory(Table table) {
  if (!table.stored) return table;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(table.rows(), table.columns());
  read_rows(table, 0, rows.rows(), rows.data());
  table.values = rows;
  table.stored = nullptr;
  return table;
}

Table read_data(const std::string& path, const Config& parameters) {
  if (is_of_ratings(parameters)) {
    return read_rating_file(path, {parameters.text("user"), parameters.text("item"), parameters.text("rating")},
                            RatingsFor::fitting);
  }
  if (is_of_intensities(parameters)) {
    Table table = read_intensities(path);
    read_dictionary(parameters, table);
    return table;
  }
  Table table = read_table(path, [&](const ColumnNames& names) { return options_for(path, parameters, names); });
  const bool has_response = parameters.values().contains("target");
  if (has_response && is_idx_images(path) && table.names.back() != "label") require_labels(path, parameters);
  return table;
}

Table read_new_rows(const std::string& path, const ConstantData& kept) {
  if (const auto columns = rating_columns_in(kept)) {
    return in_memory(read_rating_file(path, {columns->user, columns->item, columns->rating}, RatingsFor::predicting));
  }
  const Formula formula = Formula::kept_in(kept);
  return read_table(path, [&](const ColumnNames& names) { return options_for_new_rows(path, formula, names); });
}

NewColumns columns_of_new_rows(const std::string& source, const std::vector<std::string>& names,
                               const ConstantData& kept) {
  NewColumnsAmong columns(source, names);
  const auto ratings = rating_columns_in(kept);
  if (!ratings) return columns_of(Formula::kept_in(kept), std::move(columns));
  columns.require(ratings->user, Hold::labels);
  columns.require(ratings->item, Hold::labels);
  columns.response(ratings->rating, Hold::numbers);
  return std::move(columns).found();
}

std::string note_on_rows(const Table& table) {
  if (table.dropped == 0) return "";
  return fmt::format("{} of {} rows have missing values and are left out", table.dropped, table.dropped + table.rows());
}

namespace {

std::string note_on_columns(const KeptColumns& columns) {
  if (columns.user == "user" && columns.item == "item" && columns.rating == "rating") return "";
  return fmt::format("users are in the column '{}', items in '{}', ratings in '{}'", shown(columns.user),
                     shown(columns.item), shown(columns.rating));
}

}  // namespace

std::string note_on_fit(const Table& table, const ConstantData& kept) {
  if (const auto columns = rating_columns_in(kept)) return note_on_columns(*columns);
  std::string rows = note_on_rows(table);
  if (!Formula::is_kept_in(kept)) return rows;
  const Formula formula = Formula::kept_in(kept);
  if (formula.left_out.empty()) return rows;
  std::vector<std::string> never;
  for (const LeftOut& combination : formula.left_out) never.push_back(shown(formula, combination));
  return fmt::format("{}{}no row has {}: left out of the predictors", rows, rows.empty() ? "" : "; ",
                     shown_list(never));
}

}  // namespace quasar
