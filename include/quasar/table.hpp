// quasar/table.hpp -- named numeric columns: what a model on data is given. Where they came from is io's business.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct Table {
  std::string source;               // for messages: a file name, or "memory"
  std::vector<std::string> names;   // one per column
  Mat values;                       // rows x columns, finite
  std::vector<std::int64_t> lines;  // line in the source of each row; empty: no lines
  std::string content_hash = {};    // of the source's bytes: tells two versions of a data set apart; empty: no source
  Index rows() const { return values.rows(); }
  Index columns() const { return values.cols(); }
};

}  // namespace quasar
