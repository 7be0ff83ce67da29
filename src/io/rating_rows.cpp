#include "io/rating_rows.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "io/field_text.hpp"

namespace quasar {
namespace {

double number_of(CsvLabels& labels, std::string_view label, std::string_view side) {
  if (label.empty()) throw std::invalid_argument(fmt::format("the {} is missing", side));
  const std::size_t known = labels.size();
  const double number = labels.number(label);
  if (labels.size() > known && !is_utf8(std::string(label))) {
    throw std::invalid_argument(fmt::format("the {} is not UTF-8 text", side));
  }
  return number;
}

}  // namespace

void RatingRows::add(std::string_view user, std::string_view item, std::string_view rating, std::int64_t line) {
  add(user, item, line);
  rating_.push_back(this->rating(rating));
}

void RatingRows::add(std::string_view user, std::string_view item, std::int64_t line) {
  user_.push_back(number_of(users_, user, "user"));
  item_.push_back(number_of(items_, item, "item"));
  lines_.push_back(line);
}

double RatingRows::rating(std::string_view text) const {
  if (is_missing(text)) {
    if (missing_ == Missing::is_nan) return std::numeric_limits<double>::quiet_NaN();
    throw std::invalid_argument(text.empty() ? "the rating is missing"
                                             : fmt::format("the rating '{}' is a missing value", text));
  }
  const auto [value, problem] = parse_finite(text);
  if (!problem.empty()) throw std::invalid_argument(fmt::format("the rating '{}' {}", shown(text), problem));
  return value;
}

Table RatingRows::table(const RatingNames& names) {
  Table table{.source = {}, .names = {names.user, names.item}, .values = {}, .lines = std::move(lines_)};
  const bool rated = !rating_.empty();
  if (rated) table.names.push_back(names.rating);
  const Index rows = std::ssize(user_);
  table.values.resize(rows, rated ? 3 : 2);
  table.values.col(0) = Eigen::Map<const Vec>(user_.data(), rows);
  table.values.col(1) = Eigen::Map<const Vec>(item_.data(), rows);
  if (rated) table.values.col(2) = Eigen::Map<const Vec>(rating_.data(), rows);
  set_levels(table, 0, users_);
  set_levels(table, 1, items_);
  return table;
}

}  // namespace quasar
