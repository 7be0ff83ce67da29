// Documents from files, for whoever fits topics to them or reads new ones by topics that were fitted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/corpus.hpp>

#include "io/documents.hpp"

namespace quasar {

struct OpenCorpus {
  std::shared_ptr<const DocumentSource> documents;  // in memory, or in a packed file
  std::vector<std::string> words, titles;           // each may be empty: they have no names
  std::int64_t nonzeros = 0;
  std::string source, content_hash;
  std::string_view kind;      // what the file was taken for: "UCI bag of words"
  std::int64_t left_out = 0;  // tokens of words that are not in the vocabulary that was given
};

// format, vocabulary, document, word, count, text, min_length, stop_words, min_documents, max_words
std::span<const ParamSpec> corpus_params();

// io/documents.hpp says what can be read; a packed corpus is opened, and its words are what they are. DataError,
// UsageError
OpenCorpus read_corpus(const std::string& path, const Config& config);

// New documents by the words of a model: those that it does not know are left out. Words without names, in the file or
// in the model, are taken by their numbers, of which there must be as many.
OpenCorpus read_corpus_by(const KnownWords& known, const std::string& path, const Config& config);

// The same of documents in memory: as a file would hold them (io/input_file.hpp), in words, or counted.
OpenCorpus read_corpus(InputFile file, const Config& config);
OpenCorpus read_corpus_by(const KnownWords& known, InputFile file, const Config& config);
OpenCorpus read_corpus(const DocumentWords& documents, const Config& config);
OpenCorpus read_corpus_by(const KnownWords& known, const DocumentWords& documents, const Config& config);
OpenCorpus corpus_in_memory(NamedCorpus counts);
OpenCorpus corpus_in_memory_by(const KnownWords& known, NamedCorpus counts);

// Settings for new texts by the words of a model: min_length and stop_words are those of its fit, whose configuration
// (TopicFitInfo) tells them, unless they are given.
Settings cut_as_fitted(const std::string& configuration, Settings given);

DocumentsRead read_corpus_into_memory(const std::string& path, const Config& config);  // what is packed is refused

// "60 documents, 812 words, 2100 tokens"
std::string corpus_in_words(const OpenCorpus& corpus);
// "12 of 2100 tokens are of words that the vocabulary does not have, and are left out"; empty: there is nothing to say.
std::string note_on_words(const OpenCorpus& corpus);
std::string note_on_words(const DocumentsRead& read);

}  // namespace quasar
