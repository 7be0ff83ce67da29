#include "io/packed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/errors.hpp>

#include "io/checksum.hpp"

namespace quasar {

bool begins_with_mark(const std::filesystem::path& path, std::span<const char> mark) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const FileDescriptor file = FileDescriptor::open_readable(path);
  std::string begin(std::min<std::size_t>(mark.size(), static_cast<std::size_t>(file.size())), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(begin)));
  return !begin.empty() && std::string_view(mark.data(), mark.size()).starts_with(begin);
}

void require_length(const std::string& name, std::uint64_t size, std::uint64_t stated) {
  if (size < stated) throw DataError(fmt::format("{}: is cut short: {} of {} bytes are there", name, size, stated));
  if (size > stated) {
    throw DataError(fmt::format("{}: is too long: {} bytes where its header tells of {}", name, size, stated));
  }
}

std::string without_zeros(std::span<const char> filled) {
  return {filled.begin(), std::find(filled.begin(), filled.end(), '\0')};
}

std::uint32_t checksum_of(const FileDescriptor& file, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint32_t sum = 0;
  for (; begin < end; begin += buffer.size()) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), end - begin));
    file.read_at(static_cast<std::int64_t>(begin), piece);
    sum = checksum(piece, sum);
  }
  return sum;
}

std::uint64_t bytes_of(std::span<const std::string> texts) {
  return std::accumulate(texts.begin(), texts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const std::string& text) { return sum + text.size(); });
}

std::optional<std::string_view> one_of_two_equal(std::span<std::string_view> texts) {
  std::ranges::sort(texts);
  const auto twice = std::ranges::adjacent_find(texts);
  if (twice == texts.end()) return std::nullopt;
  return *twice;
}

}  // namespace quasar
