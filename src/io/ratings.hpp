// Tables of ratings, gzip or not: a user, an item and a rating in each line, all that follows them is ignored.
//
//   separated by  commas, tabs, semicolons or '::': '::' where it makes three fields, else the one that the first line
//   has
//                 most of outside quotes; quotes as in csv.hpp
//   a header      is the first line if it has the names of user and item; else unless its third field is a number, or
//   its
//                 first two are; of two fields, unless one of them is a number
//   MatrixMarket  coordinate, real or integer, general: matrix_market.hpp
//
// The content tells which, never the name of the file. Users and items are labels, whatever they look like.
#pragma once

#include <quasar/table.hpp>

#include "io/input_file.hpp"
#include "io/rating_rows.hpp"

namespace quasar {

enum class RatingsFor { fitting, predicting };  // predicting: ratings may be missing, some of them or the whole column

// Columns user, item (both with levels) and rating, in this order, under the names they have in the file. wanted: the
// columns to take, where there is a header; empty ones are those called user, item and rating, or else the first, the
// second and the third. Without a header the first three, called user, item and rating when fitting, else as wanted.
// DataError "file:line: cause"; UsageError: when fitting, wanted columns are not there, or not three
Table read_ratings(InputFile file, const RatingNames& wanted, RatingsFor use);

}  // namespace quasar
