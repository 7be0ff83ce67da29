// How a file begins, without taking it away from whoever reads it next: the content tells what a file is.
#pragma once

#include <string>
#include <string_view>

#include "io/input_file.hpp"

namespace quasar {

struct Peeked {
  std::string head;  // the first lines, and perhaps more; at most about 64 KiB. No byte order mark
  InputFile whole;   // the file from its beginning
};

Peeked peek(InputFile file, int lines);  // DataError: the file is empty

std::string_view first_line(std::string_view head);  // without its \n

}  // namespace quasar
