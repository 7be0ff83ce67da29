#include "targets/library_file.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace quasar {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

class LibraryFile {
 public:
  explicit LibraryFile(const std::string& file) {
    if (is_no_file(file)) return;
    in_.open(file, std::ios::binary | std::ios::ate);
    if (in_) size_ = static_cast<std::uint64_t>(in_.tellg());
    const auto headers = table<Header>(0, 1);
    if (!headers.empty()) header_ = headers.front();
  }

  // false: not one of this machine, which the loader says itself
  bool is_native() const {
    return std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == native_class;
  }
  const Header& header() const { return header_; }

  bool holds(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  template <class T>
  std::vector<T> table(std::uint64_t offset, std::uint64_t count) {  // empty: not in the file
    if (count > size_ || !holds(offset, count * sizeof(T))) return {};
    std::vector<T> entries(count);
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(reinterpret_cast<char*>(entries.data()), static_cast<std::streamsize>(count * sizeof(T)));
    return entries;
  }

 private:
  std::ifstream in_;
  std::uint64_t size_ = 0;
  Header header_{};
};

// The variable stan::math::AutodiffStackSingleton<...>::instance_ itself, not its guard (_ZGV) or the function that
// initialises it for a thread (_ZTH), which end alike.
bool is_stan_tape(std::string_view symbol) {
  return symbol.starts_with("_ZN4stan4math22AutodiffStackSingleton") && symbol.ends_with("9instance_E");
}

std::string_view name_at(const std::vector<char>& names, std::uint64_t offset) {
  if (offset >= names.size()) return {};
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(offset);
  return {&*begin, static_cast<std::size_t>(std::find(begin, names.end(), '\0') - begin)};
}

std::optional<bool> find_tape(const std::vector<Symbol>& symbols, const std::vector<char>& names) {
  for (const Symbol& symbol : symbols) {
    if (is_stan_tape(name_at(names, symbol.st_name))) return ELF64_ST_TYPE(symbol.st_info) == STT_TLS;
  }
  return std::nullopt;
}

}  // namespace

bool is_no_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
}

bool is_cut_off(const std::string& file) {
  LibraryFile library(file);
  if (!library.is_native()) return false;
  const Header& header = library.header();
  // the table of sections is the last thing in a file as linkers write it
  if (!library.holds(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize)) return true;
  const auto segments = library.table<Segment>(header.e_phoff, header.e_phnum);
  return segments.size() < header.e_phnum || std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
           return segment.p_type == PT_LOAD && !library.holds(segment.p_offset, segment.p_filesz);
         });
}

std::optional<bool> compiled_with_threads(const std::string& file) {
  LibraryFile library(file);
  if (!library.is_native()) return std::nullopt;
  const auto sections = library.table<Section>(library.header().e_shoff, library.header().e_shnum);
  for (const Section& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Section& texts = sections[section.sh_link];
    return find_tape(library.table<Symbol>(section.sh_offset, section.sh_size / sizeof(Symbol)),
                     library.table<char>(texts.sh_offset, texts.sh_size));
  }
  return std::nullopt;
}

}  // namespace quasar
