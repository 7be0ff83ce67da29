// The bytes of a file, gzip undone on the way: any reader of text stands on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/fnv1a.hpp"

namespace quasar {

class InputFile {
 public:
  using Source = std::function<std::size_t(std::span<char>)>;  // fills the buffer; how many bytes, 0 at the end

  explicit InputFile(const std::filesystem::path& path);  // DataError: missing, a folder, not readable
  InputFile(std::string name, Source source);             // bytes from elsewhere, under a name for messages
  std::size_t read(std::span<char> buffer);               // bytes read; 0 at the end. DataError: damaged gzip
  const std::string& name() const { return name_; }

  // "fnv1a64:<16 hex digits>" of the bytes read so far, so that a pipe need not be read twice. They are what a reader
  // sees: a table and its gzip have one hash. It tells two versions of a data set apart; it is no defence against
  // forgery.
  std::string content_hash() const;

 private:
  std::string name_;
  Source source_;
  std::uint64_t hash_ = fnv1a_of_nothing;
};

std::string content_hash(std::string_view bytes);          // the same of bytes in memory
std::string read_text(const std::filesystem::path& path);  // the whole of a small file (at most 256 MiB)

}  // namespace quasar
