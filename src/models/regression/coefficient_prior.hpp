// The prior of the coefficients on the scale that is fitted, and the coordinates in which they are sampled.
#pragma once

#include <quasar/config.hpp>
#include <quasar/core.hpp>

namespace quasar {

struct PriorSettings {
  enum class Shape { normal, student_t, laplace, horseshoe };
  Shape shape = Shape::normal;
  double sd = 10;           // of coefficients
  double df = 3;            // of student_t
  double global_scale = 1;  // of the horseshoe
  double scale_sd = 10;     // of the law's own parameter and of the spread of groups
  double intercept_sd = 10;
};
PriorSettings prior_settings(const Config& config);  // UsageError: a parameter of a prior that was not chosen

struct CoefficientCounts {
  Index intercepts;  // of each output: 1 or 0
  Index columns;     // coefficients of each output beside it
  Index outputs;     // linear predictors
  Index of_output() const { return intercepts + columns; }
  Index all() const { return outputs * of_output(); }
};

// Intercepts are N(0, intercept_sd^2). The coefficients b_j of columns are, independently of each other,
//
//   normal      N(0, sd^2)
//   student_t   sd times Student's t with df degrees of freedom
//   laplace     Laplace(0, sd/sqrt 2), whose standard deviation is sd
//   horseshoe   N(0, h_j^2), 1/h_j^2 = 1/(global local_j)^2 + 1/sd^2, local_j ~ half-Cauchy(0, 1) and global ~
//               half-Cauchy(0, global_scale): Piironen and Vehtari (Electronic Journal of Statistics 11, 2017) with a
//               slab of fixed width sd
//
// Coordinates are the coefficients themselves, output by output, intercept first. Those of the horseshoe are
// z_j = b_j/h_j in their place, then log global and log local_j: the posterior of (b, local) is a funnel, that of
// (z, local) where data say little is not.
class CoefficientPrior {
 public:
  CoefficientPrior(const CoefficientCounts& counts, const PriorSettings& settings);

  const CoefficientCounts& counts() const { return counts_; }
  Index scales() const { return direct() ? 0 : 1 + counts_.outputs * counts_.columns; }  // global, local_j
  Index dim() const { return counts_.all() + scales(); }
  bool direct() const { return settings_.shape != PriorSettings::Shape::horseshoe; }  // x are the coefficients

  double density(In x, Out grad) const;  // log prior without constants; writes the gradient
  void coefficients(In x, Out b) const;
  void pull_back(In x, In grad_b, Out grad) const;  // adds the gradient by x of what has grad_b by b
  void coordinates(In b, In scales, Out x) const;   // the inverse of coefficients() and of e^ the last of x

 private:
  Index place(Index output, Index column) const { return output * counts_.of_output() + counts_.intercepts + column; }
  double column_density(double b, double& slope) const;
  template <class Use>
  void each_shrunk(In log_scales, Use&& use) const;  // use(place of z_j, place of log local_j after log global, h_j, s)

  CoefficientCounts counts_;
  PriorSettings settings_;
  Vec variances_;  // of coefficients that are normal, and of intercepts
};

}  // namespace quasar
