#include "front/read_corpus.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include <quasar/errors.hpp>

#include "io/field_text.hpp"
#include "io/packed_corpus.hpp"
#include "io/packed_file.hpp"
#include "io/packed_ratings.hpp"
#include "io/packed_table.hpp"
#include "io/tokenizer.hpp"
#include "io/vocabulary.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 5> formats = {{{"auto"}, {"uci"}, {"matrix-market"}, {"csv"}, {"lines"}}};

DocumentFormat format_named(std::string_view name) {  // in the order of the enumeration
  std::size_t i = 0;
  while (formats[i].value != name) ++i;
  return static_cast<DocumentFormat>(i);
}

std::vector<std::string> stop_words_named(const std::string& name) {
  if (name == "none") return {};
  if (name == "english") return english_stop_words();
  return {read_text(name)};
}

// The file of a fit may be gone: the words in it are then unknown to the topics, and counted as such.
std::string stop_words_now(const std::string& of_fit) {
  std::error_code ignored;
  const bool there = of_fit == "none" || of_fit == "english" || std::filesystem::exists(of_fit, ignored);
  return there ? of_fit : "none";
}

DocumentSettings settings_in(const Config& config) {
  DocumentSettings settings{
      .format = format_named(config.text("format")),
      .columns = {config.text("document"), config.text("word"), config.text("count"), config.text("text")},
      .min_length = config.integer("min_length"),
      .stop_words = stop_words_named(config.text("stop_words")),
      .min_documents = config.integer("min_documents"),
      .max_words = config.integer("max_words")};
  const std::string& vocabulary = config.text("vocabulary");
  if (!vocabulary.empty()) settings.vocabulary = read_vocabulary(InputFile(vocabulary));
  return settings;
}

void refuse_other_packed_files(const std::string& path) {
  if (!is_packed_table(path) && !is_packed_ratings(path)) return;
  throw DataError(fmt::format("{}: holds a packed table or ratings, and no documents", path));
}

OpenCorpus opened(const std::string& path) {
  PackedCorpus packed = open_packed_corpus(path);
  return {std::move(packed.documents),
          std::move(packed.words),
          std::move(packed.titles),
          packed.nonzeros,
          path,
          std::move(packed.content_hash),
          "packed"};
}

OpenCorpus held_in_memory(DocumentsRead read) {
  NamedCorpus& corpus = read.corpus;
  const std::int64_t nonzeros = corpus.counts.nonzeros();
  return {std::make_shared<DocumentsInMemory>(std::move(corpus.counts)),
          std::move(corpus.words),
          std::move(corpus.documents),
          nonzeros,
          std::move(corpus.source),
          std::move(corpus.content_hash),
          read.kind,
          read.left_out};
}

// Two words of one name would be one word to whoever looks it up.
void require_different_words(const NamedCorpus& corpus) {
  std::vector<std::string_view> words(corpus.words.begin(), corpus.words.end());
  const auto twice = one_of_two_equal(words);
  if (twice) throw DataError(fmt::format("{}: has the word '{}' twice", corpus.source, shown(*twice)));
}

Corpus whole(const DocumentSource& documents) {
  std::vector<Index> all(static_cast<std::size_t>(documents.documents()));
  std::iota(all.begin(), all.end(), Index{0});
  Corpus corpus;
  documents.read(all, corpus);
  return corpus;
}

// Words are the same as those that are known; with names, others can be looked up.
bool has_words_of(const KnownWords& known, const OpenCorpus& corpus) {
  const bool named = !corpus.words.empty() && !known.names.empty();
  if (named ? corpus.words == known.names : corpus.documents->vocabulary() == known.size) return true;
  if (named) return false;
  throw DataError(fmt::format("{}: has {} words, and the model knows {}: their numbers are not the same", corpus.source,
                              corpus.documents->vocabulary(), known.size));
}

OpenCorpus by_words(const KnownWords& known, OpenCorpus corpus) {
  if (has_words_of(known, corpus)) return corpus;
  NamedCorpus counts{whole(*corpus.documents), std::move(corpus.words), std::move(corpus.titles), corpus.source};
  return held_in_memory(finished(read_by(known, {std::move(counts), corpus.kind})));
}

std::string note_on_words(std::int64_t left_out, std::int64_t there) {
  if (left_out == 0) return "";
  return fmt::format("{} of {} tokens are of words that the vocabulary does not have, and are left out", left_out,
                     left_out + there);
}

}  // namespace

std::span<const ParamSpec> corpus_params() {
  static constexpr ParamSpec params[] = {
      {.name = "format",
       .doc = "what the file is: auto looks into it; lines: a text in each line",
       .type = ParamSpec::choice,
       .init = "auto",
       .choices = formats},
      {.name = "vocabulary",
       .doc = "a file with one word a line: the names of numbered words, or the only words of texts to count",
       .type = ParamSpec::text},
      {.name = "document", .doc = "CSV: the column of documents or titles; default: document", .type = ParamSpec::text},
      {.name = "word",
       .doc = "CSV with a word in each row: the column of words; default: word",
       .type = ParamSpec::text},
      {.name = "count",
       .doc = "CSV with a word in each row: the column of counts; default: count, or each row counts once",
       .type = ParamSpec::text},
      {.name = "text",
       .doc = "CSV with a text in each row: the column of texts; default: text",
       .type = ParamSpec::text},
      {.name = "min_length",
       .doc = "texts: words have at least so many letters",
       .type = ParamSpec::integer,
       .init = "3",
       .min = 1,
       .max = 1000},
      {.name = "stop_words",
       .doc = "texts: words to leave out: english, none, or a file of them",
       .type = ParamSpec::text,
       .init = "english"},
      {.name = "min_documents",
       .doc = "leave out words that are in fewer documents, where no vocabulary is given",
       .type = ParamSpec::integer,
       .init = "1",
       .min = 1,
       .max = 1e15},
      {.name = "max_words",
       .doc = "keep the most frequent words alone, so many, where no vocabulary is given; 0: all",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 2147483647},
  };
  return params;
}

OpenCorpus read_corpus(const std::string& path, const Config& config) {
  if (is_packed_corpus(path)) return opened(path);
  refuse_other_packed_files(path);
  return held_in_memory(read_documents(path, settings_in(config)));
}

OpenCorpus read_corpus_by(const KnownWords& known, const std::string& path, const Config& config) {
  if (is_packed_corpus(path)) return by_words(known, opened(path));
  refuse_other_packed_files(path);
  DocumentSettings settings = settings_in(config);
  settings.known = &known;
  return held_in_memory(read_documents(path, settings));
}

OpenCorpus read_corpus(InputFile file, const Config& config) {
  return held_in_memory(read_documents(std::move(file), settings_in(config)));
}

OpenCorpus read_corpus_by(const KnownWords& known, InputFile file, const Config& config) {
  DocumentSettings settings = settings_in(config);
  settings.known = &known;
  return held_in_memory(read_documents(std::move(file), settings));
}

OpenCorpus read_corpus(const DocumentWords& documents, const Config& config) {
  return held_in_memory(read_words(documents, settings_in(config)));
}

OpenCorpus read_corpus_by(const KnownWords& known, const DocumentWords& documents, const Config& config) {
  DocumentSettings settings = settings_in(config);
  settings.known = &known;
  return held_in_memory(read_words(documents, settings));
}

OpenCorpus corpus_in_memory(NamedCorpus counts) {
  require_different_words(counts);
  return held_in_memory(finished({std::move(counts), "counts"}));
}

OpenCorpus corpus_in_memory_by(const KnownWords& known, NamedCorpus counts) {
  require_different_words(counts);
  return by_words(known, held_in_memory({std::move(counts), "counts"}));
}

Settings cut_as_fitted(const std::string& configuration, Settings given) {
  const nlohmann::json fit = nlohmann::json::parse(configuration, nullptr, false);
  if (!fit.is_object() || !fit.contains("documents")) return given;
  const nlohmann::json& reading = fit["documents"];
  const auto text = [&](const char* name) {
    return reading.contains(name) && reading[name].is_string() ? reading[name].get<std::string>() : std::string();
  };
  if (const std::string length = text("min_length"); !length.empty()) given.emplace("min_length", length);
  if (const std::string words = text("stop_words"); !words.empty()) given.emplace("stop_words", stop_words_now(words));
  return given;
}

DocumentsRead read_corpus_into_memory(const std::string& path, const Config& config) {
  if (is_packed_corpus(path)) throw DataError(fmt::format("{}: is packed already", path));
  refuse_other_packed_files(path);
  return read_documents(path, settings_in(config));
}

std::string corpus_in_words(const OpenCorpus& corpus) {
  return fmt::format("{} documents, {} words, {} tokens", corpus.documents->documents(), corpus.documents->vocabulary(),
                     corpus.documents->tokens());
}

std::string note_on_words(const OpenCorpus& corpus) {
  return note_on_words(corpus.left_out, corpus.documents->tokens());
}

std::string note_on_words(const DocumentsRead& read) {
  return note_on_words(read.left_out, read.corpus.counts.tokens());
}

}  // namespace quasar
