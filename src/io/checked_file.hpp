// A small file that is either whole or refused: a mark, a kind, the length, the content, a checksum.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace quasar {

// In one step: a temporary file beside it, synced, renamed. DataError: it cannot be written; the old one stays.
void write_checked_file(const std::filesystem::path& path, std::string_view kind, std::string_view content);

// DataError: it cannot be read, is of another kind, cut short or damaged.
std::string read_checked_file(const std::filesystem::path& path, std::string_view kind);

// The same of bytes in memory; `name` is for messages.
std::string checked_content(std::string_view bytes, std::string_view kind, const std::string& name);

}  // namespace quasar
