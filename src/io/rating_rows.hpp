// A table of ratings while it is read: who, what, how much.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/table.hpp>

#include "io/csv_labels.hpp"

namespace quasar {

struct RatingNames {  // of columns
  std::string user, item, rating;
};

// Each may throw std::invalid_argument with the cause; the reader knows the line.
class RatingRows {
 public:
  enum class Missing { is_wrong, is_nan };  // a rating that is not there
  explicit RatingRows(Missing missing) : missing_(missing) {}

  void add(std::string_view user, std::string_view item, std::string_view rating, std::int64_t line);
  void add(std::string_view user, std::string_view item, std::int64_t line);  // of all rows, or of none
  Index size() const { return std::ssize(lines_); }

  // Columns user, item (labels) and, where there are ratings, rating. Nothing can be added afterwards.
  Table table(const RatingNames& names);

 private:
  double rating(std::string_view text) const;

  Missing missing_;
  CsvLabels users_, items_;
  std::vector<double> user_, item_, rating_;
  std::vector<std::int64_t> lines_;
};

}  // namespace quasar
