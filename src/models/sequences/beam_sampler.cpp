#include "models/sequences/beam_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

constexpr double least_shape = 1e-300;  // of a Dirichlet law: shares may underflow

Eigen::RowVectorXd dirichlet(Stream& draws, const Vec& shapes) {
  Vec out(shapes.size());
  draws.dirichlet(shapes.cwiseMax(least_shape), out);
  return out.transpose();
}

// Forgets the states that no point is in; their shares go to the rest.
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
  Vec shares(std::ssize(kept) + 1);
  shares.head(std::ssize(kept)) = state.shares(kept);
  shares[std::ssize(kept)] = std::max(0.0, 1 - shares.head(std::ssize(kept)).sum());
  state.shares = shares;
  state.centres = Mat(state.centres(Eigen::all, kept));
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
      for (double q = 0; q < counts(i, j); ++q) opened[j] += draws.uniform() * (mass + q) < mass;
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
  return draws.gamma(prior.shape + states - (one_more ? 0 : 1)) / rate;
}

double draw_alpha(const BeamState& state, const GammaPrior& prior, const Mat& counts, double all_tables, Stream draws) {
  double shape = prior.shape + all_tables, rate = prior.rate;
  for (Index i = 0; i < counts.rows(); ++i) {
    const double n = counts.row(i).sum();
    if (n == 0) continue;
    rate -= std::log(draws.beta(state.alpha + 1, n));
    shape -= draws.uniform() * (n + state.alpha) < n;
  }
  return draws.gamma(shape) / rate;
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

void draw_centres(const Sequences& data, const BeamOptions& options, Stream draws, BeamState& state) {
  Mat sums = Mat::Zero(data.dim(), state.count()), observed = sums;
  for (Index t = 0; t < data.size(); ++t) {
    const Index z = state.states[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      if (std::isnan(data.values(i, t))) continue;
      sums(i, z) += data.values(i, t);
      observed(i, z) += 1;
    }
  }
  for (Index k = 0; k < sums.size(); ++k) {
    const double precision = observed.reshaped()[k] / state.variance + 1 / options.centre_variance;
    const double mean = (sums.reshaped()[k] / state.variance + options.mean / options.centre_variance) / precision;
    state.centres.reshaped()[k] = mean + draws.normal() / std::sqrt(precision);
  }
}

double draw_variance(const Sequences& data, const BeamOptions& options, Stream draws, const BeamState& state) {
  double squares = 0, values = 0;
  for (Index t = 0; t < data.size(); ++t) {
    const Index z = state.states[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      const double away = data.values(i, t) - state.centres(i, z);
      if (std::isnan(away)) continue;
      squares += away * away;
      values += 1;
    }
  }
  const GammaPrior& prior = options.precision_prior;
  return (prior.rate + squares / 2) / draws.gamma(prior.shape + values / 2);
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
  constexpr Index most_states = 250;
  while (state.count() < most_states && state.transition.col(state.count()).maxCoeff() > least_slice) {
    const Index k = state.count();
    const double part = draws.beta(1, state.gamma);
    state.shares.conservativeResize(k + 2);
    state.shares[k + 1] = state.shares[k] * (1 - part);
    state.shares[k] *= part;
    state.transition.conservativeResize(k + 2, k + 2);
    for (Index i = 0; i <= k; ++i) {
      const double own = draws.beta(std::max(least_shape, state.alpha * state.shares[k]),
                                    std::max(least_shape, state.alpha * state.shares[k + 1]));
      state.transition(i, k + 1) = state.transition(i, k) * (1 - own);
      state.transition(i, k) *= own;
    }
    state.transition.row(k + 1) = dirichlet(draws, state.alpha * state.shares);
    state.centres.conservativeResize(Eigen::NoChange, k + 1);
    for (Index i = 0; i < data.dim(); ++i) {
      state.centres(i, k) = options.mean + std::sqrt(options.centre_variance) * draws.normal();
    }
  }
}

void draw_path(const Sequences& data, const Vec& slices, Stream draws, BeamState& state) {
  const Index states = state.count();
  Mat filtered(states, data.size());
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], end = data.end(s);
    for (Index t = begin; t < end; ++t) {
      for (Index k = 0; k < states; ++k) {
        double reached = 0;
        if (t == begin) {
          reached = state.transition(0, k) > slices[t];
        } else {
          for (Index j = 0; j < states; ++j) {
            if (state.transition(j + 1, k) > slices[t]) reached += filtered(j, t - 1);
          }
        }
        const double far = divergence(Emission::normal, data.values.col(t), state.centres.col(k));
        filtered(k, t) = std::log(reached) - far / (2 * state.variance);
      }
      filtered.col(t) = (filtered.col(t).array() - filtered.col(t).maxCoeff()).exp();
      filtered.col(t) /= filtered.col(t).sum();
    }
    for (Index t = end - 1; t >= begin; --t) {
      Vec weights = filtered.col(t);
      if (t + 1 < end) {
        const Index next = state.states[static_cast<std::size_t>(t + 1)];
        for (Index j = 0; j < states; ++j) weights[j] *= state.transition(j + 1, next) > slices[t + 1];
      }
      state.states[static_cast<std::size_t>(t)] = static_cast<int>(draws.categorical(weights));
    }
  }
}

}  // namespace

void beam_sweep(const Sequences& data, const BeamOptions& options, const Rng& rng, BeamState& state) {
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
  draw_centres(data, options, rng.stream("centres"), state);
  if (options.learn_variance) state.variance = draw_variance(data, options, rng.stream("variance"), state);
  const Vec slices = draw_slices(data, state, rng.stream("slices"));
  add_states(data, options, slices.minCoeff(), rng.stream("new states"), state);
  draw_path(data, slices, rng.stream("path"), state);
}

BeamState initial_beam_state(const Sequences& data, const BeamOptions& options, Index states, double variance,
                             const Rng& rng) {
  BeamState state;
  state.alpha = options.alpha_prior.shape / options.alpha_prior.rate;
  state.gamma = options.gamma_prior.shape / options.gamma_prior.rate;
  state.variance = variance;
  Stream labels = rng.stream("labels");
  for (Index t = 0; t < data.size(); ++t) state.states.push_back(static_cast<int>(labels.index(states)));
  state.shares = Vec::Constant(states + 1, 1 / static_cast<double>(states + 1));
  state.centres = Mat::Zero(data.dim(), states);
  return state;
}

}  // namespace quasar
