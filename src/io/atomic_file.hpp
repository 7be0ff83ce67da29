// A file that appears whole or not at all: written under a temporary name in the same folder, synced, renamed.
#pragma once

#include <filesystem>

namespace quasar {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);  // DataError: the folder is missing, the target is a folder
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // removes the temporary file unless committed

  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();  // the caller has closed the temporary file

 private:
  std::filesystem::path target_, temporary_;
  bool committed_ = false;
};

}  // namespace quasar
