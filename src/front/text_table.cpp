#include "front/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/printable.hpp"

namespace quasar {
namespace {

// Columns on the screen, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headers) {
  for (std::string& header : headers) {
    left_.push_back(header.starts_with('<'));
    if (left_.back()) header.erase(0, 1);
  }
  rows_.push_back(std::move(headers));
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(std::move(cell));  // labels may hold anything
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(left_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string lines;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += (i ? "  " : "") + (left_[i] ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + "\n";
  }
  return lines;
}

std::string number(double value, int digits) { return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits); }
std::string count(double value) { return std::isnan(value) ? "-" : fmt::format("{:.0f}", value); }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

}  // namespace quasar
