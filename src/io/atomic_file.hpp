// A file that appears whole or not at all: written under a temporary name in the same folder, synced, renamed.
//
// A symbolic link stays, what it points to is replaced. A file that is replaced hands its mode on, a new one gets the
// ordinary mode.
#pragma once

#include <filesystem>
#include <optional>

namespace quasar {

// Where writing to `path` ends up: links are followed, also to a file that is not there yet. DataError: in a circle.
std::filesystem::path behind_links(const std::filesystem::path& path);

void sync_to_disk(const std::filesystem::path& path);  // a file, or the names in a folder. DataError

enum class IfExists { replace, fail };

class AtomicFile {
 public:
  // Creates the temporary file, in the folder of the target unless another is given. DataError: the folder is missing
  // or cannot be written, the target is there and no regular file, the path names no file.
  explicit AtomicFile(std::filesystem::path path, const std::filesystem::path& temporary_folder = {});
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // removes the temporary file unless it was committed or has to be kept

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& temporary() const { return temporary_; }

  // The caller has closed the temporary file. DataError: it cannot be put in place; it is kept, and the message names
  // it.
  void commit(IfExists if_exists = IfExists::replace);

 private:
  void create_temporary(const std::filesystem::path& folder);
  void restore_mode() const;

  std::filesystem::path path_, target_, temporary_;  // path_: as given; target_: links followed
  std::optional<std::filesystem::perms> mode_;       // of the file to replace
  bool keep_ = false;
};

}  // namespace quasar
