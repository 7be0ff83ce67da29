// Documents in a packed form, which are read when they are asked for: a method that looks at a few at a time need not
// hold the corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <quasar/corpus.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

// The file appears whole or not at all. DataError
void write_packed_corpus(const std::filesystem::path& path, const NamedCorpus& corpus,
                         IfExists if_exists = IfExists::replace);

bool is_packed_corpus(const std::filesystem::path& path);  // by its first bytes; what is no regular file is not touched

struct PackedCorpus {
  std::shared_ptr<const DocumentSource> documents;  // read from the file. DataError: damaged, cut short meanwhile
  std::vector<std::string> words, titles;           // each may be empty
  std::int64_t nonzeros = 0;
  std::string content_hash;
};

// Reads the header alone. DataError: not a packed corpus, of a newer version, cut short, too long, or with a header
// that is damaged.
PackedCorpus open_packed_corpus(const std::filesystem::path& path);

// Reads all of it. DataError: as above, or the documents are damaged.
PackedCorpus verify_packed_corpus(const std::filesystem::path& path);

}  // namespace quasar
