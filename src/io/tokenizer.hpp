// Words of a text: runs of letters in lower case, long enough and not among the stop words.
//
// Letters are those of ASCII and of the alphabets from U+00C0 to U+1FFF, marks that combine with them included, and of
// U+3040 to U+D7FF, where languages that put no blanks between words are not divided. Lower case is made of ASCII,
// Latin, Greek and Cyrillic letters. An apostrophe inside a word is dropped: don't becomes dont. All else, bytes that
// are no UTF-8 among it, stands between words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace quasar {

class Tokenizer {
 public:
  // A word has at least so many letters. Stop words are read as texts are: in lower case, without apostrophes.
  explicit Tokenizer(std::int64_t min_length = 1, const std::vector<std::string>& stop_words = {});

  template <class Use>
  void each_word(std::string_view text, Use&& use) {
    for (at_ = 0; next(text);) use(std::string_view(word_));
  }

 private:
  bool next(std::string_view text);      // the next word that counts
  bool next_run(std::string_view text);  // the next run of letters

  std::int64_t min_length_ = 1;
  std::unordered_set<std::string> stop_words_;
  std::size_t at_ = 0;
  std::string word_;
  std::int64_t length_ = 0;  // of word_, in letters
};

const std::vector<std::string>& english_stop_words();

}  // namespace quasar
