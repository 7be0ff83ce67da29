// Aligned text: the first columns to the left, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace quasar {

class TextTable {
 public:
  // A header that starts with '<' heads a left-aligned column.
  explicit TextTable(std::vector<std::string> headers);
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;  // the first is the header
};

std::string number(double value, int digits = 4);  // significant ones; '-' where undefined
std::string count(double value);                   // a whole number; '-' where undefined
std::string percent(double share);                 // "12.3 %"

}  // namespace quasar
