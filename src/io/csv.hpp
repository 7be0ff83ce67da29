// Comma-separated tables (RFC 4180) of finite numbers under one header line.
//
// Accepted beside the standard: gzip, a UTF-8 byte order mark, \n or \r\n, blanks around a value, a leading '+', empty
// lines at the end. Everything else is a DataError "file:line: column 3 ('chol'): cause"; no value is guessed or
// skipped.
#pragma once

#include <filesystem>

#include <quasar/table.hpp>

#include "io/input_file.hpp"

namespace quasar {

Table read_csv(const std::filesystem::path& path);
Table read_csv(InputFile file);

}  // namespace quasar
