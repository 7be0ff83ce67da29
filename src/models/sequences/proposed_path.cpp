#include "models/sequences/proposed_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/min_plus.hpp"

namespace quasar {
namespace {

constexpr Index first_look = 8;  // points behind an opening, where another one is likely: costs of which are lost

// Costs of transitions between the states of the present path and those that are opened on the way. Let n_i be the
// transitions that leave i, N the points.
class TransitionCosts {
 public:
  TransitionCosts(const AsympIhmmOptions& options, const PathStats& present, Index points, PathBound bound)
      : penalties_(options.penalties),
        counts_(present.counts),
        leaving_(present.counts.rowwise().sum()),
        bound_(bound),
        most_(std::log(std::max(1.0, static_cast<double>(points - 1)))) {}

  bool is_old(Index state) const { return state < counts_.rows(); }

  double operator()(Index from, Index to) const {
    if (is_old(from) && is_old(to) && counts_(from, to) > 0) {
      return -penalties_.lambda * std::log(counts_(from, to) / leaving_[from]);
    }
    return bound_ == PathBound::published ? published(from) : safe(from, to);
  }

  // To a state that nobody has been in before.
  double opening(Index from, Index opened) const {
    return bound_ == PathBound::published ? penalties_.lambda1 + penalties_.lambda2 : (*this)(from, opened);
  }

  // To begin a sequence: in the bound, a state that was opened in another one has to be paid here.
  double first(Index state) const { return bound_ == PathBound::published || is_old(state) ? 0 : penalties_.lambda2; }

 private:
  // One transition more from a row of n of which the most frequent has m: lambda (log n + (m - 1) log(m / (m - 1))).
  double published(Index from) const {
    if (!is_old(from)) return penalties_.lambda1;
    const double n = leaving_[from], m = counts_.row(from).maxCoeff();
    const double others = m > 1 ? (m - 1) * std::log(m / (m - 1)) : 0;
    return penalties_.lambda * (std::log(std::max(n, 1.0)) + others) + penalties_.lambda1;
  }

  // m new transitions among n: their own cost is at most log N each, what they take from the others at most 1 each.
  double safe(Index from, Index to) const {
    const double cost = penalties_.lambda * (most_ + (is_old(from) ? 1 : 0)) + penalties_.lambda1;
    return is_old(to) || to == from ? cost : cost + penalties_.lambda2;
  }

  const IhmmPenalties& penalties_;
  const Mat& counts_;
  Vec leaving_;
  PathBound bound_;
  double most_;
};

// Consecutive points with the same states, run through at once. Where each came from takes a byte for every state.
struct Run {
  Index begin, count, states;
  std::vector<std::uint8_t> from;
  Index opened_from = 0;  // at the last point: from where state number `states` is entered for the first time
};

class Proposal {
 public:
  Proposal(const Sequences& data, const AsympIhmmOptions& options, const PathStats& present, PathBound bound)
      : data_(data),
        options_(options),
        middle_(present.middle),
        costs_(options, present, data.size(), bound),
        centres_(centres_of(options.emission, present)) {
    states_changed();
  }

  Path path() {
    Path path(static_cast<std::size_t>(data_.size()));
    for (Index s = 0; s < data_.count(); ++s) {
      const Index begin = data_.starts[static_cast<std::size_t>(s)], end = data_.end(s);
      if (begin < end) path[static_cast<std::size_t>(begin)] = static_cast<int>(backward(forward(begin, end), path));
    }
    return path;
  }

 private:
  Index states() const { return centres_.cols(); }

  void states_changed() {
    const auto stride = static_cast<Index>(simd::min_plus_stride(static_cast<std::size_t>(states())));
    transition_ = Mat::Constant(stride, states(), impossible);
    for (Index j = 0; j < states(); ++j) {
      for (Index k = 0; k < states(); ++k) transition_(k, j) = costs_(j, k);
    }
    cheapest_entry_ = transition_.topRows(states()).rowwise().minCoeff();
    entry_ = Mat::Constant(stride, costs_at_once, impossible);
    divergences_ = divergences(data_, options_.emission, centres_);
  }

  // A point of counts or categories is at the edge of what a centre can be, infinitely far from other points: the
  // centre of a new state is half way to the middle.
  Vec opened_centre(Index point) const {
    const double share = options_.emission == Emission::normal ? 1 : 0.5;
    const auto values = data_.values.col(point).array();
    return values.isNaN().select(middle_.array(), share * values + (1 - share) * middle_.array());
  }

  double divergence_when_opened(Index point) const {
    return divergence(options_.emission, data_.values.col(point), opened_centre(point));
  }

  // The first of the points whose costs are in entry_ that is too far from everything.
  Index opening_point(Index begin, Index count) const {
    if (states() >= options_.most_states) return count;
    const double enough = options_.penalties.lambda1 + options_.penalties.lambda2;
    for (Index t = 0; t < count; ++t) {
      const double least = (entry_.col(t).head(states()) + cheapest_entry_).minCoeff();
      if (least > enough && least > enough + divergence_when_opened(begin + t)) return t;
    }
    return count;
  }

  void run(Index begin, Index column, Index count);
  void open_state(Index point, Index column);
  Index forward(Index begin, Index end);
  Index backward(Index state, Path& path) const;

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  const Vec& middle_;
  TransitionCosts costs_;
  Mat centres_, transition_, entry_;
  Vec cheapest_entry_;
  EntryCosts divergences_;
  Vec cost_;  // of the cheapest path to each state
  std::vector<Run> runs_;
};

// Through the points whose costs are the columns of entry_ from `column` on.
void Proposal::run(Index begin, Index column, Index count) {
  Run& next = runs_.emplace_back(Run{begin, count, states(), {}});
  next.from.resize(static_cast<std::size_t>(count * states()));
  simd::min_plus({static_cast<std::size_t>(count), static_cast<std::size_t>(states()), entry_.col(column).data(),
                  transition_.data()},
                 cost_.data(), next.from.data());
}

void Proposal::open_state(Index point, Index column) {
  const Index opened = states();
  Vec through(opened);
  for (Index k = 0; k < opened; ++k) through[k] = cost_[k] + costs_.opening(k, opened);
  Index from = 0;
  const double least = through.minCoeff(&from);
  run(point, column, 1);
  runs_.back().opened_from = from;
  centres_.conservativeResize(Eigen::NoChange, opened + 1);
  centres_.col(opened) = opened_centre(point);
  states_changed();
  cost_.conservativeResize(transition_.rows());
  cost_.tail(cost_.size() - opened).setConstant(impossible);
  cost_[opened] = least + divergence(options_.emission, data_.values.col(point), centres_.col(opened));
}

// The last state of the cheapest path through a sequence.
Index Proposal::forward(Index begin, Index end) {
  runs_.clear();
  divergences_(begin, entry_.topLeftCorner(states(), 1));
  cost_ = entry_.col(0);
  for (Index k = 0; k < states(); ++k) cost_[k] += costs_.first(k);
  Index ahead = first_look;
  for (Index t = begin + 1; t < end;) {
    const Index count = std::min(ahead, end - t);
    divergences_(t, entry_.topLeftCorner(states(), count));
    const Index until = opening_point(t, count);
    run(t, 0, until);
    t += until;
    ahead = until < count ? first_look : std::min(2 * ahead, costs_at_once);
    if (until < count) open_state(t++, until);
  }
  Index state = 0;
  cost_.head(states()).minCoeff(&state);
  return state;
}

// From the state of the last point to that of the first, which is not in any run.
Index Proposal::backward(Index state, Path& path) const {
  for (Index r = std::ssize(runs_) - 1; r >= 0; --r) {
    const Run& last = runs_[static_cast<std::size_t>(r)];
    for (Index t = last.count - 1; t >= 0; --t) {
      path[static_cast<std::size_t>(last.begin + t)] = static_cast<int>(state);
      state = state == last.states ? last.opened_from : last.from[static_cast<std::size_t>(t * last.states + state)];
    }
  }
  return state;
}

}  // namespace

Path proposed_path(const Sequences& data, const AsympIhmmOptions& options, const PathStats& present, PathBound bound) {
  return Proposal(data, options, present, bound).path();
}

}  // namespace quasar
