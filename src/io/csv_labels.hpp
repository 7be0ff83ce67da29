// The labels of a column while it is read, and their order once all of them are known.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <quasar/table.hpp>

namespace quasar {

class CsvLabels {
 public:
  double number(std::string_view label);  // counted from 0 in the order in which labels come
  std::size_t size() const { return numbers_.size(); }

  struct InOrder {
    std::vector<std::string> levels;
    std::vector<double> numbers;  // of each label as it came: the place among the levels
  };
  // That of the alphabet, or of the numbers where all labels are numbers. Two spellings of a number are one label.
  InOrder in_order() const;

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::string label_;  // the one looked up: kept to reuse its memory
};

// The values of the column, numbers of labels as they came, become their places among its levels. NaN stays.
void set_levels(Table& table, Index column, const CsvLabels& labels);

}  // namespace quasar
