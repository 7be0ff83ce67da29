#include "predict/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/blas_threads.hpp"
#include "core/running_moments.hpp"
#include "predict/chosen_draws.hpp"
#include "predict/forked_workers.hpp"
#include "predict/quantile.hpp"

namespace quasar {
namespace {

constexpr Index most_users = 4096;

bool by_interval(RankBy rank_by) { return rank_by == RankBy::lower || rank_by == RankBy::upper; }

// One user's candidates. Places are those among them.
class Ranking {
 public:
  Ranking(Index user, std::vector<Index> candidates)
      : user_(user),
        candidates_(std::move(candidates)),
        moments_(size()),
        in_top_(Vec::Zero(size())),
        lower_(Vec::Zero(size())),
        upper_(Vec::Zero(size())) {}

  Index user() const { return user_; }
  Index size() const { return std::ssize(candidates_); }
  const std::vector<Index>& places() const { return places_; }

  void add(In scores, Index top, Vec& own, std::vector<double>& order) {  // the last two: scratch
    if (size() == 0) return;
    own = scores(candidates_);
    moments_.add(own);
    order.assign(own.begin(), own.end());
    const auto last = order.begin() + std::min(top, size()) - 1;
    std::nth_element(order.begin(), last, order.end(), std::greater<>());
    in_top_ += (own.array() >= *last).cast<double>().matrix();
  }

  // Which candidates intervals are wanted of: some consecutive ones of the places.
  void prepare(std::vector<Index> places) { places_ = std::move(places); }
  void begin_intervals(Index first, Index count, Index draws) {
    first_ = std::min(first, std::ssize(places_));
    kept_.resize(draws, std::min(count, std::ssize(places_) - first_));
  }
  template <class ScoreOf>
  void keep(Index draw, ScoreOf&& score_of) {
    for (Index k = 0; k < kept_.cols(); ++k) kept_(draw, k) = score_of(item_at(place(k)));
  }
  void end_intervals(double interval) {
    const double tail = (1 - interval) / 2;
    for (Index k = 0; k < kept_.cols(); ++k) {
      auto column = kept_.col(k);
      const bool ordered = !column.hasNaN();
      if (ordered) std::sort(column.begin(), column.end());
      const std::span<const double> sorted(column.data(), static_cast<std::size_t>(column.size()));
      lower_[place(k)] = ordered ? quantile_of(sorted, tail) : std::numeric_limits<double>::quiet_NaN();
      upper_[place(k)] = ordered ? quantile_of(sorted, 1 - tail) : std::numeric_limits<double>::quiet_NaN();
    }
  }

  // The highest first; equal ones by their mean, then in the order of the items, as are those that are NaN.
  std::vector<Index> best(RankBy rank_by, Index top) const {
    const Vec& key = rank_by == RankBy::mean    ? moments_.mean()
                     : rank_by == RankBy::lower ? lower_
                     : rank_by == RankBy::upper ? upper_
                                                : in_top_;
    std::vector<Index> order(candidates_.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto value = [](double number) {
      return std::isnan(number) ? -std::numeric_limits<double>::infinity() : number;
    };
    const auto rank = [&](Index k) { return std::tuple(-value(key[k]), -value(moments_.mean()[k]), item_at(k)); };
    const auto before = [&](Index a, Index b) { return rank(a) < rank(b); };
    const Index count = std::min(top, size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
    order.resize(static_cast<std::size_t>(count));
    return order;
  }

  std::vector<Recommended> result(RankBy rank_by, Index top) const {
    const Vec variance = moments_.variance();
    const auto draws = static_cast<double>(moments_.count());
    std::vector<Recommended> all;
    for (const Index k : best(rank_by, top)) {
      all.push_back({item_at(k), moments_.mean()[k], std::sqrt(variance[k]), lower_[k], upper_[k], in_top_[k] / draws});
    }
    return all;
  }

 private:
  Index item_at(Index place) const { return candidates_[static_cast<std::size_t>(place)]; }
  Index place(Index k) const { return places_[static_cast<std::size_t>(first_ + k)]; }

  Index user_;
  std::vector<Index> candidates_;
  RunningMoments moments_;
  Vec in_top_, lower_, upper_;
  std::vector<Index> places_;
  Index first_ = 0;
  Mat kept_;  // draws x places
};

class Recommending {
 public:
  Recommending(const DrawSource& draws, Index values, const ItemScores& scores, const RecommendSettings& settings)
      : chosen_(draws, values, settings.most_draws),
        settings_(settings),
        items_(scores.items()),
        rng_(Rng(settings.seed).child("predict")),
        workers_(scores, settings.threads, most_users) {}

  Index draws() const { return chosen_.size(); }

  Index users_at_once() const {
    const Index intervals = by_interval(settings_.rank_by) ? items_ : std::min(settings_.top, items_);
    const Index numbers = 8 * items_ + draws() * intervals;
    return std::clamp<Index>(settings_.most_bytes / (Index{sizeof(double)} * std::max<Index>(1, numbers)), 1,
                             most_users);
  }

  void rank(std::vector<Ranking>& users) {
    each_draw(users, [&](Ranking& user, Index, ItemScores& scores, Scratch& scratch) {
      scores.score(user.user(), scratch.scores);
      user.add(scratch.scores, settings_.top, scratch.own, scratch.order);
    });
    Index most = 0;
    for (Ranking& user : users) {
      const Index wanted = by_interval(settings_.rank_by) ? user.size() : settings_.top;
      user.prepare(user.best(by_interval(settings_.rank_by) ? RankBy::mean : settings_.rank_by, wanted));
      most = std::max(most, std::ssize(user.places()));
    }
    const Index bytes = Index{sizeof(double)} * draws() * std::ssize(users);
    const Index at_once = std::clamp<Index>(settings_.most_bytes / bytes, 1, std::max<Index>(1, most));
    for (Index first = 0; first < most; first += at_once) find_intervals(users, first, at_once);
  }

 private:
  struct Scratch {
    Vec scores, own;
    std::vector<double> order;
  };

  void find_intervals(std::vector<Ranking>& users, Index first, Index count) {
    for (Ranking& user : users) user.begin_intervals(first, count, draws());
    const bool every_item = by_interval(settings_.rank_by);  // together, for they cost far less so
    each_draw(users, [&](Ranking& user, Index draw, ItemScores& scores, Scratch& scratch) {
      if (every_item) {
        scores.score(user.user(), scratch.scores);
        user.keep(draw, [&](Index item) { return scratch.scores[item]; });
      } else {
        user.keep(draw, [&](Index item) { return scores.score(user.user(), item); });
      }
    });
    workers_.each(users.size(), [&](ItemScores&, std::size_t i) { users[i].end_intervals(settings_.interval); });
  }

  template <class Use>
  void each_draw(std::vector<Ranking>& users, Use&& use) {
    chosen_.for_each_piece([&](Index first, const Mat& piece) {
      workers_.each(users.size(), [&](ItemScores& scores, std::size_t i) {
        Scratch scratch{Vec(items_), {}, {}};
        for (Index c = 0; c < piece.cols(); ++c) {
          const std::span<const double> draw(piece.col(c).data(), static_cast<std::size_t>(piece.rows()));
          scores.take(draw, rng_.at(static_cast<std::uint64_t>(chosen_.number(first + c))));
          use(users[i], first + c, scores, scratch);
        }
      });
    });
  }

  ChosenDraws chosen_;
  RecommendSettings settings_;
  Index items_;
  Rng rng_;
  ForkedWorkers<ItemScores> workers_;
};

}  // namespace

Index recommend(const DrawSource& draws, Index values, const ItemScores& scores, const RecommendedFor& wanted,
                const RecommendSettings& settings,
                const std::function<void(Index user, std::span<const Recommended>)>& use) {
  const SingleThreadedBlas pinned;
  Recommending work(draws, values, scores, settings);
  const Index count = std::ssize(wanted.users), at_once = work.users_at_once();
  for (Index begin = 0; begin < count; begin += at_once) {
    std::vector<Ranking> users;
    for (Index i = begin; i < std::min(begin + at_once, count); ++i) {
      const Index user = wanted.users[static_cast<std::size_t>(i)];
      users.emplace_back(user, wanted.candidates(user));
    }
    work.rank(users);
    for (const Ranking& user : users) use(user.user(), user.result(settings.rank_by, settings.top));
  }
  return work.draws();
}

}  // namespace quasar
