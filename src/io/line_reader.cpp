#include "io/line_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(InputFile file, std::size_t max_length) : file_(std::move(file)), max_length_(max_length) {}

bool LineReader::next(std::string& line) {
  line.clear();
  if (unread_.empty() && !fill()) return false;
  ++number_;
  for (;;) {
    const std::size_t end = unread_.find('\n');
    append(line, unread_.substr(0, end));
    unread_.remove_prefix(end == std::string_view::npos ? unread_.size() : end + 1);
    if (end != std::string_view::npos || !fill()) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  if (number_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  return true;
}

void LineReader::fail(std::int64_t line, std::string_view cause) const {
  throw DataError(fmt::format("{}:{}: {}", file_.name(), line, cause));
}

bool LineReader::fill() {
  unread_ = {buffer_.data(), file_.read(buffer_)};
  return !unread_.empty();
}

void LineReader::append(std::string& line, std::string_view piece) const {
  if (piece.find('\0') != std::string_view::npos) fail(number_, "a NUL byte: this is not a text file in UTF-8");
  if (line.size() + piece.size() > max_length_) {
    fail(number_, fmt::format("the line is longer than {} bytes", max_length_));
  }
  line += piece;
}

}  // namespace quasar
