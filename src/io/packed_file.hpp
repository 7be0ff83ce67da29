// What packed tables, ratings and documents have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_descriptor.hpp"

namespace quasar {

// What is no regular file is not touched: reading a pipe would take its beginning away. A file that ends inside the
// mark has it as far as one can see.
bool begins_with_mark(const std::filesystem::path& path, std::span<const char> mark);

// DataError: the file `name` is shorter or longer than its header says.
void require_length(const std::string& name, std::uint64_t size, std::uint64_t stated);

std::string without_zeros(std::span<const char> filled);  // a text that was filled up with zeros

std::uint32_t checksum_of(const FileDescriptor& file, std::uint64_t begin, std::uint64_t end);  // in small pieces

template <class T>
void append_bytes(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto more = std::as_bytes(values);
  bytes.insert(bytes.end(), more.begin(), more.end());
}
template <class T>
void take_bytes(std::span<const std::byte>& from, std::span<T> to) {  // from is what is left
  const auto bytes = std::as_writable_bytes(to);
  std::copy_n(from.data(), bytes.size(), bytes.data());
  from = from.subspan(bytes.size());
}

std::uint64_t bytes_of(std::span<const std::string> texts);

std::optional<std::string_view> one_of_two_equal(std::span<std::string_view> texts);  // sorts them

}  // namespace quasar
