// Ratings that nobody has to store: row r is a function of the name alone, so that studies of scale need no file and
// each rank makes its own.
//
//   synthetic:USERSxITEMSxRATINGS   or   synthetic:USERSxITEMSxRATINGS:SEED
//
// The user at place p has the rows p R/U .. (p+1) R/U, rounded down, and its n items are one of each n-th of the items'
// places: no pair occurs twice and the rows are sorted as in a packed file (io/packed_ratings.hpp). The rating of place
// i by place p is
//
//   3 + w_p'h_i + e,   w, h of rank 5 with Var(w'h) = 1, Var(e) = 1/4,
//
// where all of w, h and e are uniform: bounded, and one block of random numbers serves a row.
#pragma once

#include <string_view>

#include <quasar/table.hpp>

namespace quasar {

inline constexpr std::string_view synthetic_mark = "synthetic:";

// Columns user, item (labels 1, 2, ...) and rating. The summaries are those of the law, not of the sample: no row is
// read for them. UsageError: the name makes no sense.
Table synthetic_ratings(std::string_view name);

}  // namespace quasar
