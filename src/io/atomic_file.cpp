#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, std::string_view cause) {
  throw DataError(fmt::format("{}: {}", path.string(), cause));
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// The status of the file behind all links: regular, or not there yet.
fs::file_status replaceable_status(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::none) fail_at(path, "cannot be written: " + failed.message());
  if (fs::is_directory(status)) fail_at(path, "is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) fail_at(path, "is there and not a regular file");
  if (!path.has_filename()) fail_at(path.empty() ? "''" : path, "names no file");
  return status;
}

// File systems that cannot rename without replacing can still refuse a second link of a name. 0 or the cause.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

int rename_over(const fs::path& from, const fs::path& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

// One by one, because the last may point to a file that is not there yet.
fs::path behind_links(const fs::path& path) {
  constexpr int most_links = 40;  // as the system counts
  std::error_code failed;
  fs::path found = path;
  for (int links = 0; fs::is_symlink(found, failed); ++links) {
    const fs::path next = fs::read_symlink(found, failed);
    if (failed) fail_at(path, "cannot be followed: " + failed.message());
    if (links == most_links) fail_at(path, fmt::format("cannot be followed: {}", std::strerror(ELOOP)));
    found = folder_of(found) / next;
  }
  return found;
}

void sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int cause = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) fail_at(path, fmt::format("cannot be synced: {}", std::strerror(cause)));
}

AtomicFile::AtomicFile(fs::path path, const fs::path& temporary_folder) : path_(std::move(path)) {
  const fs::file_status status = replaceable_status(path_);
  target_ = behind_links(path_);
  if (fs::exists(status)) mode_ = status.permissions();
  std::error_code ignored;
  if (!fs::is_directory(folder_of(target_), ignored)) {
    fail_at(path_, fmt::format("there is no folder '{}'", folder_of(target_).string()));
  }
  create_temporary(temporary_folder.empty() ? target_.parent_path() : temporary_folder);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      mode_(other.mode_),
      keep_(std::exchange(other.keep_, true)) {}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!keep_) fs::remove(temporary_, ignored);
}

// Never an existing file: that may be one which an earlier process had to keep. Until it is in place, the successor of
// a file that others may not read is not for them either.
void AtomicFile::create_temporary(const fs::path& folder) {
  const mode_t mode = mode_ ? 0600 : 0666;
  int descriptor = -1;
  for (int attempt = 1; descriptor < 0; ++attempt) {
    temporary_ = folder / fmt::format("{}.tmp-{}-{}", target_.filename().string(), ::getpid(), attempt);
    descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno != EEXIST) fail_at(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  ::close(descriptor);
}

// A file system without modes is no reason to lose the file.
void AtomicFile::restore_mode() const {
  std::error_code ignored;
  if (mode_) fs::permissions(temporary_, *mode_, ignored);
}

void AtomicFile::commit(IfExists if_exists) {
  sync_to_disk(temporary_);
  restore_mode();
  keep_ = true;
  const bool replace = if_exists == IfExists::replace;
  const int cause = replace ? rename_over(temporary_, target_) : rename_to_new(temporary_, target_);
  if (cause == EEXIST) {
    throw DataError(
        fmt::format("{} appeared meanwhile; what should be there is in {}", path_.string(), temporary_.string()));
  }
  if (cause != 0) {
    fail_at(path_, fmt::format("cannot be put in place: {}; it is in {}", std::strerror(cause), temporary_.string()));
  }
  sync_to_disk(folder_of(target_));  // the new name, too, survives a power failure
}

}  // namespace quasar
