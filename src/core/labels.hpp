// Labels that are numbers are one label however they are written: 1, 1.0 and 01.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quasar {

std::string number_label(double value);

std::optional<double> number_in(std::string_view label);

// The shortest spelling of a label that is a number, where a double holds that very number. Others stay as they are: of
// identifiers with 17 digits and more, many would be one double.
std::string plain_label(std::string_view label);

}  // namespace quasar
