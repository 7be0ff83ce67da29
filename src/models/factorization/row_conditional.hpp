// A row given the rows of the other side and some ratings of it, drawn exactly: with features f_j = (V_j, 1) and
// residuals r_j = y_ij - b_j,
//
//   precision P = Lambda + tau sum_j f_j f_j',   mean P^-1 (Lambda mu + tau sum_j f_j r_j).
//
// Gibbs steps draw it for the rows that were fitted, and predictions for a user who comes with ratings later.
#pragma once

#include <cstdint>
#include <span>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/row_prior.hpp"

namespace quasar {

struct RowRatings {
  std::span<const std::int32_t> other;  // rows of the other side
  std::span<const double> value;
};

// One thread's scratch.
class RowConditional {
 public:
  RowConditional(Index rank, bool biases);

  // others: rows of the other side, a column each. temperature 0: the mean instead of a draw. out: w numbers; normals:
  // w standard normals.
  void draw(const RowLaw& law, double tau, const ConstRows& others, const RowRatings& ratings, double temperature,
            In normals, Out out);

 private:
  void add_squares(const ConstRows& others, const RowRatings& ratings);

  Index rank_;
  bool biases_;
  Mat features_, squares_, precision_;  // scratch
  Vec linear_;
};

}  // namespace quasar
