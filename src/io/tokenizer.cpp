#include "io/tokenizer.hpp"

#include <algorithm>
#include <iterator>

namespace quasar {
namespace {

struct Character {
  char32_t code;       // 0: no letter of any kind
  std::size_t length;  // bytes
};

// What begins at `at`; a byte that is no UTF-8 (overlong forms, surrogates and numbers above U+10FFFF among it) is one
// character that is no letter.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {0, 1};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0, 1};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0, 1};
  return {code, length};
}

struct Range {
  char32_t first, last;
};

// Signs and digits among the letters of other alphabets that are met most often.
constexpr Range no_letters[] = {{0x00D7, 0x00D7}, {0x00F7, 0x00F7}, {0x02B0, 0x02FF}, {0x037E, 0x037E},
                                {0x0387, 0x0387}, {0x055A, 0x055F}, {0x0589, 0x058A}, {0x05BE, 0x05BE},
                                {0x0600, 0x061F}, {0x0660, 0x066D}, {0x06D4, 0x06D4}, {0x06F0, 0x06F9},
                                {0x0964, 0x096F}, {0x0E3F, 0x0E3F}, {0x0E4F, 0x0E5B}, {0x1680, 0x1680}};

bool is_letter(char32_t code) {
  if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  if (code < 0xC0 || (code > 0x1FFF && code < 0x3040) || code > 0xD7FF) return false;
  return std::ranges::none_of(no_letters, [code](Range r) { return code >= r.first && code <= r.last; });
}

bool is_apostrophe(char32_t code) { return code == '\'' || code == 0x2019; }

char32_t lower_case(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  if (within('A', 'Z')) return code + 32;
  if (code < 0xC0) return code;
  if (within(0xC0, 0xDE)) return code + 32;
  if (code == 0x130) return 'i';
  if (code == 0x178) return 0xFF;
  const bool even_is_upper = within(0x100, 0x137) || within(0x14A, 0x177) || within(0x460, 0x481);
  const bool odd_is_upper = within(0x139, 0x148) || within(0x179, 0x17E);
  if ((even_is_upper && code % 2 == 0) || (odd_is_upper && code % 2 == 1)) return code + 1;
  if (within(0x391, 0x3A9) || within(0x410, 0x42F)) return code + 32;
  if (within(0x400, 0x40F)) return code + 80;
  return code;
}

void append_utf8(std::string& text, char32_t code) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | (code >> 6));
  } else {
    add(0xE0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

}  // namespace

Tokenizer::Tokenizer(std::int64_t min_length, const std::vector<std::string>& stop_words) {
  std::unordered_set<std::string> words;
  for (const std::string& line : stop_words) {
    each_word(line, [&](std::string_view word) { words.emplace(word); });
  }
  stop_words_ = std::move(words);
  min_length_ = min_length;
}

bool Tokenizer::next(std::string_view text) {
  while (next_run(text)) {
    if (length_ >= min_length_ && !stop_words_.contains(word_)) return true;
  }
  return false;
}

bool Tokenizer::next_run(std::string_view text) {
  word_.clear();
  length_ = 0;
  while (at_ < text.size()) {
    const auto [code, bytes] = character_at(text, at_);
    const std::size_t behind = at_ + bytes;
    if (is_letter(code)) {
      append_utf8(word_, lower_case(code));
      ++length_;
    } else if (!word_.empty()) {
      const bool inside = is_apostrophe(code) && behind < text.size() && is_letter(character_at(text, behind).code);
      if (!inside) return true;
    }
    at_ = behind;
  }
  return !word_.empty();
}

}  // namespace quasar
