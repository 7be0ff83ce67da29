// A comparison as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "compare/comparison.hpp"

namespace quasar {

// One quantity of every run, as a table shows it: a row, since quantities are many and runs few.
struct QuantityRow {
  std::string name;
  std::string meaning;             // one sentence
  std::vector<std::string> cells;  // one per run; "-": not known
};

std::vector<QuantityRow> quantities_of(const Comparison& comparison);  // those that any run has

struct PlacedDifference {
  std::size_t parameter, run;
};

// Of all parameters and runs but the reference, those that differ most come first; undefined ones are left out.
std::vector<PlacedDifference> by_size(const Comparison& comparison);

std::string title_of(const Comparison& comparison);  // "logistic on heart.csv: nuts, hmc, sghmc"
std::string text_of(const Comparison& comparison, std::size_t most_differences);
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace quasar
