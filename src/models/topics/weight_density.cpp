#include "models/topics/weight_density.hpp"

#include <boost/math/special_functions/digamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace quasar {
namespace {

struct LogGamma {  // the log density of a Gamma law up to a constant, and its slope
  double value, slope;
};

LogGamma log_gamma_law(const GammaPrior& law, double x, double log_x) {
  return {(law.shape - 1) * log_x - law.rate * x, law.shape - 1 - law.rate * x};
}

class GammaProcessDensity final : public WeightDensity {
 public:
  GammaProcessDensity(Index topics, const GammaProcessHyperpriors& prior) : topics_(topics), prior_(prior) {}

  Layout layout() const override {
    return {
        {{"E", {topics_}, {"topic"}}, {"T", {topics_}, {"topic"}}, {"alpha", {}, {}}, {"gamma", {}, {}}, {"c", {}, {}}},
        {}};
  }

  // Equal weights that sum to about what the topics of a document of a hundred words need, in the middle of the rounds.
  void start(Out theta) const override {
    const auto topics = static_cast<double>(topics_), rounds = static_cast<double>(prior_.rounds);
    const double size = std::exp(1.0) * first_total / topics;
    theta.head(topics_).setConstant(size);
    theta.segment(topics_, topics_).setOnes();
    theta.tail(3) = Vec{{(rounds + 1) / 2, topics / rounds, 1 / size}};
  }

  // Of r by documents it is exposure r, the expected number of tables; of T that times T^2, which is 2 rather than 1:
  // some are larger.
  void start_curvature(double exposure, Out curvature) const override {
    const auto topics = static_cast<double>(topics_), rounds = static_cast<double>(prior_.rounds);
    const double by_weight = exposure * first_total / topics;
    curvature.head(topics_).setConstant(1 + by_weight);
    curvature.segment(topics_, topics_).setConstant(1 + 2 * by_weight);
    curvature.tail(3) = Vec{{topics * (rounds + 1) / 2, topics, topics}};
  }

  double log_density(const PositivePoint& at, Out slope) const override {
    const double k = static_cast<double>(topics_), rounds = static_cast<double>(prior_.rounds);
    const double rate = at.theta[c()], sum = at.theta.head(topics_).sum();
    slope.head(topics_) = -rate * at.theta.head(topics_);
    double log_density = k * (at.log_theta[c()] + at.log_theta[alpha()]) - rate * sum;
    double hazards = 0;
    for (Index i = topics_; i < 2 * topics_; ++i) {
      const double y = at.theta[alpha()] * at.theta[i];
      const UpperGamma q = upper_gamma(prior_.rounds, y);
      log_density += q.log;
      slope[i] = -q.hazard * y;
      hazards += q.hazard * y;
    }
    const LogGamma alpha_law = log_gamma_law(prior_.alpha, at.theta[alpha()], at.log_theta[alpha()]);
    const LogGamma c_law = log_gamma_law(prior_.c, rate, at.log_theta[c()]);
    const LogGamma gamma_law = log_gamma_law({prior_.gamma.shape + k, prior_.gamma.rate + rounds}, at.theta[gamma()],
                                             at.log_theta[gamma()]);  // with K ~ Poisson(R gamma)
    slope[alpha()] = k - hazards + alpha_law.slope;
    slope[gamma()] = gamma_law.slope;
    slope[c()] = k - rate * sum + c_law.slope;
    return log_density + alpha_law.value + gamma_law.value + c_law.value;
  }

  void weights(const PositivePoint& at, WeightsAt& out) const override {
    out.log_r = at.log_theta.head(topics_) - at.theta.segment(topics_, topics_);
    out.r = out.log_r.array().exp();
  }

  void pull_back(const PositivePoint& at, In weight_slope, Out slope) const override {
    slope.head(topics_) = weight_slope;
    slope.segment(topics_, topics_) = -at.theta.segment(topics_, topics_).cwiseProduct(weight_slope);
    slope.tail(3).setZero();
  }

 private:
  static constexpr double first_total = 5;
  Index alpha() const { return 2 * topics_; }
  Index gamma() const { return alpha() + 1; }
  Index c() const { return alpha() + 2; }

  Index topics_;
  GammaProcessHyperpriors prior_;
};

class GammaNbDensity final : public WeightDensity {
 public:
  GammaNbDensity(Index topics, const GammaNbPrior& prior) : topics_(topics), prior_(prior) {}

  Layout layout() const override { return {{{"r", {topics_}, {"topic"}}, {"g0", {}, {}}}, {}}; }

  void start(Out theta) const override {
    theta.head(topics_).setConstant(first_total / static_cast<double>(topics_));
    theta[topics_] = first_total;
  }

  void start_curvature(double exposure, Out curvature) const override {
    const auto topics = static_cast<double>(topics_);
    curvature.head(topics_).setConstant(first_total / topics * (1 + exposure));
    curvature[topics_] = topics;
  }

  double log_density(const PositivePoint& at, Out slope) const override {
    const auto topics = static_cast<double>(topics_);
    const double g0 = at.theta[topics_], shape = g0 / topics;
    const auto r = at.theta.head(topics_), log_r = at.log_theta.head(topics_);
    const double sum = r.sum(), log_sum = log_r.sum(), log_rate = std::log(prior_.c0);
    if (!(shape > 0)) return std::numeric_limits<double>::quiet_NaN();
    const LogGamma g0_law = log_gamma_law({prior_.e0, prior_.f0}, g0, at.log_theta[topics_]);
    slope.head(topics_) = shape - 1 - prior_.c0 * r.array();
    slope[topics_] = g0 * (log_rate - boost::math::digamma(shape)) + shape * log_sum + g0_law.slope;
    return topics * (shape * log_rate - std::lgamma(shape)) + (shape - 1) * log_sum - prior_.c0 * sum + g0_law.value;
  }

  void weights(const PositivePoint& at, WeightsAt& out) const override {
    out.r = at.theta.head(topics_);
    out.log_r = at.log_theta.head(topics_);
  }

  void pull_back(const PositivePoint&, In weight_slope, Out slope) const override {
    slope.head(topics_) = weight_slope;
    slope[topics_] = 0;
  }

 private:
  static constexpr double first_total = 5;
  Index topics_;
  GammaNbPrior prior_;
};

}  // namespace

std::unique_ptr<const WeightDensity> gamma_process_density(Index topics, const GammaProcessHyperpriors& prior) {
  return std::make_unique<GammaProcessDensity>(topics, prior);
}

std::unique_ptr<const WeightDensity> gamma_nb_density(Index topics, const GammaNbPrior& prior) {
  return std::make_unique<GammaNbDensity>(topics, prior);
}

}  // namespace quasar
