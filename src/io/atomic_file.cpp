#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void sync_to_disk(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int cause = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw DataError(fmt::format("{}: cannot be synced: {}", path.string(), std::strerror(cause)));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)), temporary_(target_) {
  temporary_ += fmt::format(".tmp-{}", ::getpid());
  std::error_code ignored;
  if (std::filesystem::is_directory(target_, ignored))
    throw DataError(fmt::format("{}: is a folder", target_.string()));
  if (!std::filesystem::is_directory(folder_of(target_), ignored)) {
    throw DataError(fmt::format("{}: there is no folder '{}'", target_.string(), folder_of(target_).string()));
  }
}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  sync_to_disk(temporary_);
  std::error_code failed;
  std::filesystem::rename(temporary_, target_, failed);
  if (failed) throw DataError(fmt::format("{}: cannot be put in place: {}", target_.string(), failed.message()));
  committed_ = true;
  sync_to_disk(folder_of(target_));  // the new name, too, survives a power failure
}

}  // namespace quasar
