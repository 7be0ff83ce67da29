// Combinations of the levels in an interaction. One that no row has would be a predictor that is 0 everywhere.
#pragma once

#include <string>
#include <vector>

#include <quasar/table.hpp>

#include "models/regression/formula.hpp"

namespace quasar {

inline constexpr double most_combinations = 10'000;

double combinations(const Formula& formula, const std::vector<Index>& term);  // of levels but the first
std::string term_name(const Formula& formula, const std::vector<Index>& term);
std::string shown(const Formula& formula, const LeftOut& combination);  // "sex=male:arm=low"

std::vector<LeftOut> combinations_never_met(const Formula& formula, const Table& table);

// DataError: a row has one that the model was not fitted to, and so has no coefficient for it.
void require_met_combinations(const Formula& formula, const Table& table);

}  // namespace quasar
