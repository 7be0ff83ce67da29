#include "targets/loaded_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include <quasar/errors.hpp>

#include "targets/library_file.hpp"

namespace quasar {
namespace {

struct FileState {
  explicit FileState(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return;  // the loader says why
    file = {found.st_dev, found.st_ino};
    content = {found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  }

  std::tuple<dev_t, ino_t> file;
  std::tuple<off_t, time_t, long> content;  // size and time of the last change
};

struct Libraries {
  std::mutex mutex;
  std::map<void*, FileState> loaded;  // what each handle was made of
};

Libraries& libraries_here() {
  static Libraries state;
  return state;
}

// A name without a folder is a file in the current one, as for every other file, and not one of the system's libraries.
std::string with_folder(const std::string& file) { return file.find('/') == std::string::npos ? "./" + file : file; }

// The same file under a name that the loader has not heard.
std::string respelled(std::string path) { return path.insert(path.rfind('/') + 1, "./"); }

// The loader's own words; they begin with the path, which is said already.
std::string cause(const std::string& path) {
  const char* const error = dlerror();
  std::string text = error == nullptr ? "no reason given" : error;
  const std::string prefix = path + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

DataError not_loaded(const std::string& file, std::string_view why) {
  return DataError(fmt::format("{}: cannot be loaded as a library: {}", file, why));
}

}  // namespace

// The loader takes a library for one that it has if it is called by the same name, whatever is in the file by now, and
// else if it is the same file by device and inode. So a file that was put in the place of another is loaded under
// another name, and for one that was written over there is no way.
LoadedLibrary load_library(const std::string& file) {
  const std::size_t end = file.find('\0');
  if (end != std::string::npos) throw not_loaded(file.substr(0, end), "its name goes on after a NUL character");
  std::string path = with_folder(file);
  if (is_no_file(path)) throw not_loaded(file, "it is not a file");
  if (is_cut_off(path)) throw not_loaded(file, "the file breaks off early");
  const std::lock_guard lock(libraries_here().mutex);
  const FileState now(path);
  for (;; path = respelled(path)) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw not_loaded(file, cause(path));
    const FileState& loaded = libraries_here().loaded.try_emplace(handle, now).first->second;
    if (loaded.file != now.file) continue;
    if (loaded.content == now.content) return {file, handle};
    throw not_loaded(file, "the file was changed since this process loaded it: a new process is needed");
  }
}

}  // namespace quasar
