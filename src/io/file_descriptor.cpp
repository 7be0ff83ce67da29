#include "io/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {

FileDescriptor::FileDescriptor(const std::filesystem::path& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (descriptor_ < 0) fail("opened", errno);
  const mode_t kind = status().st_mode;
  if (S_ISREG(kind)) return;
  ::close(descriptor_);
  throw DataError(
      fmt::format("{}: {}", path.string(), S_ISDIR(kind) ? "is a folder, not a file" : "is no regular file"));
}

FileDescriptor FileDescriptor::open_readable(const std::filesystem::path& path) { return {path, O_RDONLY}; }
FileDescriptor FileDescriptor::open_existing(const std::filesystem::path& path) { return {path, O_RDWR}; }
FileDescriptor FileDescriptor::open_or_create(const std::filesystem::path& path) { return {path, O_RDWR | O_CREAT}; }

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileDescriptor::fail(std::string_view act, int cause) const {
  throw DataError(fmt::format("{}: cannot be {}: {}", path_.string(), act, std::strerror(cause)));
}

struct stat FileDescriptor::status() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) fail("looked at", errno);
  return found;
}

std::int64_t FileDescriptor::size() const { return status().st_size; }

void FileDescriptor::read_at(std::int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(fmt::format("read at byte {}", offset), errno);
    if (count == 0) throw DataError(fmt::format("{}: ends early, at byte {}", path_.string(), offset));
    out = out.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

// A hint: where the system cannot take it, reading is slower and nothing else.
void FileDescriptor::announce(std::int64_t offset, std::int64_t length) const {
  ::posix_fadvise(descriptor_, offset, length, POSIX_FADV_WILLNEED);
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

bool FileDescriptor::try_lock(Lock lock) {
  if (::flock(descriptor_, (lock == Lock::exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("locked", errno);
    return false;
  }
  struct stat named {};
  return ::stat(path_.c_str(), &named) == 0 && named.st_ino == status().st_ino;
}

void allow_open_files(std::int64_t count) {
  constexpr rlim_t others = 64;  // libraries, standard streams
  const rlim_t needed = static_cast<rlim_t>(count) + others;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed) {
    throw UsageError(
        fmt::format("{} open files are needed, two for each chain, and the system allows {}: run fewer chains", needed,
                    limit.rlim_max));
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace quasar
