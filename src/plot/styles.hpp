// Which colour, dashes and shape a series has, and what the legend says of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/figure.hpp>

#include "plot/marks.hpp"

namespace quasar {

struct LegendEntry {
  std::string text;
  Series::Mark mark;
  Style style;
};

class Styles {
 public:
  explicit Styles(const Figure& figure);
  Style of(const Series& series) const;
  std::string colour_of(const std::string& name) const;  // grey: no series has it
  std::vector<LegendEntry> legend() const;               // in order of appearance

 private:
  struct Name {
    std::string text;
    std::vector<const Series*> shown;  // the first of ours and the first printed one, those that there are
  };
  int number_of(const std::string& name) const;
  std::vector<Name> names_;
  std::span<const char* const> colours_;
};

}  // namespace quasar
