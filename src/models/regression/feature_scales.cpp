#include "models/regression/feature_scales.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/blocks.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr double bytes = 256;

class Standardizer {
 public:
  Standardizer(const Table& table, const DesignSettings& settings)
      : rows_(static_cast<double>(table.rows())),
        center_(settings.intercept || settings.center),
        keep_constant_(settings.keep_constant_columns) {}

  Scale scale(const ColumnSummary& summary, const std::string& where) const {
    const double mean = center_ ? summary.mean : 0;
    if (summary.min == summary.max) {
      if (keep_constant_) return {mean, 1};
      throw DataError(
          where +
          "every value is the same, so the column cannot be standardised; remove it or set model.standardize=false");
    }
    const double sd = std::sqrt(summary.squares / rows_);
    if (!std::isfinite(sd) || !(sd > 0)) throw DataError(where + "the values are too extreme to standardise");
    return {mean, sd};
  }

 private:
  double rows_;
  bool center_, keep_constant_;
};

std::string where_is(const Table& table, const Features& features, Index feature) {
  const Index column = features.column(feature);
  if (column >= 0) return location(table, column);
  return fmt::format("{}: predictor '{}': ", table.source, features.names()[static_cast<std::size_t>(feature)]);
}

bool all_are_columns(const Features& features) {
  for (Index j = 0; j < features.size(); ++j) {
    if (features.column(j) < 0) return false;
  }
  return true;
}

template <class Use>
void each_piece(const Table& table, const Features& features, Use&& use) {
  const auto columns = static_cast<std::size_t>(table.columns()), width = static_cast<std::size_t>(features.size());
  std::vector<double> rows(block_rows * columns), made(block_rows * width);
  each_block(0, table.rows(), [&](Index begin, Index count) {
    read_rows(table, begin, count, rows.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      features.expand(rows.data() + i * columns, made.data() + i * width, [](Index, double value) { return value; });
    }
    use(std::span<const double>(made).first(static_cast<std::size_t>(count) * width));
  });
}

// A column's summary has the same bits whichever other columns are summed up beside it.
std::vector<ColumnSummary> feature_summaries(const Table& table, const Features& features) {
  if (!all_are_columns(features)) {
    ColumnSummaries summaries(features.size());
    each_piece(table, features, [&](std::span<const double> rows) { summaries.add(rows); });
    each_piece(table, features, [&](std::span<const double> rows) { summaries.add_squares(rows); });
    return summaries.result();
  }
  const std::vector<ColumnSummary> of_columns = column_summaries(table);
  std::vector<ColumnSummary> summaries;
  for (Index j = 0; j < features.size(); ++j) {
    summaries.push_back(of_columns[static_cast<std::size_t>(features.column(j))]);
  }
  return summaries;
}

}  // namespace

FeatureScales feature_scales(const Table& table, const Features& features, const DesignSettings& settings,
                             Index response) {
  FeatureScales scales{Vec::Zero(features.size()), Vec::Ones(features.size()), {}};
  const Standardizer standardizer(table, settings);
  if (settings.scaling == Scaling::standardize) {
    const std::vector<ColumnSummary> summaries = feature_summaries(table, features);
    for (Index j = 0; j < features.size(); ++j) {
      const Scale scale = standardizer.scale(summaries[static_cast<std::size_t>(j)], where_is(table, features, j));
      scales.means[j] = scale.mean;
      scales.deviations[j] = scale.sd;
    }
  }
  for (Index j = 0; settings.scaling == Scaling::bytes && j < features.size(); ++j) {
    if (features.column(j) >= 0) scales.deviations[j] = bytes;  // indicators of labels are 0 and 1 already
  }
  if (settings.standardize_response && response >= 0) {
    const ColumnSummary summary = column_summaries(table)[static_cast<std::size_t>(response)];
    if (summary.min == summary.max) {
      throw DataError(location(table, response) +
                      "every value of the target is the same, so there is nothing to explain");
    }
    scales.response = standardizer.scale(summary, location(table, response));
  }
  return scales;
}

}  // namespace quasar
