// A text as gzip writes it.
#pragma once

#include <zlib.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/temp_folder.hpp"

namespace quasar::test {

inline std::string gzipped(const std::string& text) {
  const TempFolder folder;
  const gzFile file = gzopen(folder.file("x.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(folder.file("x.gz"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace quasar::test
