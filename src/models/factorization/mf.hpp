// mf: Gaussian matrix factorization with priors and noise that are given (Simsekli, Badeau, Cemgil and Richard 2016):
//
//   x_ij ~ N(w_i'h_j, noise_sd^2) on observed entries, less their mean;   w_ik ~ N(0, user_sd^2),   h_jk ~ N(0,
//   item_sd^2).
//
// It is a Factorization without biases, which is made of all ratings when somebody first asks for a density. Samplers
// that cut the ratings into blocks never do, and load their blocks instead.
//
// x = rows of users, rows of items, in the order of labels; recorded as they are.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/factorization/factorization.hpp"
#include "models/factorization/rating_blocks.hpp"
#include "models/factorization/sorted_ratings.hpp"

namespace quasar {

class BlockedMf final : public RowSparseSum, public RowSweep, public BlockedFactorization {
 public:
  BlockedMf(SortedRatings ratings, bool center, const BlockedFactorizationSettings& settings);
  BlockedMf(const BlockedMf& other);

  const BlockedFactorizationSettings& settings() const override { return settings_; }
  std::shared_ptr<const RatingBlocks> load_blocks(Exchange& exchange) const override;

  std::unique_ptr<Target> fork() const override { return std::make_unique<BlockedMf>(*this); }
  Index dim() const override { return rows() * settings_.rank; }
  Layout layout() const override;  // user_factors[user, factor], item_factors[item, factor]
  void draw_start(Out x, const Rng& rng) const override;
  ConstantData constant_data() const override;

  Index terms() const override { return data_->ratings.size(); }
  Eval prior(In x, Out grad, Want want) override { return whole().prior(x, grad, want); }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override {
    return whole().add_terms(x, ids, weight, grad, want);
  }
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override {
    return whole().add_range(x, begin, end, weight, grad, want);
  }

  Index rows() const override { return users() + items(); }
  Index row_length() const override { return settings_.rank; }
  Index kinds() const override { return 2; }  // users, items
  Index kind_of(Index row) const override { return row < users() ? 0 : 1; }
  void rows_of(std::span<const Index> ids, std::vector<Index>& rows) override { whole().rows_of(ids, rows); }
  bool row_prior(In x, Index kind, Out mean, Out precision) override {
    return whole().row_prior(x, kind, mean, precision);
  }

  void sweep(Vec& x, const SweepSettings& settings, const Rng& rng) override { whole().sweep(x, settings, rng); }

 private:
  struct Data {  // of all forks
    SortedRatings ratings;
    double center;
    std::mutex mutex;  // of what follows, which is made when it is first wanted
    std::shared_ptr<const Ratings> whole = {};
    std::map<std::pair<int, int>, std::weak_ptr<const RatingBlocks>> blocks =
        {};  // of a rank and so many ranks, while a chain has them
  };
  Index users() const { return std::ssize(data_->ratings.users); }
  Index items() const { return std::ssize(data_->ratings.items); }
  Factorization& whole();

  std::shared_ptr<Data> data_;
  BlockedFactorizationSettings settings_;
  std::unique_ptr<Factorization> whole_;
};

std::span<const ParamSpec> mf_params();
FactorizationSetup mf_setup(const Config& config);  // as a Factorization: no biases, all given
std::unique_ptr<Target> make_mf(const Config& config, const Table* data);

}  // namespace quasar
