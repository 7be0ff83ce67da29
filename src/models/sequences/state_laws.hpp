// The laws of the points in each state of a hidden Markov model: their densities, and the laws that fit best.
#pragma once

#include "models/sequences/hmm_model.hpp"
#include "models/sequences/partial_normals.hpp"

namespace quasar {

// Missing values are integrated over. No direction of a normal law has less than 1e-6 of the variance of the data, lest
// a state of equal points have none; the laws that fit best are then the best of those. The data must outlive this.
class StateLaws {
 public:
  StateLaws(const Sequences& data, Emission emission, StateCovariance covariance);

  Mat log_densities(const HmmModel& model) const;            // (k, t): log p(x_t | z_t = k)
  void maximize(const Mat& weights, HmmModel& model) const;  // the M step for weights (k, t): p(z_t = k | x)
  void spread_out(HmmModel& model) const;                    // every state as widely as all the data
  void raise_to_floor(HmmModel& model) const;

 private:
  void maximize_variances(const Mat& weights, In totals, HmmModel& model) const;
  void maximize_matrices(const Mat& weights, HmmModel& model) const;

  const Sequences& data_;
  Emission emission_;
  bool full_, shared_;
  std::vector<SeenTogether> groups_;
  Mat filled_, seen_;    // the data with 0 for what is missing; 1 for what is seen, else 0
  Vec without_centres_;  // of each point: what its log density is beyond its divergence
  Vec variances_;        // of each value
  double variance_ = 1;  // of all of them
};

}  // namespace quasar
