// What a field of a table says: a number, a missing value, a label.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse_number.hpp"

namespace quasar {

bool is_missing(std::string_view text);        // empty, or a word for it
bool may_mean_missing(std::string_view text);  // '?', '-', '.' and the like: labels as well, so that nobody can know
ParsedNumber parse_finite(std::string_view text);
bool is_number(std::string_view text);                                              // finite or not
void split_at_blanks(std::string_view line, std::vector<std::string_view>& words);  // spaces and tabs
std::int64_t whole_number(std::string_view text);  // digits alone. std::invalid_argument with the cause
bool is_utf8(const std::string& text);
std::string shown(std::string_view text);  // as a message can show it: short, without control characters

}  // namespace quasar
