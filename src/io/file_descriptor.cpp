#include "io/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {

FileDescriptor::FileDescriptor(const std::filesystem::path& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("opened", errno);
}

FileDescriptor FileDescriptor::open_readable(const std::filesystem::path& path) { return {path, O_RDONLY}; }
FileDescriptor FileDescriptor::open_existing(const std::filesystem::path& path) { return {path, O_RDWR}; }
FileDescriptor FileDescriptor::open_or_create(const std::filesystem::path& path) { return {path, O_RDWR | O_CREAT}; }

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileDescriptor::fail(const char* act, int cause) const {
  throw DataError(fmt::format("{}: cannot be {}: {}", path_.string(), act, std::strerror(cause)));
}

std::int64_t FileDescriptor::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("looked at", errno);
  return status.st_size;
}

void FileDescriptor::read_at(std::int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", errno);
    if (count == 0) throw DataError(fmt::format("{}: ends early", path_.string()));
    out = out.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

void FileDescriptor::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

void FileDescriptor::resize(std::int64_t size) {
  if (::ftruncate(descriptor_, size) != 0) fail("cut", errno);
}

void FileDescriptor::sync() {
  if (::fdatasync(descriptor_) != 0) fail("synced", errno);
}

bool FileDescriptor::try_lock() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) fail("locked", errno);
  return false;
}

}  // namespace quasar
