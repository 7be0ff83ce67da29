// An unbiased estimate of grad log pi at x from a few terms of the sum:
//
//   grad prior(x) + A + (N/n) sum_{i in batch} [grad term_i(x) - grad term_i(a)],   A = sum_i grad term_i(a).
//
// One formula, four estimators. full: all terms. minibatch: no anchor a. control_variates: the anchor is a mode, for
// ever (Baker et al. 2019). svrg: the anchor is a recent point of the chain, renewed every so many batches (Johnson and
// Zhang 2013; Dubey et al. 2016). A target that is not a sum counts as one term without a prior, and can only be full.
// The value of log pi is estimated by the same formula, from the same batch, where it is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "estimators/batches.hpp"
#include "estimators/noise_variance.hpp"

namespace quasar {

struct EstimatorSettings {
  enum Kind { full, minibatch, control_variates, svrg };
  Kind kind = full;
  Index batch_size = 1;  // of all kinds but full
  Batches::Order order = Batches::with_replacement;
  Vec mode = {};                  // the anchor of control_variates
  std::int64_t anchor_every = 1;  // batches between two anchors of svrg
  double added_noise = 0;      // variance of normal noise that is added on purpose, the same at every x for one batch
  std::int64_t prepared = 0;   // full gradients that were spent before the chain began: they count
  bool track_noise = false;    // learn the variance of the estimate: two halves of a batch, so batch_size >= 2
  Want want = Want::gradient;  // both: an Eval has the estimate of log pi too, without the added noise
};

class GradientEstimator {
 public:
  struct Spent {
    std::int64_t gradients = 0;  // estimates of the gradient
    std::int64_t terms = 0;      // evaluations of a term
    static void fields(auto& self, auto&& visit) {
      visit("gradients", self.gradients);
      visit("terms", self.terms);
    }
  };

  struct State {
    std::int64_t batch = -1;      // number of the batch held
    std::int64_t anchor_age = 0;  // batches that have used it
    Vec anchor, anchor_sum;       // a and A
    double anchor_value = 0;      // sum_i term_i(a), where values are wanted
    NoiseVariance noise;
    Spent spent;  // and not yet reported
    // scratch
    Rng names{0};
    std::int64_t upcoming = -1;  // number of the batch in next_ids
    std::vector<Index> ids, next_ids;
    Batches::Shuffle shuffle;
    Vec first_half, second_half, normal;
    std::int64_t tracked = -1;  // the batch whose halves have been counted

    static void fields(auto& self, auto&& visit) {
      visit("batch", self.batch);
      visit("anchor_age", self.anchor_age);
      visit("anchor", self.anchor);
      visit("anchor_sum", self.anchor_sum);
      visit("anchor_value", self.anchor_value);
      visit("noise", self.noise);
      visit("spent", self.spent);
    }
  };

  GradientEstimator(Target& target, EstimatorSettings settings);

  State init(In x, const Rng& rng) const;
  void draw_batch(State& s, In x) const;                // the next one; the kernel decides how long it is held
  Eval prior(State& s, In x, Out grad) const;           // overwrites
  Eval add_likelihood(State& s, In x, Out grad) const;  // adds the estimate of the sum over all terms
  Eval gradient(State& s, In x, Out grad) const;        // both; overwrites

  double terms() const;  // N
  double passes(const Spent& spent) const { return static_cast<double>(spent.terms) / terms(); }
  const EstimatorSettings& settings() const { return settings_; }

 private:
  bool anchored() const { return settings_.kind >= EstimatorSettings::control_variates; }
  void set_anchor(State& s, In a) const;
  Eval add_batch(State& s, In x, std::span<const Index> ids, Out grad) const;
  Eval add_halves(State& s, In x, Out grad) const;
  void add_normal(State& s, Out grad) const;

  Target* target_;
  FiniteSum* sum_;  // null: the target is not a sum
  EstimatorSettings settings_;
  Batches batches_;
};

}  // namespace quasar
