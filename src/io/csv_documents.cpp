// Documents in a table: a word in each row, or a text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <quasar/errors.hpp>

#include "io/csv_rows.hpp"
#include "io/documents.hpp"
#include "io/field_text.hpp"
#include "io/named_counts.hpp"

namespace quasar {
namespace {

class CsvDocuments {
 public:
  CsvDocuments(InputFile file, const DocumentSettings& settings)
      : records_(std::move(file)), columns_(settings.columns), counts_(settings) {}

  DocumentsRead read() {
    DocumentsRead read;
    read.corpus.source = records_.source().name();
    read_header();
    const auto text = texts_column();
    read.kind = text ? "CSV, a text in each row" : "CSV, a word in each row";
    try {
      if (text)
        read_texts(*text, read);
      else
        read_words(read);
    } catch (const std::invalid_argument& error) {
      records_.fail(error.what());
    }
    return read;
  }

 private:
  using Place = std::optional<std::size_t>;

  void read_header() {
    if (!records_.next()) throw DataError(fmt::format("{}: the file is empty", records_.source().name()));
    if (records_.blank())
      records_.fail("the first line is empty: a header line with the names of the columns is required");
    header_ = column_names(records_);
  }

  // Where a column is, asked for by its name or else called as usual. UsageError: what was asked for is not there.
  Place find(const std::string& wanted, const char* usual) const {
    const auto found = std::ranges::find(header_, wanted.empty() ? usual : wanted);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    if (wanted.empty()) return std::nullopt;
    throw UsageError(fmt::format("{}: there is no column '{}': there are {}", records_.source().name(), shown(wanted),
                                 names_there()));
  }

  std::size_t require(const std::string& wanted, const char* usual) const {
    if (const Place found = find(wanted, usual)) return *found;
    records_.fail(
        fmt::format("there is no column '{}': there are {}; a column of texts is named by text, others by "
                    "document, word and count",
                    usual, names_there()));
  }

  std::string names_there() const {
    constexpr std::size_t most = 20;
    std::vector<std::string> there;
    for (std::size_t i = 0; i < std::min(most, header_.size()); ++i) there.push_back(shown(header_[i]));
    return fmt::format("{}{}", fmt::join(there, ", "), header_.size() > most ? ", ..." : "");
  }

  Place texts_column() const {
    const bool of_words = !columns_.word.empty() || !columns_.count.empty();
    if (of_words && !columns_.text.empty()) {
      throw UsageError("a table has a text in each row or a word: not both text and word or count can be named");
    }
    return of_words ? std::nullopt : find(columns_.text, "text");
  }

  bool next_row() {
    if (!records_.next_filled()) return false;
    const std::size_t fields = records_.fields().size();
    if (fields != header_.size()) records_.fail(fmt::format("expected {} fields, found {}", header_.size(), fields));
    return true;
  }

  std::string_view field(std::size_t place) const { return trim_blanks(records_.fields()[place]); }

  std::string_view name_in(std::size_t place, std::string_view what) const {
    const std::string_view name = field(place);
    if (name.empty()) throw std::invalid_argument(fmt::format("the {} is missing", what));
    if (!is_utf8(std::string(name))) throw std::invalid_argument(fmt::format("the {} is not UTF-8 text", what));
    return name;
  }

  void read_texts(std::size_t text, DocumentsRead& read) {
    const Place title = find(columns_.document, "document");
    Index documents = 0;
    for (; next_row(); ++documents) {
      if (title) read.corpus.documents.emplace_back(name_in(*title, "document"));
      counts_.add_text(documents, field(text));
      counts_.end_document();
    }
    std::move(counts_).give(documents, read);
  }

  void read_words(DocumentsRead& read) {
    const std::size_t document = require(columns_.document, "document"), word = require(columns_.word, "word");
    const Place count = find(columns_.count, "count");  // without it, each row is one token
    Vocabulary titles;
    while (next_row()) {
      const Index number = *titles.number(name_in(document, "document"));
      counts_.add(number, name_in(word, "word"), count ? count_in(field(*count)) : 1);
    }
    read.corpus.documents = titles.words();
    std::move(counts_).give(std::ssize(read.corpus.documents), read);
  }

  CsvRecords records_;
  DocumentSettings::Columns columns_;
  std::vector<std::string> header_;
  NamedCounts counts_;
};

}  // namespace

DocumentsRead read_csv_documents(InputFile file, const DocumentSettings& settings) {
  return CsvDocuments(std::move(file), settings).read();
}

}  // namespace quasar
