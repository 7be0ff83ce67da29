// The mean of positive definite matrices, as people ask for it.
#pragma once

#include <vector>

#include "front/manifolds/solve.hpp"

namespace quasar {

struct SolvedMean : Solved {
  Mat mean;
  double variance = 0;  // the mean squared distance from it: the variance after Frechet
};

std::span<const ParamSpec> karcher_mean_params();
Config karcher_mean_config(const Settings& given);  // UsageError

// Interrupted before anything was found the mean is empty. DataError: no matrices, or one is not symmetric and positive
// definite or of another size. UsageError: a setting
SolvedMean karcher_mean(std::vector<Mat> matrices, const Settings& given = {}, const Watch& watch = {});

}  // namespace quasar
