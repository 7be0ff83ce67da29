// What a fitted factorization says of pairs of a user and an item, given a draw: N(center + scale (U'V + a + b),
// sigma^2).
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/factorization/drawn_rows.hpp"

namespace quasar {

class FactorizationPredictor final : public Predictor {
 public:
  struct Pairs {
    std::vector<std::pair<Index, Index>> places;  // of user and item
    std::vector<double> observed;                 // empty: no ratings; NaN: not this one
  };
  FactorizationPredictor(const DrawnRows& rows, std::shared_ptr<const Pairs> pairs)
      : rows_(rows), pairs_(std::move(pairs)) {}

  std::unique_ptr<Predictor> fork() const override { return std::make_unique<FactorizationPredictor>(*this); }
  Index rows() const override { return std::ssize(pairs_->places); }
  std::span<const double> observed() const override { return pairs_->observed; }
  const KnownAndNew& known_and_new() const { return rows_.rows(); }

  void take(std::span<const double> draw, const Rng& rng) override;
  void predict(Index begin, Eigen::Ref<Mat> out) override;
  void log_density(Index begin, Out out) override;
  void replicate(Index begin, Out out) override;

 private:
  double expected(Index row) {
    const auto [user, item] = pairs_->places[static_cast<std::size_t>(row)];
    return rows_.expected(user, item);
  }

  DrawnRows rows_;
  std::shared_ptr<const Pairs> pairs_;
  Rng rng_{0};
};

// fold_in: ratings of newcomers; null: none. DataError
std::unique_ptr<FactorizationPredictor> make_factorization_predictor(const Config& config, const ConstantData& kept,
                                                                     const Table& table, const Table* fold_in);
std::unique_ptr<Predictor> make_bpmf_predictor(const Config& config, const ConstantData& kept, const Table& pairs);

// "3 users and 1 item are not in the training data"; empty: all are. Newcomers with ratings do not count.
std::string note_on_newcomers(const KnownAndNew& rows);

}  // namespace quasar
