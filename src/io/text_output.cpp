#include "io/text_output.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18;

int leave_open(std::FILE* stream) { return std::fflush(stream); }

}  // namespace

TextOutput TextOutput::to_standard_output() { return TextOutput(Stream(stdout, leave_open)); }

TextOutput::TextOutput(Stream stream) : stream_(std::move(stream)) {}

TextOutput::TextOutput(const std::filesystem::path& path)
    : name_(path.string()), file_(path), stream_(std::fopen(file_->temporary().c_str(), "wb"), std::fclose) {
  if (!stream_) fail();
}

void TextOutput::write(std::string_view text) {
  buffer_.append(text);
  flush_when_large();
}

void TextOutput::write_number(double number) {
  if (std::isnan(number)) {
    write("NaN");
  } else {
    print("{}", number);
  }
}

void TextOutput::finish() {
  flush();
  const auto close = stream_.get_deleter();
  if (close(stream_.release()) != 0) fail();
}

void TextOutput::commit(IfExists if_exists) { file_.value().commit(if_exists); }

void TextOutput::flush_when_large() {
  if (buffer_.size() >= piece_bytes) flush();
}

void TextOutput::flush() {
  const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), stream_.get()) == buffer_.size();
  buffer_.clear();
  if (!written) fail();
}

void TextOutput::fail() const {
  throw DataError(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
}

}  // namespace quasar
