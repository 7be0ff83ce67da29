#include "models/sequences/viterbi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/min_plus.hpp"
#include "simd/squared_distances.hpp"

namespace quasar {
namespace {

// One pass over one sequence, from any of its points on.
class ForwardPass {
 public:
  explicit ForwardPass(const PathCosts& costs)
      : costs_(costs),
        states_(costs.first.size()),
        stride_(static_cast<Index>(simd::min_plus_stride(static_cast<std::size_t>(states_)))),
        transition_(Mat::Constant(stride_, states_, impossible)),
        entry_(Mat::Constant(stride_, costs_at_once, impossible)) {
    transition_.topRows(states_) = costs.transition.transpose();
  }

  Index states() const { return states_; }

  Vec start(Index point) {
    costs_.entry(point, entry_.topLeftCorner(states_, 1));
    Vec cost = Vec::Constant(stride_, impossible);
    cost.head(states_) = costs_.first + entry_.col(0).head(states_);
    return cost;
  }

  // From the costs at point begin - 1 to those at end - 1.
  void run(Index begin, Index end, Vec& cost, std::uint8_t* from) {
    for (Index t = begin; t < end; t += costs_at_once) {
      const Index count = std::min(costs_at_once, end - t);
      costs_.entry(t, entry_.topLeftCorner(states_, count));
      simd::min_plus(
          {static_cast<std::size_t>(count), static_cast<std::size_t>(states_), entry_.data(), transition_.data()},
          cost.data(), from + (t - begin) * states_);
    }
  }

 private:
  const PathCosts& costs_;
  Index states_, stride_;
  Mat transition_, entry_;  // a column for every state that is left; for every point
};

Index block_length(Index points, Index states, std::size_t most_bytes) {
  const auto bytes = static_cast<std::size_t>(points) * static_cast<std::size_t>(states);
  if (bytes <= most_bytes) return points;
  return std::max<Index>(static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(points)))), costs_at_once);
}

double path_of_sequence(ForwardPass& pass, Index begin, Index end, std::size_t most_bytes, Path& states) {
  const Index block = block_length(end - begin, pass.states(), most_bytes);
  std::vector<Vec> checkpoints;  // the costs at the last point before each block
  std::vector<std::uint8_t> from(static_cast<std::size_t>(block * pass.states()));
  Vec cost = pass.start(begin);
  for (Index t = begin + 1; t < end; t += block) {
    checkpoints.push_back(cost);
    pass.run(t, std::min(end, t + block), cost, from.data());
  }
  Index state = 0;
  const double least = cost.head(pass.states()).minCoeff(&state);
  states[static_cast<std::size_t>(end - 1)] = static_cast<int>(state);
  for (Index b = std::ssize(checkpoints) - 1; b >= 0; --b) {
    const Index first = begin + 1 + b * block, last = std::min(end, first + block);
    if (b + 1 < std::ssize(checkpoints)) pass.run(first, last, checkpoints[static_cast<std::size_t>(b)], from.data());
    for (Index t = last - 1; t >= first; --t) {
      state = from[static_cast<std::size_t>((t - first) * pass.states() + state)];
      states[static_cast<std::size_t>(t - 1)] = static_cast<int>(state);
    }
  }
  return least;
}

// All states at once: rows of centres, and of their logarithms, which are then taken once.
class Divergences {
 public:
  Divergences(const Sequences& data, Emission emission, const Mat& centres)
      : data_(data), emission_(emission), centres_(centres.transpose()) {
    if (emission != Emission::normal) logs_ = centres_.log();
  }

  void operator()(Index begin, Eigen::Ref<Mat> costs) const {
    if (emission_ == Emission::normal) return squares(begin, costs);
    costs.setZero();
    for (Index t = 0; t < costs.cols(); ++t) {
      for (Index i = 0; i < data_.dim(); ++i) {
        const double x = data_.values(i, begin + t);
        if (!std::isnan(x)) add(x, i, costs.col(t));
      }
    }
  }

 private:
  void squares(Index begin, Eigen::Ref<Mat> costs) const {
    simd::squared_distances(
        {static_cast<std::size_t>(costs.cols()), static_cast<std::size_t>(data_.dim()),
         static_cast<std::size_t>(costs.rows()), data_.values.data() + begin * data_.dim(), centres_.data()},
        costs.data(), static_cast<std::size_t>(costs.outerStride()));
  }

  // 0 log 0 = 0: the logarithm of a centre at 0 is not looked at where x is 0.
  void add(double x, Index i, Out to) const {
    if (emission_ == Emission::poisson) to.array() += centres_.col(i);
    if (x <= 0) return;
    if (emission_ == Emission::poisson) to.array() += x * std::log(x) - x;
    to.array() -= x * logs_.col(i);
  }

  const Sequences& data_;
  Emission emission_;
  Eigen::ArrayXXd centres_, logs_;
};

}  // namespace

EntryCosts divergences(const Sequences& data, Emission emission, const Mat& centres) {
  return Divergences(data, emission, centres);
}

CheapestPath viterbi(const Sequences& data, const PathCosts& costs, std::size_t most_bytes) {
  check_states(static_cast<int>(costs.first.size()));
  ForwardPass pass(costs);
  CheapestPath path{Path(static_cast<std::size_t>(data.size())), 0};
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], end = data.end(s);
    if (begin < end) path.cost += path_of_sequence(pass, begin, end, most_bytes, path.states);
  }
  return path;
}

}  // namespace quasar
