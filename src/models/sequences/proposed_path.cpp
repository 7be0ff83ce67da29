#include "models/sequences/proposed_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/min_plus.hpp"

namespace quasar {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();

// Costs of transitions between the states of the present path and those that are opened on the way. Let n_i be the
// transitions that leave i, N the points.
class TransitionCosts {
 public:
  TransitionCosts(const AsympIhmmOptions& options, const PathStats& present, Index points, PathBound bound)
      : penalties_(options.penalties), counts_(present.counts), old_(present.size()), bound_(bound) {
    most_ = std::log(std::max(1.0, static_cast<double>(points - 1)));
  }

  double operator()(Index from, Index to) const {
    const bool from_old = from < old_, to_old = to < old_;
    if (from_old && to_old && counts_(from, to) > 0) {
      return -penalties_.lambda * std::log(counts_(from, to) / counts_.row(from).sum());
    }
    return bound_ == PathBound::published ? published(from, from_old) : safe(from, to, from_old, to_old);
  }

 private:
  // One transition more from a row of n of which the most frequent has m: lambda (log n + (m - 1) log(m / (m - 1))).
  double published(Index from, bool from_old) const {
    if (!from_old) return penalties_.lambda1;
    const double n = counts_.row(from).sum(), m = counts_.row(from).maxCoeff();
    const double others = m > 1 ? (m - 1) * std::log(m / (m - 1)) : 0;
    return penalties_.lambda * (std::log(std::max(n, 1.0)) + others) + penalties_.lambda1;
  }

  // m new transitions among n: their own cost is at most log N each, what they take from the others at most 1 each.
  double safe(Index from, Index to, bool from_old, bool to_old) const {
    double cost = penalties_.lambda * (most_ + (from_old ? 1 : 0)) + penalties_.lambda1;
    if (!to_old && (from_old || to != from)) cost += penalties_.lambda2;
    return cost;
  }

  const IhmmPenalties& penalties_;
  const Mat& counts_;
  Index old_;
  PathBound bound_;
  double most_ = 0;
};

class Proposal {
 public:
  Proposal(const Sequences& data, const AsympIhmmOptions& options, const PathStats& present, PathBound bound)
      : data_(data),
        options_(options),
        costs_(options, present, data.size(), bound),
        bound_(bound),
        stride_(static_cast<Index>(simd::min_plus_stride(static_cast<std::size_t>(options.most_states)))),
        centres_(data.dim(), options.most_states),
        from_(static_cast<std::size_t>(data.size() * options.most_states)) {
    for (const StateStats& state : present.states) {
      centres_.col(states_++) =
          (state.observed.array() > 0).select(state.sum.array() / state.observed.array().max(1), 0.0);
    }
    states_changed();
  }

  Path path() {
    Path path(static_cast<std::size_t>(data_.size()));
    for (Index s = 0; s < data_.count(); ++s) forward(data_.starts[static_cast<std::size_t>(s)], data_.end(s), path);
    return path;
  }

 private:
  void states_changed() {
    const Index stride = static_cast<Index>(simd::min_plus_stride(static_cast<std::size_t>(states_)));
    transition_ = Mat::Constant(stride, states_, impossible);
    for (Index j = 0; j < states_; ++j) {
      for (Index k = 0; k < states_; ++k) transition_(k, j) = costs_(j, k);
    }
    cheapest_entry_ = transition_.topRows(states_).rowwise().minCoeff();
  }

  Vec entry(Index point) const {
    Vec costs(states_);
    for (Index k = 0; k < states_; ++k) {
      costs[k] = divergence(options_.emission, data_.values.col(point), centres_.col(k));
    }
    return costs;
  }

  bool opens_state(const Vec& costs) const {
    const IhmmPenalties& p = options_.penalties;
    return states_ < options_.most_states && (costs + cheapest_entry_).minCoeff() > p.lambda1 + p.lambda2;
  }

  // From the point before to `point`, with a state more, whose centre is that point.
  void open_state(Index point, Vec& cost) {
    const IhmmPenalties& p = options_.penalties;
    Index best = 0;
    double least = impossible;
    for (Index k = 0; k < states_; ++k) {
      const double through = cost[k] + (bound_ == PathBound::published ? p.lambda1 + p.lambda2 : costs_(k, states_));
      if (through < least) least = through, best = k;
    }
    centres_.col(states_) = data_.values.col(point).array().isNaN().select(0.0, data_.values.col(point).array());
    birth_cost_ = least;
    birth_from_ = best;
  }

  void forward(Index begin, Index end, Path& path);

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  TransitionCosts costs_;
  PathBound bound_;
  Index stride_, states_ = 0;
  Mat centres_, transition_;
  Vec cheapest_entry_;
  double birth_cost_ = 0;
  Index birth_from_ = 0;
  std::vector<std::uint8_t> from_;
};

void Proposal::forward(Index begin, Index end, Path& path) {
  if (begin >= end) return;
  const auto width = static_cast<std::size_t>(options_.most_states);
  Vec cost = Vec::Constant(stride_, impossible), next = cost;
  cost.head(states_) = entry(begin);
  for (Index t = begin + 1; t < end; ++t) {
    Vec costs = entry(t);
    const bool opens = opens_state(costs);
    if (opens) open_state(t, cost);
    const Vec padded =
        (Vec(transition_.rows()) << costs, Vec::Constant(transition_.rows() - states_, impossible)).finished();
    std::uint8_t* pointers = from_.data() + static_cast<std::size_t>(t) * width;
    simd::min_plus({1, static_cast<std::size_t>(states_), padded.data(), transition_.data()}, cost.data(), pointers);
    if (!opens) continue;
    cost[states_] = birth_cost_;
    pointers[states_] = static_cast<std::uint8_t>(birth_from_);
    ++states_;
    states_changed();
  }
  Index state = 0;
  cost.head(states_).minCoeff(&state);
  for (Index t = end - 1; t >= begin; --t) {
    path[static_cast<std::size_t>(t)] = static_cast<int>(state);
    if (t > begin) state = from_[static_cast<std::size_t>(t) * width + static_cast<std::size_t>(state)];
  }
}

}  // namespace

Path proposed_path(const Sequences& data, const AsympIhmmOptions& options, const PathStats& present, PathBound bound) {
  return Proposal(data, options, present, bound).path();
}

}  // namespace quasar
