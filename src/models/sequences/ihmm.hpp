// The infinite hidden Markov model (Beal, Ghahramani and Rasmussen 2002; Teh, Jordan, Beal and Blei 2006) as a target
// that its own sweeps move: those of models/sequences/beam_sampler.hpp.
//
// All that a sweep needs of the one before it is in x, with room for a given number of states:
//   x = (alpha, gamma, s^2, shares, centres, the state of every point).
// States are numbered in the order in which they appear.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/row_sweep.hpp>
#include <quasar/table.hpp>

#include "models/sequences/beam_sampler.hpp"
#include "models/sequences/series.hpp"

namespace quasar {

struct IhmmSettings {
  BeamOptions beam;  // for the values of the series as they are scaled
  Vec shift, scale;  // a value is shift + scale times a scaled one
  Index first_states = 20;
  bool record_levels = true, record_states = false;
};

class Ihmm final : public Target, public RowSweep {
 public:
  Ihmm(std::shared_ptr<const NamedSequences> scaled, IhmmSettings settings)
      : series_(std::move(scaled)), settings_(std::move(settings)) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Ihmm>(*this); }
  Index dim() const override { return path_begin() + data().size(); }
  Eval logp_grad(In x, Out grad) override;  // UsageError: there is none
  Layout layout() const override;
  void constrain(In x, Out values, const Rng& rng) override;
  // From the states or the levels of the points. Shares are those of the points.
  void unconstrain(In values, Out x) const override;
  void draw_start(Out x, const Rng& rng) const override;

  bool has_density() const override { return false; }
  void sweep(Vec& x, const SweepSettings& settings, const Rng& rng) override;

  BeamState state_at(In x) const;
  void store(const BeamState& state, Out x) const;  // of one without unused states

 private:
  const Sequences& data() const { return series_->data; }
  bool learns_variance() const { return settings_.beam.emission == Emission::normal && settings_.beam.learn_variance; }
  // In x.
  Index centres_begin() const { return 3 + settings_.beam.most_states; }
  Index path_begin() const { return centres_begin() + data().dim() * settings_.beam.most_states; }
  // In what is recorded: alpha, gamma, sigma, states, log_joint, level, z, without what is fixed or not wanted.
  Index sigma_begin() const { return settings_.beam.learn_concentrations ? 2 : 0; }
  Index states_begin() const { return sigma_begin() + (learns_variance() ? data().dim() : 0); }
  Index level_begin() const { return states_begin() + 2; }
  Index z_begin() const { return level_begin() + (settings_.record_levels ? data().values.size() : 0); }
  Path path_in(In values) const;

  std::shared_ptr<const NamedSequences> series_;
  IhmmSettings settings_;
};

std::span<const ParamSpec> ihmm_params();
std::unique_ptr<Target> make_ihmm(const Config& config, const Table* data);

}  // namespace quasar
