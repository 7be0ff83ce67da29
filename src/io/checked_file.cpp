#include "io/checked_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include <quasar/errors.hpp>

#include "io/checksum.hpp"

namespace quasar {
namespace {

struct Head {
  char mark[8];              // "QSRFILE1"
  char kind[8];              // filled up with zeros
  std::uint64_t byte_order;  // reads differently on a machine of the other kind
  std::uint64_t length;      // of the content
};
struct Tail {
  std::uint64_t checksum;  // of head and content
};

Head checked_head(std::string_view kind, std::size_t length) {
  Head head{{'Q', 'S', 'R', 'F', 'I', 'L', 'E', '1'}, {}, 0x0102030405060708, length};
  std::copy_n(kind.begin(), std::min(kind.size(), sizeof head.kind), head.kind);
  return head;
}

Tail tail_of(const Head& head, std::uint32_t of_content) {
  return {joined_checksums(checksum(std::as_bytes(std::span(&head, 1))), of_content,
                           static_cast<std::int64_t>(head.length))};
}

constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

CheckedFile::CheckedFile(const std::filesystem::path& path, std::string_view kind)
    : kind_(kind), file_(path), bytes_(FileDescriptor::open_existing(file_.temporary())) {}

// Through a buffer: a state has many small fields, and a few large arrays.
void CheckedFile::write(std::string_view content) {
  while (!content.empty()) {
    const std::string_view next = content.substr(0, buffer_bytes - buffer_.size());
    buffer_.append(next);
    content.remove_prefix(next.size());
    if (buffer_.size() == buffer_bytes) flush();
  }
}

void CheckedFile::flush() {
  bytes_->write_at(static_cast<std::int64_t>(sizeof(Head)) + length_, std::as_bytes(std::span(buffer_)));
  checksum_ = checksum(std::as_bytes(std::span(buffer_)), checksum_);
  length_ += std::ssize(buffer_);
  buffer_.clear();
}

void CheckedFile::commit() {
  flush();
  const Head head = checked_head(kind_, static_cast<std::size_t>(length_));
  const Tail tail = tail_of(head, checksum_);
  bytes_->write_at(0, std::as_bytes(std::span(&head, 1)));
  bytes_->write_at(static_cast<std::int64_t>(sizeof head) + length_, std::as_bytes(std::span(&tail, 1)));
  bytes_.reset();
  file_.commit();
}

void write_checked_file(const std::filesystem::path& path, std::string_view kind, std::string_view content) {
  CheckedFile file(path, kind);
  file.write(content);
  file.commit();
}

namespace {

std::string_view content_in(std::string_view bytes, std::string_view kind, const std::string& name) {
  const auto fail = [&](const char* cause) { throw DataError(fmt::format("{}: {}", name, cause)); };
  Head head{};
  Tail tail{};
  const std::string_view mark = bytes.substr(0, sizeof head.mark);
  if (!std::string_view(checked_head(kind, 0).mark, sizeof head.mark).starts_with(mark)) {
    fail("was not written by this version of Quasar");
  }
  if (bytes.size() < sizeof head + sizeof tail) fail("is cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  const Head expected = checked_head(kind, bytes.size() - sizeof head - sizeof tail);
  if (std::memcmp(head.kind, expected.kind, sizeof head.kind) != 0) fail("is another kind of file");
  if (head.byte_order != expected.byte_order) fail("comes from a machine with another byte order");
  if (head.length != expected.length) fail("is cut short");
  std::memcpy(&tail, bytes.data() + bytes.size() - sizeof tail, sizeof tail);
  const std::string_view content = bytes.substr(sizeof head, head.length);
  if (tail.checksum != tail_of(head, checksum(std::as_bytes(std::span(content)))).checksum)
    fail("is damaged: its content does not fit its checksum");
  return content;
}

}  // namespace

std::string checked_content(std::string_view bytes, std::string_view kind, const std::string& name) {
  return std::string(content_in(bytes, kind, name));
}

std::string read_checked_file(const std::filesystem::path& path, std::string_view kind) {
  const FileDescriptor file = FileDescriptor::open_readable(path);
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(sizeof(Head) + content_in(bytes, kind, path.string()).size());
  bytes.erase(0, sizeof(Head));
  return bytes;
}

}  // namespace quasar
