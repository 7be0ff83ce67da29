// Small tables of ratings, and factorizations of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

#include "models/factorization/make_factorization.hpp"

namespace quasar::test {

inline const std::vector<std::string> hyperpriors = {"scalar", "diagonal", "wishart", "fixed"};

inline Config bpmf_config(const Settings& settings = {}) { return Config("bpmf", bpmf_params(), settings); }

// Pairs of about two thirds of a matrix, every user and item among them, in mixed order; normal ratings.
inline Table made_up_ratings(Index users, Index items) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < users; ++i) {
      if ((i + 2 * j) % 3 != 0) pairs.emplace_back(i, j);
    }
  }
  Table table{"ratings.csv", {"user", "item", "rating"}, Mat(std::ssize(pairs), 3), {}};
  Stream stream = Rng(11).stream("ratings");
  for (Index row = 0; row < table.rows(); ++row) {
    const auto [user, item] = pairs[static_cast<std::size_t>((row * 7) % std::ssize(pairs))];
    table.values.row(row) << static_cast<double>(user), static_cast<double>(item), 3 + stream.normal();
    table.lines.push_back(2 * row + 2);  // every second line, so that a row number cannot pass for a line number
  }
  return table;
}

inline Factorization factorization(const std::shared_ptr<const Ratings>& ratings, const Config& config) {
  const FactorizationSettings settings = factorization_settings(config);
  return {ratings, settings, make_row_prior(config, settings.width()), make_row_prior(config, settings.width())};
}

inline Factorization made_up_factorization(const Settings& settings, Index users = 5, Index items = 4) {
  const Config config = bpmf_config(settings);
  return factorization(make_ratings(made_up_ratings(users, items), config), config);
}

}  // namespace quasar::test
