// An open regular file: whole reads and writes at a place, or a DataError that names file and cause. What is no regular
// file is refused: a pipe could wait for ever.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace quasar {

class FileDescriptor {
 public:
  static FileDescriptor open_readable(const std::filesystem::path& path);
  static FileDescriptor open_existing(const std::filesystem::path& path);   // to read and write
  static FileDescriptor open_or_create(const std::filesystem::path& path);  // likewise
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) = delete;
  ~FileDescriptor();

  std::int64_t size() const;
  void read_at(std::int64_t offset, std::span<std::byte> out) const;
  void announce(std::int64_t offset, std::int64_t length) const;  // to be read soon: may be fetched from disk now
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);
  void resize(std::int64_t size);
  void sync();  // everything written so far survives a power failure
  // Until the file is closed, for this process alone or for all that share it. false: another has it, or has removed
  // its name meanwhile.
  enum class Lock { exclusive, shared };
  bool try_lock(Lock lock = Lock::exclusive);

 private:
  FileDescriptor(const std::filesystem::path& path, int flags);
  struct stat status() const;
  [[noreturn]] void fail(std::string_view act, int cause) const;

  std::filesystem::path path_;
  int descriptor_;
};

// Makes sure that so many files can be open at once. UsageError: the system does not allow it.
void allow_open_files(std::int64_t count);

}  // namespace quasar
