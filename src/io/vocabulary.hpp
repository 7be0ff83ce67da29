// Words and their numbers: those that come, in the order in which they come, or those that are given and no others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/input_file.hpp"

namespace quasar {

class Vocabulary {
 public:
  Vocabulary() = default;                                      // open: a word that is new gets the next number
  explicit Vocabulary(const std::vector<std::string>& words);  // closed
  std::optional<std::uint32_t> number(std::string_view word);  // none: a closed vocabulary does not have it
  bool closed() const { return closed_; }
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::string> words() const;  // by their numbers

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  bool closed_ = false;
};

// One word a line. DataError: a line without one, a word twice, or not UTF-8; no words at all.
std::vector<std::string> read_vocabulary(InputFile file);

}  // namespace quasar
