// Expected ratings of all items, fitted or new, for one user after another, by a factorization.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "models/factorization/drawn_rows.hpp"
#include "predict/recommend.hpp"

namespace quasar {

class FactorizationScores final : public ItemScores {
 public:
  explicit FactorizationScores(const DrawnRows& rows) : rows_(rows) {}

  std::unique_ptr<ItemScores> fork() const override { return std::make_unique<FactorizationScores>(*this); }
  Index items() const override { return std::ssize(rows_.rows().kept.items.labels) + rows_.rows().new_items.size(); }
  void take(std::span<const double> draw, const Rng& rng) override { rows_.take(draw, rng); }
  void score(Index user, Out out) override { rows_.expected_of_items(user, out); }
  double score(Index user, Index item) override { return rows_.expected(user, item); }

 private:
  DrawnRows rows_;
};

}  // namespace quasar
