// Principal components, as people ask for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/table.hpp>

#include "front/manifolds/solve.hpp"

namespace quasar {

struct PcaData {
  std::vector<std::string> names;           // of the variables; empty: they have none
  Mat columns;                              // d x N, one observation in each column; empty where they are stored
  std::shared_ptr<const RowSource> stored;  // rows that are read block by block, in every pass
};
PcaData pca_data(Table table);  // of numbers; DataError: labels

struct SolvedPca : Solved {
  Mat components;    // d x k: orthonormal, by falling variance; the largest entry of each is positive
  Vec variances;     // along each, with N - 1 below the sum; N where columns are not centred
  double total = 0;  // variance of all the data
  Vec mean, scale;   // what was subtracted from the variables, and what they were divided by
  Index rows = 0;
  Index rank = 0;  // how many of the variances are not zero up to rounding
};

std::span<const ParamSpec> pca_params();
Config pca_config(const Settings& given);  // UsageError

// Interrupted before anything was found there are no components. DataError: no rows, one row to centre, an entry that
// is not finite, a constant column to scale. UsageError: a setting
SolvedPca pca(PcaData data, const Settings& given = {}, const Watch& watch = {});

}  // namespace quasar
