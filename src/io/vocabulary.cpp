#include "io/vocabulary.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include <quasar/errors.hpp>

#include "io/csv_records.hpp"
#include "io/field_text.hpp"
#include "io/line_reader.hpp"
#include "io/word_counts.hpp"

namespace quasar {

Vocabulary::Vocabulary(const std::vector<std::string>& words) {
  for (const std::string& word : words) number(word);
  closed_ = true;
}

std::optional<std::uint32_t> Vocabulary::number(std::string_view word) {
  const auto known = numbers_.find(word);
  if (known != numbers_.end()) return known->second;
  if (closed_) return std::nullopt;
  if (std::ssize(numbers_) == most_documents_or_words) throw std::invalid_argument("there are too many words");
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  numbers_.emplace(word, next);
  return next;
}

std::vector<std::string> Vocabulary::words() const {
  std::vector<std::string> words(numbers_.size());
  for (const auto& [word, number] : numbers_) words[number] = word;
  return words;
}

std::vector<std::string> read_vocabulary(InputFile file) {
  LineReader lines(std::move(file));
  std::vector<std::string> words;
  std::unordered_map<std::string, std::int64_t> line_of;
  std::int64_t empty_line = 0;
  for (std::string line; lines.next(line);) {
    const std::string word(trim_blanks(line));
    const auto fail = [&](std::string_view cause) { lines.fail(lines.number(), cause); };
    if (word.empty()) {
      if (empty_line == 0) empty_line = lines.number();
      continue;
    }
    if (empty_line > 0) lines.fail(empty_line, "a word is missing: a vocabulary has one in each line");
    if (!is_utf8(word)) fail("the word is not UTF-8 text");
    const auto [first, is_new] = line_of.emplace(word, lines.number());
    if (!is_new) fail(fmt::format("the word '{}' is in line {} too", shown(word), first->second));
    words.push_back(word);
  }
  if (words.empty()) throw DataError(fmt::format("{}: a vocabulary without words", lines.source().name()));
  return words;
}

}  // namespace quasar
