// Texts: a document in each line of a file, or in each file of a folder; or their words, one by one.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <quasar/errors.hpp>

#include "io/documents.hpp"
#include "io/line_reader.hpp"
#include "io/named_counts.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

bool is_text_file(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return (name.ends_with(".txt") || name.ends_with(".txt.gz")) && entry.is_regular_file();
}

std::vector<std::string> text_files_in(const fs::path& folder) {  // relative to it, in the order of their bytes
  std::vector<std::string> files;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (is_text_file(entry)) files.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  } catch (const fs::filesystem_error& error) {
    throw DataError(fmt::format("{}: cannot be read: {}", folder.string(), error.code().message()));
  }
  if (files.empty()) throw DataError(fmt::format("{}: there are no files *.txt in this folder", folder.string()));
  std::ranges::sort(files);
  return files;
}

}  // namespace

DocumentsRead read_lines(InputFile file, const DocumentSettings& settings) {
  DocumentsRead read;
  read.kind = "a text in each line";
  read.corpus.source = file.name();
  LineReader lines(std::move(file));
  NamedCounts counts(settings);
  Index documents = 0;
  try {
    for (std::string line; lines.next(line); ++documents) {
      counts.add_text(documents, line);
      counts.end_document();
    }
  } catch (const std::invalid_argument& error) {
    lines.fail(lines.number(), error.what());
  }
  std::move(counts).give(documents, read);
  return read;
}

DocumentsRead read_text_folder(const fs::path& folder, const DocumentSettings& settings) {
  DocumentsRead read;
  read.kind = "texts in files";
  read.corpus.source = folder.string();
  NamedCounts counts(settings);
  read.corpus.documents = text_files_in(folder);
  for (Index document = 0; document < std::ssize(read.corpus.documents); ++document) {
    LineReader lines(InputFile(folder / read.corpus.documents[static_cast<std::size_t>(document)]));
    try {
      for (std::string line; lines.next(line);) counts.add_text(document, line);
      counts.end_document();
    } catch (const std::invalid_argument& error) {
      lines.fail(lines.number(), error.what());
    }
  }
  std::move(counts).give(std::ssize(read.corpus.documents), read);
  return read;
}

DocumentsRead read_words(const DocumentWords& documents, const DocumentSettings& settings) {
  DocumentsRead read;
  read.kind = "words";
  read.corpus.source = "documents";
  NamedCounts counts(settings);
  Index document = 0;
  try {
    for (; document < std::ssize(documents); ++document) {
      for (const std::string& word : documents[static_cast<std::size_t>(document)]) {
        if (word.empty()) throw std::invalid_argument("a word is empty");
        counts.add(document, word, 1);
      }
      counts.end_document();
    }
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("document {}: {}", document + 1, error.what()));
  }
  std::move(counts).give(document, read);
  return finished(std::move(read));
}

}  // namespace quasar
