// Tables in the packed format, which are read a few rows at a time: data may be larger than memory.
#pragma once

#include <filesystem>

#include <quasar/table.hpp>

namespace quasar {

bool is_packed_table(const std::filesystem::path& path);  // by its first bytes; what is no regular file is not touched

// Reads the header alone; rows are read when they are asked for. DataError: not a packed table, of a newer version, cut
// short, too long, or with a header that is damaged.
Table open_packed_table(const std::filesystem::path& path);

// Reads all of it. DataError: as above, or the rows are damaged.
Table verify_packed_table(const std::filesystem::path& path);

}  // namespace quasar
