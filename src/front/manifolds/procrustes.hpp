// The orthonormal matrix that takes one set of points nearest to another, as people ask for it.
#pragma once

#include "front/manifolds/solve.hpp"

namespace quasar {

struct SolvedProcrustes : Solved {
  Mat q;                // d x p with orthonormal columns
  double residual = 0;  // |A Q - B|
};

std::span<const ParamSpec> procrustes_params();
Config procrustes_config(const Settings& given);  // UsageError

// a: n x d, b: n x p, a row for each point. Interrupted before anything was found q is empty. DataError: shapes that do
// not fit, entries that are not finite.
SolvedProcrustes procrustes(const Mat& a, const Mat& b, const Settings& given = {}, const Watch& watch = {});

}  // namespace quasar
