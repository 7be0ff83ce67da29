// Documents as counts of words, from files of any kind, gzip or not:
//
//   UCI bag of words  three lines with the numbers of documents, words and entries, then "document word count", from 1
//   MatrixMarket      coordinate, real or integer, general: documents are rows, words columns
//   CSV               a word in each row with its document and count, or a text in each row
//   a folder          of texts, .txt or .txt.gz, a document each, in the order of their paths
//   lines             a text in each line
//
// The content tells which, never the name of the file, unless it is named. Counts are whole; what is counted twice is
// added up. Memory is proportional to the file, whatever its header promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/corpus.hpp>

#include "io/input_file.hpp"

namespace quasar {

enum class DocumentFormat { automatic, uci, matrix_market, csv, lines };

struct KnownWords {  // of a model
  Index size = 0;
  std::vector<std::string> names = {};  // empty: they have none
};

struct DocumentSettings {
  DocumentFormat format = DocumentFormat::automatic;
  // Names of numbered words; of texts, the words that are counted, and no others. Empty: none
  std::vector<std::string> vocabulary = {};
  const KnownWords* known = nullptr;  // documents are read by these words: all others are left out

  struct Columns {  // of CSV; empty: the usual ones, called so
    std::string document = {}, word = {}, count = {}, text = {};
  } columns = {};

  // Texts are divided into words by a tokenizer.
  std::int64_t min_length = 3;
  std::vector<std::string> stop_words = {};

  // Of words that are found, not given:
  std::int64_t min_documents = 1;  // that a word is in
  std::int64_t max_words = 0;      // the most frequent ones; 0: all
};

struct DocumentsRead {
  NamedCorpus corpus = {};
  std::string_view kind = {};  // "UCI bag of words"
  std::int64_t left_out = 0;   // tokens of words that are not in a vocabulary that was given
};

// DataError "file:line: cause"; UsageError: settings that do not fit the file.
DocumentsRead read_documents(const std::filesystem::path& path, const DocumentSettings& settings);
DocumentsRead read_documents(InputFile file, const DocumentSettings& settings);

// Documents in memory that are divided into words: no tokenizer sees them. DataError: a word is empty.
using DocumentWords = std::vector<std::vector<std::string>>;
DocumentsRead read_words(const DocumentWords& documents, const DocumentSettings& settings);

// Each kind by itself, for the above: words may be missing, and the hash is. Words that are found are ordered by how
// frequent they are, then by the alphabet.
DocumentsRead read_numbered_documents(InputFile file, const DocumentSettings& settings, DocumentFormat format);
DocumentsRead read_csv_documents(InputFile file, const DocumentSettings& settings);
DocumentsRead read_lines(InputFile file, const DocumentSettings& settings);
DocumentsRead read_text_folder(const std::filesystem::path& folder, const DocumentSettings& settings);

DocumentsRead read_by(const KnownWords& known, DocumentsRead read);  // other words with names are left out
DocumentsRead finished(DocumentsRead read);                          // with its hash. DataError: there are no words

// Of vocabulary, words and counts: the same from whichever file they came.
std::string content_hash(const NamedCorpus& corpus);

}  // namespace quasar
