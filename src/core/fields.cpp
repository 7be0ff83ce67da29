#include <fmt/core.h>

#include <cstring>

#include <quasar/fields.hpp>

namespace quasar {
namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

void Writer::header(std::string_view name, std::uint64_t count) {
  const auto length = static_cast<std::uint32_t>(name.size());
  for (const std::string_view bytes : {bytes_of(length), name, bytes_of(count)}) append(bytes);
}

void Writer::append(std::string_view bytes) {
  if (take_) {
    take_(bytes);
  } else {
    bytes_.append(bytes);
  }
}

std::string_view Reader::take(std::string_view name, std::size_t size) {
  if (size > bytes_.size()) throw DataError(fmt::format("saved state ends inside '{}'", name));
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

void Reader::expect(std::string_view name, std::uint64_t count) {
  std::uint32_t length = 0;
  std::memcpy(&length, take(name, sizeof length).data(), sizeof length);
  const std::string_view found = take(name, length);
  if (found != name) throw DataError(fmt::format("saved state has '{}' where '{}' is expected", found, name));
  std::uint64_t found_count = 0;
  std::memcpy(&found_count, take(name, sizeof found_count).data(), sizeof found_count);
  if (found_count != count) {
    throw DataError(fmt::format("saved state has {} values of '{}', not {}", found_count, name, count));
  }
}

void Reader::expect_truth_values(std::string_view name, std::string_view bytes) {
  for (const char byte : bytes) {
    if (byte != 0 && byte != 1) throw DataError(fmt::format("saved state has a '{}' neither true nor false", name));
  }
}

}  // namespace quasar
