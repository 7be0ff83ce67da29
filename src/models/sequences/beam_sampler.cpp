#include "models/sequences/beam_sampler.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

#include "models/sequences/beam_emissions.hpp"

namespace quasar {
namespace {

constexpr double smallest = 1e-300;  // shares, concentrations and probabilities may underflow
constexpr double nowhere = -std::numeric_limits<double>::infinity();

Eigen::RowVectorXd dirichlet(Stream& draws, const Vec& shapes) {
  Vec out(shapes.size());
  draws.dirichlet(shapes.cwiseMax(smallest), out);
  return out.transpose();
}

// Row 0: which state each sequence starts in; then as transition_counts.
Mat counts_with_start(const Sequences& data, const BeamState& state) {
  Mat counts = Mat::Zero(state.count() + 1, state.count());
  for (Index s = 0; s < data.count(); ++s) {
    Index from = 0;
    for (Index t = data.starts[static_cast<std::size_t>(s)]; t < data.end(s); ++t) {
      const Index z = state.states[static_cast<std::size_t>(t)];
      counts(from, z) += 1;
      from = z + 1;
    }
  }
  return counts;
}

// The tables of a Chinese restaurant franchise: of the n_ij transitions so many opened a new one.
Vec tables(const Mat& counts, const BeamState& state, Stream draws) {
  Vec opened = Vec::Zero(counts.cols());
  for (Index j = 0; j < counts.cols(); ++j) {
    const double mass = state.alpha * state.shares[j];
    for (Index i = 0; i < counts.rows(); ++i) {
      const auto transitions = static_cast<Index>(counts(i, j));
      for (Index q = 0; q < transitions; ++q) {
        opened[j] += draws.uniform() * (mass + static_cast<double>(q)) < mass;
      }
    }
  }
  // The first customer of a dish always opens a table, also where the share is too small to say so.
  return opened.cwiseMax((counts.colwise().sum().array() > 0).cast<double>().matrix().transpose());
}

// Escobar and West (1995).
double draw_gamma(const BeamState& state, const GammaPrior& prior, double all_tables, Stream draws) {
  const auto states = static_cast<double>(state.count());
  const double rate = prior.rate - std::log(draws.beta(state.gamma + 1, all_tables));
  const double odds = (prior.shape + states - 1) / (all_tables * rate);
  const bool one_more = draws.uniform() * (1 + odds) < odds;
  return std::max(smallest, draws.gamma(prior.shape + states - (one_more ? 0 : 1)) / rate);
}

double draw_alpha(const BeamState& state, const GammaPrior& prior, const Mat& counts, double all_tables, Stream draws) {
  double shape = prior.shape + all_tables, rate = prior.rate;
  for (Index i = 0; i < counts.rows(); ++i) {
    const double n = counts.row(i).sum();
    if (n == 0) continue;
    rate -= std::log(draws.beta(state.alpha + 1, n));
    shape -= draws.uniform() * (n + state.alpha) < n;
  }
  return std::max(smallest, draws.gamma(shape) / rate);
}

void draw_rows(const Mat& counts, Stream draws, BeamState& state) {
  const Index states = state.count();
  state.transition.resize(states + 1, states + 1);
  for (Index i = 0; i <= states; ++i) {
    Vec shapes = state.alpha * state.shares;
    shapes.head(states) += counts.row(i).transpose();
    state.transition.row(i) = dirichlet(draws, shapes);
  }
}

void draw_centres(const StateSums& sums, const BeamOptions& options, Stream draws, BeamState& state) {
  for (Index k = 0; k < state.count(); ++k) {
    state.centres.col(k) = draw_centre(sums, k, options, state.variance, draws);
  }
}

Vec draw_slices(const Sequences& data, const BeamState& state, Stream draws) {
  Vec slices(data.size());
  for (Index s = 0; s < data.count(); ++s) {
    Index from = 0;
    for (Index t = data.starts[static_cast<std::size_t>(s)]; t < data.end(s); ++t) {
      const Index z = state.states[static_cast<std::size_t>(t)];
      slices[t] = draws.uniform() * state.transition(from, z);
      from = z + 1;
    }
  }
  return slices;
}

// Breaks a state off the rest, as long as a transition into the rest might be above a slice.
void add_states(const Sequences& data, const BeamOptions& options, double least_slice, Stream draws, BeamState& state) {
  const StateSums none{Mat::Zero(data.dim(), 1), Mat::Zero(data.dim(), 1), Mat::Zero(data.dim(), 1)};
  while (state.transition.col(state.count()).maxCoeff() > least_slice) {
    const Index k = state.count();
    if (k >= options.most_states) {
      throw RunError(fmt::format(
          "the infinite hidden Markov model needs more than {} states at once: allow more of them (most_states), or "
          "take priors with smaller alpha and gamma",
          options.most_states));
    }
    const double part = draws.beta(1, state.gamma);
    state.shares.conservativeResize(k + 2);
    state.shares[k + 1] = state.shares[k] * (1 - part);
    state.shares[k] *= part;
    state.transition.conservativeResize(k + 2, k + 2);
    for (Index i = 0; i <= k; ++i) {
      const double own = draws.beta(std::max(smallest, state.alpha * state.shares[k]),
                                    std::max(smallest, state.alpha * state.shares[k + 1]));
      state.transition(i, k + 1) = state.transition(i, k) * (1 - own);
      state.transition(i, k) *= own;
    }
    state.transition.row(k + 1) = dirichlet(draws, state.alpha * state.shares);
    state.centres.conservativeResize(Eigen::NoChange, k + 1);
    state.centres.col(k) = draw_centre(none, 0, options, state.variance, draws);
  }
}

// Forward filtering, backward sampling (Carter and Kohn 1994; Fruehwirth-Schnatter 1994) of a path whose transitions
// are above their slices. Probabilities are kept as logarithms: a state that is e^-1000 times as likely as another may
// be the only one that the next transition can leave.
class SlicedPath {
 public:
  SlicedPath(const Sequences& data, const BeamOptions& options, const Vec& slices, const BeamState& state)
      : transition_(state.transition.topLeftCorner(state.count() + 1, state.count()).transpose()),
        slices_(slices),
        filtered_(log_likelihoods(data, options, state)),
        likely_(state.count()),
        reached_(state.count()) {}

  void draw(Index begin, Index end, Stream& draws, Path& states) {
    for (Index k = 0; k < count(); ++k) {
      if (!is_live(start, k, begin)) filtered_(k, begin) = nowhere;
    }
    for (Index t = begin + 1; t < end; ++t) filter(t);
    for (Index t = end - 1; t >= begin; --t) {
      likely_ = filtered_.col(t);
      if (t + 1 < end) keep_those_that_reach(states[static_cast<std::size_t>(t + 1)], t);
      const double most = largest(likely_, t);
      for (double& p : likely_) p = p == nowhere ? 0 : std::exp(p - most);
      states[static_cast<std::size_t>(t)] = static_cast<int>(draws.categorical(likely_));
    }
  }

 private:
  static constexpr Index start = -1;
  static constexpr double log_smallest = -700;  // that of `smallest` and below, yet no exponential is denormal and slow
  static constexpr double exact = 1e-280;       // a sum above it does not miss terms below the smallest
  Index count() const { return transition_.rows(); }
  bool is_live(Index from, Index to, Index t) const { return transition_(to, from + 1) > slices_[t]; }

  static double largest(In log_probabilities, Index t) {
    const double most = log_probabilities.maxCoeff();
    if (std::isfinite(most)) return most;
    throw RunError(fmt::format(
        "point {} is impossible in every state: it is too far from all of them for the variance within a state",
        t + 1));
  }

  // F_t(k) = p(x_t | k) sum of F_{t-1}(j) over the j whose transition to k is above the slice.
  void filter(Index t) {
    const double most = largest(filtered_.col(t - 1), t - 1), slice = slices_[t];
    likely_ = (filtered_.col(t - 1).array() - most).max(log_smallest).exp();
    reached_.setZero();
    bool underflow = false;
    for (Index j = 0; j < count(); ++j) {
      const double* to = transition_.col(j + 1).data();
      const double weight = likely_[j];
      if (weight <= smallest) {
        underflow = underflow || filtered_(j, t - 1) > nowhere;
        continue;
      }
      for (Index k = 0; k < count(); ++k) reached_[k] += to[k] > slice ? weight : 0.0;
    }
    for (Index k = 0; k < count(); ++k) {
      filtered_(k, t) += reached_[k] > exact || !underflow ? std::log(reached_[k]) : log_reached(k, t) - most;
    }
  }

  double log_reached(Index k, Index t) const {
    double most = nowhere, sum = 0;
    for (Index j = 0; j < count(); ++j) {
      if (is_live(j, k, t)) most = std::max(most, filtered_(j, t - 1));
    }
    if (most == nowhere) return nowhere;
    for (Index j = 0; j < count(); ++j) {
      if (is_live(j, k, t)) sum += std::exp(filtered_(j, t - 1) - most);
    }
    return most + std::log(sum);
  }

  void keep_those_that_reach(Index next, Index t) {
    for (Index j = 0; j < count(); ++j) {
      if (!is_live(j, next, t + 1)) likely_[j] = nowhere;
    }
  }

  Mat transition_;  // (k, j + 1): from j to k; column 0: from the start
  const Vec& slices_;
  Mat filtered_;  // log F, a column for every point; at first the likelihoods
  Vec likely_, reached_;
};

void draw_path(const Sequences& data, const BeamOptions& options, const Vec& slices, Stream draws, BeamState& state) {
  SlicedPath path(data, options, slices, state);
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)];
    if (begin < data.end(s)) path.draw(begin, data.end(s), draws, state.states);
  }
}

// log p(z | alpha, beta): each row is a Dirichlet-multinomial law.
double log_path(const Mat& counts, const BeamState& state) {
  double log_p = 0;
  for (Index i = 0; i < counts.rows(); ++i) {
    log_p += std::lgamma(state.alpha) - std::lgamma(state.alpha + counts.row(i).sum());
    for (Index j = 0; j < counts.cols(); ++j) {
      const double mass = std::max(smallest, state.alpha * state.shares[j]);
      if (counts(i, j) > 0) log_p += std::lgamma(mass + counts(i, j)) - std::lgamma(mass);
    }
  }
  return log_p;
}

BeamState state_with(const Sequences& data, const BeamOptions& options, Path path, Index states, double variance) {
  BeamState state;
  state.alpha = options.alpha_prior.shape / options.alpha_prior.rate;
  state.gamma = options.gamma_prior.shape / options.gamma_prior.rate;
  state.variance = variance;
  state.states = std::move(path);
  state.shares = Vec::Constant(states + 1, 1 / static_cast<double>(states + 1));
  state.centres = Mat::Zero(data.dim(), states);
  return state;
}

}  // namespace

void drop_unused(BeamState& state) {
  std::vector<int> number(static_cast<std::size_t>(state.count()), -1);
  std::vector<Index> kept;
  for (int& z : state.states) {
    int& own = number[static_cast<std::size_t>(z)];
    if (own < 0) {
      own = static_cast<int>(kept.size());
      kept.push_back(z);
    }
    z = own;
  }
  const Index count = std::ssize(kept);
  Vec shares(count + 1);
  shares.head(count) = state.shares(kept);
  shares[count] = std::max(0.0, 1 - shares.head(count).sum());
  state.shares = shares;
  state.centres = Mat(state.centres(Eigen::all, kept));
  if (state.transition.size() == 0) return;
  std::vector<Index> rows{0};
  for (const Index k : kept) rows.push_back(k + 1);
  Mat transition(count + 1, count + 1);
  transition.leftCols(count) = state.transition(rows, kept);
  transition.col(count) = (1 - transition.leftCols(count).rowwise().sum().array()).max(0);
  state.transition = transition;
}

void beam_sweep(const Sequences& data, const BeamOptions& options, const Rng& rng, BeamState& state) {
  state.transition.resize(0, 0);  // integrated out of all that is drawn before the rows
  drop_unused(state);
  const Mat counts = counts_with_start(data, state);
  const Vec opened = tables(counts, state, rng.stream("tables"));
  const double all_tables = opened.sum();
  if (options.learn_concentrations) {
    state.alpha = draw_alpha(state, options.alpha_prior, counts, all_tables, rng.stream("alpha"));
    state.gamma = draw_gamma(state, options.gamma_prior, all_tables, rng.stream("gamma"));
  }
  Vec shapes(state.count() + 1);
  shapes << opened, state.gamma;
  Stream shares = rng.stream("shares");
  shares.dirichlet(shapes, state.shares);
  draw_rows(counts, rng.stream("rows"), state);
  draw_centres(state_sums(data, options, state), options, rng.stream("centres"), state);
  if (options.emission == Emission::normal && options.learn_variance) {
    state.variance = draw_variance(data, options, state, rng.stream("variance"));
  }
  const Vec slices = draw_slices(data, state, rng.stream("slices"));
  add_states(data, options, slices.minCoeff(), rng.stream("new states"), state);
  draw_path(data, options, slices, rng.stream("path"), state);
}

double log_joint(const Sequences& data, const BeamOptions& options, const BeamState& state) {
  return log_path(counts_with_start(data, state), state) +
         log_evidence(state_sums(data, options, state), options, state.variance);
}

BeamState initial_beam_state(const Sequences& data, const BeamOptions& options, Index states, double variance,
                             const Rng& rng) {
  Stream labels = rng.stream("labels");
  Path path;
  for (Index t = 0; t < data.size(); ++t) path.push_back(static_cast<int>(labels.index(states)));
  return state_with(data, options, std::move(path), states, variance);
}

BeamState beam_state_at(const Sequences& data, const BeamOptions& options, Path path, double variance) {
  const Index states = *std::ranges::max_element(path) + 1;
  return state_with(data, options, std::move(path), states, variance);
}

}  // namespace quasar
