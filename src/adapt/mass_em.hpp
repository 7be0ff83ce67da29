// Monte Carlo EM for a mass: as if the momenta of a chain were data and their covariance unknown. From S momenta P
//
//   M^-1 <- (1 - kappa_k) M^-1 + kappa_k (P P'/S)^-1,   kappa_k = 1/(k + 1) or k^-c,   k = 1, 2, ...
//
// and for a thermostat with a momentum q its mass Q likewise. Normal momenta have E (P P'/S)^-1 = M^-1 S/(S - D - 1),
// an inverse Wishart law, so that without a correction every M-step makes the mass smaller (D = 1 where it is
// diagonal). After an M-step whose change is lost in the noise, S grows by S/growth. The interval for that is made of a
// few momenta far apart, since successive ones are not independent: the s-th comes 1 + Poisson(rate s^power) after the
// one before (Levine and Casella 2001).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cstdint>
#include <limits>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "adapt/test_vector.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct MassEmSettings {
  std::int64_t samples = 100;  // S at first
  double exponent = 0;         // c; 0: kappa_k = 1/(k + 1)
  bool corrected = false;      // times (S - D - 1)/S
  double max_change = 0;       // no eigenvalue of M may grow or shrink by more than this factor; 0: by any
  std::int64_t growth = 10;    // 0: S stays
  double alpha = 0.1;          // one minus the confidence
  bool subsample = true;       // false: every momentum counts for the interval
  double rate = 1, power = 2;
  double temperature = 1;                                              // of the momenta: their covariance is T M
  std::int64_t iterations = std::numeric_limits<std::int64_t>::max();  // of learning
};

void check_mass_em(const MassEmSettings& settings, Index dim, bool diagonal);  // UsageError: too few samples

class MassEm {
 public:
  // thermostat_mass: Q at first; 0: there is no q.
  MassEm(const MassMatrix& start, const MassEmSettings& settings, double thermostat_mass = 0);

  // One momentum an iteration, of which one that is not finite tells nothing; with the last of S the mass becomes
  // another. Diverged: there is none that fits.
  void add(const MomentumSample& sample, MassMatrix& mass, const Rng& rng);

  double thermostat_mass() const { return thermostat_mass_; }
  std::int64_t updates() const { return updates_; }
  std::int64_t samples() const { return samples_; }

  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("updates", self.updates_);
    visit("samples", self.samples_);
    visit("learned", self.learned_);
    visit("inverse", self.inverse_);
    visit("products", self.products_);
    visit("thermostat_mass", self.thermostat_mass_);
    visit("thermostat_squares", self.thermostat_squares_);
    visit("test", self.test_);
    visit("tested", self.tested_);
    visit("next_tested", self.next_tested_);
  }

 private:
  void add_to_test(const MomentumSample& sample, const Rng& rng);
  void skip_to_next(const Rng& rng);  // of those that are tested
  void renew(MassMatrix& mass);
  void renew_thermostat();
  bool invert(const Mat& m, Mat& out);    // a dense one with factor_; false: it is not positive definite
  bool estimate(const MassMatrix& mass);  // of M^-1; false: there is none
  bool estimate_dense(const MassMatrix& mass);
  double correction(Index dim) const;
  double kappa() const;
  double limited(double kappa, double ratio) const;  // ratio: of the estimate to what there is, at most

  MassEmSettings settings_;
  bool diagonal_;
  double z_;  // quantile of the confidence interval
  std::int64_t iteration_ = 0, updates_ = 0, samples_, learned_ = 0;
  Mat inverse_;   // M^-1
  Mat products_;  // sum of p p', or of squares
  double thermostat_mass_, thermostat_squares_ = 0;
  TestVector test_;
  std::int64_t tested_ = 0, next_tested_ = 0;  // how many; the number of the momentum that is next
  // scratch
  Mat estimate_, work_;
  double largest_ratio_ = 1;  // eigenvalue of M times the estimate
  Eigen::LLT<Mat> factor_;
  Eigen::SelfAdjointEigenSolver<Mat> eigen_;
};

}  // namespace quasar
