#include "io/peek.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {

Peeked peek(InputFile file, int lines) {
  constexpr std::size_t most = 1 << 16;
  const auto rest = std::make_shared<InputFile>(std::move(file));
  std::string head;
  std::array<char, 4096> buffer;
  while (std::count(head.begin(), head.end(), '\n') < lines && head.size() < most) {
    const std::size_t count = rest->read(buffer);
    if (count == 0) break;
    head.append(buffer.data(), count);
  }
  if (head.empty()) throw DataError(fmt::format("{}: the file is empty", rest->name()));
  InputFile whole(rest->name(), [rest, head, done = std::size_t{0}](std::span<char> to) mutable {
    if (done == head.size()) return rest->read(to);
    const std::size_t count = head.copy(to.data(), to.size(), done);
    done += count;
    return count;
  });
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (head.starts_with(byte_order_mark)) head.erase(0, byte_order_mark.size());
  return {std::move(head), std::move(whole)};
}

std::string_view first_line(std::string_view head) { return head.substr(0, head.find('\n')); }

}  // namespace quasar
