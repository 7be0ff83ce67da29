// bpmf: Bayesian matrix factorization of ratings (Salakhutdinov and Mnih 2008; Chen, Fox and Guestrin 2014):
//
//   y_ij ~ N(U_i'V_j + a_i + b_j, 1/tau),   rows (U_i, a_i) and (V_j, b_j) as in row_prior.hpp,   tau ~ Gamma,
//
// y the rating less its mean, over its range. Precisions, means and tau are drawn by Gibbs steps:
//
//   tau | rest ~ Gamma(shape + N/2, rate + sum e^2/2)   over all ratings.
//
// x = rows of users, rows of items (each U_i then a_i), h of users, h of items, log tau. With hyperprior=fixed the last
// three are not there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>
#include <quasar/row_sparse_sum.hpp>
#include <quasar/row_sweep.hpp>

#include "models/factorization/ratings.hpp"
#include "models/factorization/recorded_order.hpp"
#include "models/factorization/row_prior.hpp"

namespace quasar {

struct FactorizationSettings {
  Index rank = 10;
  bool biases = true;
  bool fixed = false;          // the priors of rows, and tau
  double noise_precision = 1;  // tau, where it is fixed
  double shape = 1, rate = 1;  // of tau's prior
  Index gibbs_every = 1;       // passes
  double start_sd = 0.03;
  Index width() const { return rank + (biases ? 1 : 0); }
};

struct FactorizationSetup {  // all but the ratings
  FactorizationSettings settings;
  std::unique_ptr<RowPrior> users, items;
};

class Factorization final : public RowSparseSum, public RowSweep {
 public:
  Factorization(std::shared_ptr<const Ratings> ratings, const FactorizationSettings& settings,
                std::unique_ptr<RowPrior> users, std::unique_ptr<RowPrior> items);
  Factorization(const Factorization& other);

  std::unique_ptr<Target> fork() const override { return std::make_unique<Factorization>(*this); }
  Index dim() const override;
  // sigma, the sd of a rating on its own scale; user_bias[user], item_bias[item]; user_factors[user, factor],
  // item_factors[item, factor]; what the priors of users and of items record: in the order of RecordedOrder.
  Layout layout() const override;
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  void draw_start(Out x, const Rng& rng) const override;
  ConstantData constant_data() const override { return ratings_->constant_data(); }
  std::span<const Conditional> conditionals() const override { return conditionals_; }
  void draw_conditional(Index i, In x, Out out, const Rng& rng) override;

  Index terms() const override { return std::ssize(ratings_->all); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;

  Index rows() const override;
  Index row_length() const override { return settings_.width(); }
  Index kinds() const override { return 2; }  // users, items
  Index kind_of(Index row) const override;
  void rows_of(std::span<const Index> ids, std::vector<Index>& rows) override;
  bool row_prior(In x, Index kind, Out mean, Out precision) override;

  void sweep(Vec& x, const SweepSettings& settings, const Rng& rng) override;

 private:
  using Rows = Eigen::Map<const Mat>;  // a column for each row of a side
  struct Side {                        // where one of them lies in x
    RowPrior* prior;
    const RatingsOfRows* ratings;
    Index first_row, rows, hyper;     // hyper: where h begins
    Index recorded, biases, factors;  // where its prior, biases and factors are in a draw
  };
  Side users() const;
  Side items() const;
  Side side(Index kind) const { return kind == 0 ? users() : items(); }
  Index factors() const { return rows() * row_length(); }  // coordinates of all rows
  Index log_tau() const { return dim() - 1; }              // where it is in x, unless it is fixed
  double tau(In x) const;
  Rows rows_at(In x, const Side& side) const;
  template <class Id>
  Eval add_ratings(In x, Index count, Id id, double weight, Out grad) const;  // id(i): the place of the i-th
  double all_squares(In x) const;
  void sweep_side(Vec& x, const Side& one, const Side& other, const SweepSettings& settings) const;

  std::shared_ptr<const Ratings> ratings_;
  FactorizationSettings settings_;
  std::unique_ptr<RowPrior> users_, items_;
  RecordedOrder recorded_;
  std::vector<Conditional> conditionals_;
  std::vector<std::uint32_t> seen_;  // of each row, in which call of rows_of it was last touched
  std::uint32_t calls_ = 0;
};

}  // namespace quasar
