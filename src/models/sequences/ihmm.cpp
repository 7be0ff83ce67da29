#include "models/sequences/ihmm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

enum Scalar : Index { alpha, gamma, variance, shares_begin };

// Equal columns get equal numbers, in the order in which they appear.
Path numbered(const Eigen::Ref<const Mat>& columns) {
  std::map<std::vector<double>, int> numbers;
  Path path;
  for (const auto& column : columns.colwise()) {
    const auto next = static_cast<int>(numbers.size());
    path.push_back(numbers.emplace(std::vector<double>(column.begin(), column.end()), next).first->second);
  }
  return path;
}

double or_else(double given, double otherwise) { return std::isnan(given) ? otherwise : given; }

}  // namespace

Eval Ihmm::logp_grad(In, Out) {
  throw UsageError("the model ihmm has no gradients: its states are discrete. Use --sampler ihmm-beam");
}

BeamState Ihmm::state_at(In x) const {
  BeamState state;
  state.alpha = x[alpha];
  state.gamma = x[gamma];
  state.variance = x[variance];
  for (const double z : x.tail(data().size())) state.states.push_back(static_cast<int>(z));
  const Index count = *std::ranges::max_element(state.states) + 1;
  state.shares.resize(count + 1);
  state.shares.head(count) = x.segment(shares_begin, count);
  state.shares[count] = std::max(0.0, 1 - state.shares.head(count).sum());
  state.centres = x.segment(centres_begin(), data().dim() * count).reshaped(data().dim(), count);
  return state;
}

void Ihmm::store(const BeamState& state, Out x) const {
  const Index count = state.count();
  x.head(path_begin()).setZero();
  x[alpha] = state.alpha;
  x[gamma] = state.gamma;
  x[variance] = state.variance;
  x.segment(shares_begin, count) = state.shares.head(count);
  x.segment(centres_begin(), state.centres.size()) = state.centres.reshaped();
  for (Index t = 0; t < data().size(); ++t) x[path_begin() + t] = state.states[static_cast<std::size_t>(t)];
}

// At temperature 1, on one thread.
void Ihmm::sweep(Vec& x, const SweepSettings&, const Rng& rng) {
  BeamState state = state_at(x);
  beam_sweep(data(), settings_.beam, rng, state);
  drop_unused(state);
  store(state, x);
}

void Ihmm::draw_start(Out x, const Rng& rng) const {
  BeamState state = initial_beam_state(data(), settings_.beam, std::min(settings_.first_states, data().size()),
                                       settings_.beam.variance, rng);
  drop_unused(state);
  store(state, x);
}

Layout Ihmm::layout() const {
  const Index points = data().size(), values = data().dim();
  const std::string axis = settings_.beam.emission == Emission::categorical ? "category" : "column";
  const bool one = values == 1;
  Layout layout;
  if (settings_.beam.learn_concentrations) layout.variables = {{"alpha", {}, {}}, {"gamma", {}, {}}};
  if (learns_variance()) {
    layout.variables.push_back(one ? Variable{"sigma", {}, {}} : Variable{"sigma", {values}, {axis}});
  }
  layout.variables.push_back({.name = "states", .shape = {}, .dims = {}, .integer = true});
  layout.variables.push_back({"log_joint", {}, {}});
  if (settings_.record_levels) {
    layout.variables.push_back(one ? Variable{"level", {points}, {"point"}}
                                   : Variable{"level", {points, values}, {"point", axis}});
  }
  if (settings_.record_states) {
    layout.variables.push_back({.name = "z", .shape = {points}, .dims = {"point"}, .integer = true});
  }
  if (!one) layout.coords[axis] = series_->names;
  return layout;
}

void Ihmm::constrain(In x, Out values, const Rng&) {
  const BeamState state = state_at(x);
  if (settings_.beam.learn_concentrations) values.head(2) << state.alpha, state.gamma;
  if (learns_variance()) {
    values.segment(sigma_begin(), data().dim()) = std::sqrt(state.variance) * settings_.scale;
  }
  values[states_begin()] = static_cast<double>(state.count());
  values[states_begin() + 1] = log_joint(data(), settings_.beam, state);
  if (settings_.record_levels) {
    const Mat centres = (settings_.scale.asDiagonal() * state.centres).colwise() + settings_.shift;
    Eigen::Map<Mat>(values.data() + level_begin(), data().dim(), data().size()) = centres(Eigen::all, state.states);
  }
  if (settings_.record_states) values.segment(z_begin(), data().size()) = x.tail(data().size());
}

Path Ihmm::path_in(In values) const {
  const Index points = data().size();
  const auto level = values.segment(level_begin(), z_begin() - level_begin());
  const auto z = values.segment(z_begin(), values.size() - z_begin());
  if (z.size() > 0 && !z.hasNaN()) return numbered(z.transpose());
  if (level.size() > 0 && !level.hasNaN()) return numbered(level.reshaped(data().dim(), points));
  throw UsageError("ihmm: a start needs level or z, the states of the points: record them with model.record");
}

void Ihmm::unconstrain(In values, Out x) const {
  const BeamOptions& beam = settings_.beam;
  BeamState state = initial_beam_state(data(), beam, 1, beam.variance, Rng(0));
  state.states = path_in(values);
  const Index count = *std::ranges::max_element(state.states) + 1;
  if (count > beam.most_states) {
    throw UsageError(fmt::format("ihmm: {} states are more than model.most_states={}", count, beam.most_states));
  }
  if (beam.learn_concentrations) {
    state.alpha = or_else(values[0], state.alpha);
    state.gamma = or_else(values[1], state.gamma);
  }
  if (learns_variance()) {
    const double sigma = values[sigma_begin()] / settings_.scale[0];
    state.variance = or_else(sigma * sigma, state.variance);
  }
  if (!(state.alpha > 0 && state.gamma > 0 && state.variance > 0)) {
    throw UsageError("ihmm: alpha, gamma and sigma must be positive");
  }
  state.shares = Vec::Ones(count + 1);
  for (const int z : state.states) state.shares[z] += 1;
  state.shares /= state.shares.sum();
  state.centres = Mat::Zero(data().dim(), count);
  store(state, x);
}

}  // namespace quasar
