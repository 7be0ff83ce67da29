// Comma-separated tables (RFC 4180) of finite numbers and labels under one header line.
//
// Accepted beside the standard: gzip, a UTF-8 byte order mark, \n or \r\n, blanks around a value, a leading '+', empty
// lines at the end. A column holds labels if none of its values is a number, or if it is named as categorical; their
// order is that of the numbers if all of them are numbers, of the alphabet otherwise. Everything else is a DataError
// "file:line: column 3 ('chol'): cause"; no value is guessed, and a row is left out only on request.
#pragma once

#include <filesystem>
#include <functional>

#include <quasar/table.hpp>

#include "io/csv_rows.hpp"
#include "io/input_file.hpp"

namespace quasar {

// From the names of the columns to what is to be read of them; it may throw.
using CsvChoice = std::function<CsvOptions(const std::vector<std::string>& names)>;

Table read_csv(const std::filesystem::path& path, const CsvOptions& options = {});
Table read_csv(InputFile file, const CsvChoice& choose);

}  // namespace quasar
