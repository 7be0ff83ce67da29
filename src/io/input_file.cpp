#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

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

template <class Use>
void for_each_chunk(InputFile& file, Use&& use) {
  std::array<char, 1 << 16> buffer;
  while (const std::size_t count = file.read(buffer)) use(std::string_view(buffer.data(), count));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()), file_(open_readable(path), gzclose_r) {}

std::size_t InputFile::read(std::span<char> buffer) {
  const int count = gzread(file_.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
  if (count > 0) return static_cast<std::size_t>(count);
  int status = Z_OK;  // a gzip stream that breaks off reads as a clean end; only the status tells
  const char* cause = gzerror(file_.get(), &status);
  if (status == Z_BUF_ERROR) throw DataError(fmt::format("{}: the gzip data break off early", name_));
  if (count < 0) throw DataError(fmt::format("{}: cannot be read: {}", name_, cause));
  return 0;
}

std::string read_text(const std::filesystem::path& path) {
  constexpr std::size_t max_size = std::size_t{256} << 20;
  InputFile file(path);
  std::string text;
  for_each_chunk(file, [&](std::string_view chunk) {
    if (text.size() + chunk.size() > max_size) throw DataError(fmt::format("{}: is larger than 256 MiB", file.name()));
    text += chunk;
  });
  return text;
}

std::string content_hash(const std::filesystem::path& path) {
  constexpr std::uint64_t offset_basis = 0xcbf29ce484222325u, prime = 0x100000001b3u;
  InputFile file(path);
  std::uint64_t hash = offset_basis;
  for_each_chunk(file, [&](std::string_view chunk) {
    for (const char byte : chunk) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  });
  return fmt::format("fnv1a64:{:016x}", hash);
}

}  // namespace quasar
