// The labels of a column, whether the table holds them as labels or as numbers, and how the labels of one table are
// found in another.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quasar/table.hpp>

namespace quasar {

struct Levels {
  std::vector<std::string> labels;
  std::vector<double> values;  // what stands for each of them in the table
};

// Of a column of numbers: its distinct values, in order. DataError: there are more than `most`.
Levels levels_of(const Table& table, Index column, Index most);

// From the values in a table to the labels that a model knows. Labels that are numbers are compared as numbers: 1.0 is
// the label 1.
class KnownLevels {
 public:
  KnownLevels() = default;
  KnownLevels(std::span<const std::string> known, const Levels& found);

  Index number(double value) const;    // of the label that this value of the table stands for
  double value_of(Index label) const;  // NaN: the label does not occur in the table

  // Labels of the table that are not known, as places in `found`. They are numbered behind the known ones.
  std::span<const std::size_t> unseen() const { return unseen_; }

 private:
  std::vector<std::pair<double, Index>> numbers_;  // by value
  std::vector<double> values_;                     // by label
  std::vector<std::size_t> unseen_;
};

// The same where every label has to be known. DataError, with the row where the first other one is met.
KnownLevels require_known(const Table& table, Index column, std::span<const std::string> known, const Levels& found);

}  // namespace quasar
