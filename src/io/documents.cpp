#include "io/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <quasar/errors.hpp>

#include "core/fnv1a.hpp"
#include "io/csv_records.hpp"
#include "io/field_text.hpp"
#include "io/matrix_market.hpp"
#include "io/peek.hpp"

namespace quasar {
namespace {

std::string_view take_line(std::string_view& text) {  // without \n or \r\n; the rest stays
  std::string_view line = first_line(text);
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Three lines of one number each.
bool looks_like_uci(std::string_view head) {
  std::vector<std::string_view> words;
  for (int line = 0; line < 3; ++line) {
    const std::string_view text = take_line(head);
    split_at_blanks(text, words);
    if (words.size() != 1 || !is_whole_number(words[0])) return false;
  }
  return true;
}

// The first line as a header: has it the columns that are asked for, or else those that one would call so?
bool looks_like_csv(std::string_view head, const DocumentSettings::Columns& columns) {
  const auto given = {&columns.document, &columns.word, &columns.count, &columns.text};
  if (std::ranges::any_of(given, [](const std::string* name) { return !name->empty(); })) return true;
  std::vector<std::string_view> names;
  for (std::string_view rest = take_line(head); !rest.empty();) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    name = trim_blanks(name);
    if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
    names.push_back(name);
  }
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  return has("text") || (has("document") && has("word"));
}

DocumentFormat format_of(std::string_view head, const DocumentSettings& settings) {
  if (settings.format != DocumentFormat::automatic) return settings.format;
  if (head.starts_with(matrix_market_mark)) return DocumentFormat::matrix_market;
  if (looks_like_uci(head)) return DocumentFormat::uci;
  if (looks_like_csv(head, settings.columns)) return DocumentFormat::csv;
  return DocumentFormat::lines;
}

DocumentsRead read_as(DocumentFormat format, InputFile file, const DocumentSettings& settings) {
  switch (format) {
    case DocumentFormat::csv:
      return read_csv_documents(std::move(file), settings);
    case DocumentFormat::lines:
      return read_lines(std::move(file), settings);
    default:
      return read_numbered_documents(std::move(file), settings, format);
  }
}

template <class T>
std::uint64_t hashed(const std::vector<T>& values, std::uint64_t before) {
  const auto bytes = std::as_bytes(std::span(values));
  return fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, before);
}

}  // namespace

DocumentsRead read_documents(InputFile file, const DocumentSettings& settings) {
  const std::string name = file.name();
  auto [head, whole] = peek(std::move(file), 3);
  const DocumentFormat format = format_of(head, settings);
  try {
    return finished(read_as(format, std::move(whole), settings));
  } catch (const std::invalid_argument& error) {  // of the file, not of a line
    throw DataError(fmt::format("{}: {}", name, error.what()));
  }
}

DocumentsRead read_documents(const std::filesystem::path& path, const DocumentSettings& settings) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return read_documents(InputFile(path), settings);
  if (settings.format != DocumentFormat::automatic) {
    throw UsageError(fmt::format("{}: a folder has texts, a document in each file: its format is auto", path.string()));
  }
  return finished(read_text_folder(path, settings));
}

DocumentsRead finished(DocumentsRead read) {
  const Corpus& counts = read.corpus.counts;
  if (counts.nonzeros() == 0) {
    throw DataError(fmt::format("{}: no words in {} documents{}", read.corpus.source, counts.documents(),
                                read.left_out > 0 ? " that are in the vocabulary" : ""));
  }
  read.corpus.content_hash = content_hash(read.corpus);
  return read;
}

std::string content_hash(const NamedCorpus& corpus) {
  std::uint64_t hash = fnv1a(fmt::format("{} words:", corpus.counts.vocabulary));
  for (const std::string& word : corpus.words) hash = fnv1a(fmt::format("{}:{}", word.size(), word), hash);
  hash = hashed(corpus.counts.begin, hash);
  hash = hashed(corpus.counts.words, hash);
  return fmt::format("fnv1a64:{:016x}", hashed(corpus.counts.counts, hash));
}

}  // namespace quasar
