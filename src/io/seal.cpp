#include "io/seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "io/checksum.hpp"
#include "io/file_descriptor.hpp"

namespace quasar {
namespace {

constexpr std::string_view mark = "QSRSEAL1";
constexpr std::int64_t seal_size = 16;  // the mark and eight hexadecimal digits

std::string seal_of(const FileDescriptor& file, std::int64_t size) {
  std::vector<char> buffer(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 1, 1 << 20)));
  std::uint32_t sum = 0;
  for (std::int64_t at = 0; at < size; at += std::ssize(buffer)) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(buffer), size - at));
    const std::span<char> chunk(buffer.data(), count);
    file.read_at(at, std::as_writable_bytes(chunk));
    sum = checksum(std::as_bytes(chunk), sum);
  }
  return fmt::format("{}{:08x}", mark, sum);
}

}  // namespace

void seal_file(const std::filesystem::path& path) {
  FileDescriptor file = FileDescriptor::open_existing(path);
  const std::string seal = seal_of(file, file.size());
  file.write_at(file.size(), std::as_bytes(std::span(seal)));
}

void break_seal(const std::filesystem::path& path) {
  check_seal(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - seal_size);
}

void check_seal(const std::filesystem::path& path, std::string_view what) {
  const FileDescriptor file = FileDescriptor::open_readable(path);
  std::string found(seal_size, '\0');
  const std::int64_t size = file.size() - seal_size;
  if (size >= 0) file.read_at(size, std::as_writable_bytes(std::span(found)));
  if (!found.starts_with(mark)) {
    throw DataError(
        fmt::format("{}: is not {} of this version of Quasar, or was cut short or changed after Quasar wrote it",
                    path.string(), what));
  }
  if (found != seal_of(file, size)) {
    throw DataError(fmt::format("{}: is damaged: its content does not fit its checksum", path.string()));
  }
}

}  // namespace quasar
