// Where the parts of a draw of a factorization are: sigma and what the priors record first, for they are what can be
// summarised; factors, which can turn, last.
#pragma once

#include <quasar/core.hpp>

#include "models/factorization/row_prior.hpp"

namespace quasar {

inline Index recorded_size(const RowPrior& prior) {
  Index size = 0;
  for (const Variable& variable : prior.variables("")) size += variable.size();
  return size;
}

struct RecordedOrder {
  Index sigma, user_prior, item_prior, user_bias, item_bias, user_factors, item_factors, size;  // where each begins

  struct Rows {
    Index users, items, rank;
    bool biases;
  };
  RecordedOrder(bool has_sigma, Index of_user_prior, Index of_item_prior, const Rows& rows)
      : sigma(0),
        user_prior(has_sigma ? 1 : 0),
        item_prior(user_prior + of_user_prior),
        user_bias(item_prior + of_item_prior),
        item_bias(user_bias + (rows.biases ? rows.users : 0)),
        user_factors(item_bias + (rows.biases ? rows.items : 0)),
        item_factors(user_factors + rows.users * rows.rank),
        size(item_factors + rows.items * rows.rank) {}
};

}  // namespace quasar
