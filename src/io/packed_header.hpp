// What readers of the headers of packed files share. Every step makes the next one safe: the head is there, what
// follows it can be read, it is what was written, and then the sizes it states are those of the file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "io/file_descriptor.hpp"
#include "io/packed_file.hpp"
#include "io/packed_format.hpp"

namespace quasar {

struct PackedKind {
  std::span<const char> mark;
  std::uint32_t version;
  std::string_view other, has, again;  // "is no packed corpus", "has a packed corpus", "pack it again"
};

class PackedHeaderReader {
 protected:
  PackedHeaderReader(const FileDescriptor& file, std::string name)
      : file_(file), name_(std::move(name)), size_(static_cast<std::uint64_t>(file.size())) {}

  [[noreturn]] void fail(std::string_view cause) const { throw DataError(fmt::format("{}: {}", name_, cause)); }
  [[noreturn]] void fail_damaged() const { fail("is damaged: its header does not fit its checksum or itself"); }

  template <class Head>
  void read_head(const PackedKind& kind, Head& head) const {
    if (size_ < sizeof head) fail("is cut short: not even its header is there");
    file_.read_at(0, std::as_writable_bytes(std::span(&head, 1)));
    if (!std::ranges::equal(head.mark, kind.mark)) fail(kind.other);
    if (head.version != kind.version) {
      fail(fmt::format("{} of version {}; this Quasar reads version {}: {}", kind.has, head.version, kind.version,
                       kind.again));
    }
  }

  // All of the header that follows the head, once its sizes are known to be possible.
  template <class Head>
  std::vector<std::byte> read_rest(const Head& head, std::uint64_t header_size) const {
    if (size_ < header_size) fail("is cut short: its header is not complete");
    std::vector<std::byte> rest(header_size - sizeof head);
    file_.read_at(sizeof head, rest);
    if (packed_header_checksum(head, rest) != head.checksum) fail_damaged();
    return rest;
  }

  void require_stated_length(std::uint64_t stated) const { require_length(name_, size_, stated); }

 private:
  const FileDescriptor& file_;
  std::string name_;
  std::uint64_t size_;
};

}  // namespace quasar
