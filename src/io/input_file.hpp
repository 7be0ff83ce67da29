// The bytes of a file, gzip undone on the way: any reader of text stands on it.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace quasar {

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);  // DataError: missing, a folder, not readable
  std::size_t read(std::span<char> buffer);               // bytes read; 0 at the end. DataError: damaged gzip
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

std::string read_text(const std::filesystem::path& path);  // the whole of a small file (at most 256 MiB)

// "fnv1a64:<16 hex digits>" of the content: FNV-1a (Fowler, Noll, Vo; RFC 9923), 64 bits. The content is what a reader
// sees, so a table and its gzip have one hash. It tells two versions of a data set apart; it is no defence against
// forgery.
std::string content_hash(const std::filesystem::path& path);

}  // namespace quasar
