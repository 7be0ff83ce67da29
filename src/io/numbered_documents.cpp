// Documents whose words are numbers: UCI bags of words and matrices.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <quasar/errors.hpp>

#include "io/documents.hpp"
#include "io/field_text.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market.hpp"
#include "io/vocabulary.hpp"
#include "io/word_counts.hpp"

namespace quasar {
namespace {

struct Numbered {
  WordCounts counts;
  std::int64_t documents = 0, words = 0;  // that the file promises

  void promise(std::int64_t of_documents, std::int64_t of_words) {
    documents = of_documents;
    words = of_words;
    if (documents < 1 || words < 1) throw std::invalid_argument("there are no documents or no words");
    if (std::max(documents, words) > most_documents_or_words) {
      throw std::invalid_argument(
          fmt::format("more than {} documents or words cannot be counted", most_documents_or_words));
    }
  }
};

// Memory is taken for every document and every word that is promised: not for a few entries of a damaged header.
void require_plausible(const Numbered& numbered, std::int64_t entries) {
  const std::int64_t most = 1'000'000 + 100 * entries;
  if (numbered.documents <= most && numbered.words <= most) return;
  throw std::invalid_argument(
      fmt::format("the file promises {} documents and {} words, and has {} entries: this is damaged",
                  numbered.documents, numbered.words, entries));
}

class BagOfWords {
 public:
  explicit BagOfWords(InputFile file) : lines_(std::move(file)) {}

  Numbered read() {
    try {
      const std::int64_t documents = number_alone("documents"), words = number_alone("words");
      entries_ = number_alone("entries");
      numbered_.promise(documents, words);
      while (next_line()) read_entry();
      if (read_ < entries_) {
        throw std::invalid_argument(
            fmt::format("the file ends after {} of the {} entries that it promises", read_, entries_));
      }
      require_plausible(numbered_, read_);
    } catch (const std::invalid_argument& error) {
      lines_.fail(std::max<std::int64_t>(lines_.number(), 1), error.what());
    }
    return std::move(numbered_);
  }

 private:
  std::int64_t number_alone(std::string_view what) {
    if (!lines_.next(line_)) throw std::invalid_argument(fmt::format("the number of {} is missing", what));
    split_at_blanks(line_, fields_);
    if (fields_.size() != 1)
      throw std::invalid_argument(fmt::format("expected the number of {} alone in its line", what));
    return whole_number(fields_[0]);
  }

  void read_entry() {
    if (read_ == entries_) {
      throw std::invalid_argument(
          fmt::format("there are more than the {} entries that the third line promises", entries_));
    }
    if (fields_.size() != 3) {
      throw std::invalid_argument(fmt::format("expected document, word and count, found {} fields", fields_.size()));
    }
    const std::int64_t document = place("document", fields_[0], numbered_.documents);
    numbered_.counts.add(document - 1, place("word", fields_[1], numbered_.words) - 1, count_in(fields_[2]));
    ++read_;
  }

  static std::int64_t place(std::string_view what, std::string_view text, std::int64_t most) {
    const std::int64_t number = whole_number(text);
    if (number >= 1 && number <= most) return number;
    throw std::invalid_argument(fmt::format("{} {} is not between 1 and {}", what, number, most));
  }

  bool next_line() {  // that says something
    while (lines_.next(line_)) {
      split_at_blanks(line_, fields_);
      if (!fields_.empty()) return true;
    }
    return false;
  }

  LineReader lines_;
  std::string line_;
  std::vector<std::string_view> fields_;
  Numbered numbered_;
  std::int64_t entries_ = 0, read_ = 0;
};

Numbered read_matrix(InputFile file) {
  Numbered numbered;
  const auto promise = [&numbered](const MatrixSize& size) { numbered.promise(size.rows, size.columns); };
  std::int64_t read = 0;
  const auto add = [&](const MatrixEntry& entry) {
    numbered.counts.add(entry.row - 1, entry.column - 1, count_in(entry.value));
    ++read;
  };
  read_matrix_market(std::move(file), {"counts of words", "documents are no words", promise, add});
  require_plausible(numbered, read);
  return numbered;
}

bool by_name(const DocumentSettings& settings) {  // are words told apart
  return settings.known != nullptr && !settings.known->names.empty() && !settings.vocabulary.empty();
}

void require_size(const std::string& name, std::int64_t words, const DocumentSettings& settings) {
  const auto named = std::ssize(settings.vocabulary);
  if (named > 0 && named != words) {
    throw DataError(fmt::format("{}: has {} words, and the vocabulary has {}", name, words, named));
  }
  if (settings.known != nullptr && !by_name(settings) && settings.known->size != words) {
    throw DataError(
        fmt::format("{}: has {} words, and the model knows {}: their numbers are not the same; a vocabulary "
                    "would tell which words they are",
                    name, words, settings.known->size));
  }
}

}  // namespace

DocumentsRead read_by(const KnownWords& known, DocumentsRead read) {
  Vocabulary numbers(known.names);
  const NamedCorpus& corpus = read.corpus;
  WordCounts counts;
  for (Index n = 0; n < corpus.counts.documents(); ++n) {
    const Document document = corpus.counts.document(n);
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      if (const auto number = numbers.number(corpus.words[document.words[i]]))
        counts.add(n, *number, document.counts[i]);
      else
        read.left_out += document.counts[i];
    }
  }
  read.corpus.counts = std::move(counts).corpus(corpus.counts.documents(), known.size);
  read.corpus.words = known.names;
  return read;
}

DocumentsRead read_numbered_documents(InputFile file, const DocumentSettings& settings, DocumentFormat format) {
  const bool matrix = format == DocumentFormat::matrix_market;
  DocumentsRead read;
  read.kind = matrix ? "MatrixMarket" : "UCI bag of words";
  read.corpus.source = file.name();
  read.corpus.words = settings.vocabulary;
  Numbered numbered = matrix ? read_matrix(std::move(file)) : BagOfWords(std::move(file)).read();
  require_size(read.corpus.source, numbered.words, settings);
  read.corpus.counts = std::move(numbered.counts).corpus(numbered.documents, numbered.words);
  if (settings.known == nullptr) return read;
  if (by_name(settings)) return read_by(*settings.known, std::move(read));
  read.corpus.words = settings.known->names;
  return read;
}

}  // namespace quasar
