#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

gzFile open_readable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw DataError(fmt::format("{}: is a folder, not a file", path.string()));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw DataError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  const gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) {
    ::close(descriptor);
    throw DataError(fmt::format("{}: cannot be opened: out of memory", path.string()));
  }
  gzbuffer(file, 1 << 18);
  return file;
}

std::size_t read_gzip(gzFile file, const std::string& name, std::span<char> buffer) {
  const int count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
  if (count > 0) return static_cast<std::size_t>(count);
  int status = Z_OK;  // a gzip stream that breaks off reads as a clean end; only the status tells
  gzerror(file, &status);
  if (status == Z_BUF_ERROR) throw DataError(fmt::format("{}: the gzip data break off early", name));
  if (status == Z_ERRNO) throw DataError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  if (count < 0) throw DataError(fmt::format("{}: the gzip data are damaged", name));
  return 0;
}

InputFile::Source gzip_source(const std::filesystem::path& path) {
  const std::shared_ptr<gzFile_s> file(open_readable(path), gzclose_r);
  return [file, name = path.string()](std::span<char> buffer) { return read_gzip(file.get(), name, buffer); };
}

std::string hash_text(std::uint64_t hash) { return fmt::format("fnv1a64:{:016x}", hash); }

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : InputFile(path.string(), gzip_source(path)) {}

InputFile::InputFile(std::string name, Source source) : name_(std::move(name)), source_(std::move(source)) {}

std::size_t InputFile::read(std::span<char> buffer) {
  const std::size_t count = source_(buffer);
  hash_ = fnv1a({buffer.data(), count}, hash_);
  return count;
}

std::string InputFile::content_hash() const { return hash_text(hash_); }

std::string content_hash(std::string_view bytes) { return hash_text(fnv1a(bytes)); }

std::string read_text(const std::filesystem::path& path) {
  constexpr std::size_t max_size = std::size_t{256} << 20;
  InputFile file(path);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t count = file.read(buffer)) {
    if (text.size() + count > max_size) throw DataError(fmt::format("{}: is larger than 256 MiB", file.name()));
    text.append(buffer.data(), count);
  }
  return text;
}

}  // namespace quasar
