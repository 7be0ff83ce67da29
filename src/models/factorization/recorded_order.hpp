// Where the parts of a draw of a factorization are. Factors can turn, and with them what a prior says of each of their
// columns: that comes last. What can be summarised, sigma, single precisions and biases, comes first.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <quasar/core.hpp>

#include "models/factorization/row_prior.hpp"

namespace quasar {

inline Index recorded_size(const RowPrior& prior) {
  Index size = 0;
  for (const Variable& variable : prior.variables("")) size += variable.size();
  return size;
}

struct RecordedOrder {
  Index sigma = 0, user_prior, item_prior, user_bias, item_bias, user_factors, item_factors, size;  // where each begins
  bool priors_turn;  // and follow the biases

  struct Rows {
    Index users, items, rank;
    bool biases;
  };
  RecordedOrder(bool has_sigma, const RowPrior& user, const RowPrior& item, const Rows& rows)
      : priors_turn(turns(user)) {
    Index next = has_sigma ? 1 : 0;
    const auto take = [&next](Index count) { return std::exchange(next, next + count); };
    const auto take_priors = [&] { user_prior = take(recorded_size(user)), item_prior = take(recorded_size(item)); };
    if (!priors_turn) take_priors();
    user_bias = take(rows.biases ? rows.users : 0);
    item_bias = take(rows.biases ? rows.items : 0);
    if (priors_turn) take_priors();
    user_factors = take(rows.users * rows.rank);
    item_factors = take(rows.items * rows.rank);
    size = next;
  }

 private:
  static bool turns(const RowPrior& prior) {
    const auto variables = prior.variables("");
    return std::ranges::any_of(variables, [](const Variable& one) { return !one.dims.empty(); });
  }
};

// The variables of a draw, in that order.
inline std::vector<Variable> recorded_variables(bool has_sigma, const RowPrior& user, const RowPrior& item,
                                                const RecordedOrder::Rows& rows) {
  std::vector<Variable> all;
  const auto add_priors = [&] {
    for (Variable& variable : user.variables("user")) all.push_back(std::move(variable));
    for (Variable& variable : item.variables("item")) all.push_back(std::move(variable));
  };
  const bool priors_turn = RecordedOrder(has_sigma, user, item, rows).priors_turn;
  if (has_sigma) all.push_back({"sigma", {}, {}});
  if (!priors_turn) add_priors();
  if (rows.biases) {
    all.push_back({"user_bias", {rows.users}, {"user"}});
    all.push_back({"item_bias", {rows.items}, {"item"}});
  }
  if (priors_turn) add_priors();
  all.push_back({"user_factors", {rows.users, rows.rank}, {"user", "factor"}});
  all.push_back({"item_factors", {rows.items, rows.rank}, {"item", "factor"}});
  return all;
}

}  // namespace quasar
