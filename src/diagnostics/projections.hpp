// Draws seen along directions: a sampler that is quick in every coordinate may still be slow in some mixture of them.
#pragma once

#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/run_data.hpp>

namespace quasar {

// Columns of standard normals, the same for the same dimension.
Mat random_directions(Index dim, Index count);

// x'd for every draw x (draws x chains), one matrix per column d. Whole draws of the layout are the vectors x.
std::vector<Mat> projected(std::span<const ChainDraws> chains, const Mat& directions);

// A direction in which nothing moves, or that is not finite, counts as 0.
double least_ess(std::span<const ChainDraws> chains, const Mat& directions);

}  // namespace quasar
