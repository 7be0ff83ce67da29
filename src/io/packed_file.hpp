// What packed tables and packed ratings have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "io/file_descriptor.hpp"

namespace quasar {

// What is no regular file is not touched: reading a pipe would take its beginning away. A file that ends inside the
// mark has it as far as one can see.
bool begins_with_mark(const std::filesystem::path& path, std::span<const char> mark);

// DataError: the file `name` is shorter or longer than its header says.
void require_length(const std::string& name, std::uint64_t size, std::uint64_t stated);

std::string without_zeros(std::span<const char> filled);  // a text that was filled up with zeros

std::uint32_t checksum_of(const FileDescriptor& file, std::uint64_t begin, std::uint64_t end);  // in small pieces

}  // namespace quasar
