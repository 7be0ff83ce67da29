// Posteriors that are known without sampling, from whole runs with warm-up.
#include <boost/math/quadrature/exp_sinh.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <quasar/diagnostics.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "io/csv.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr double y[] = {28, 8, -3, 7, -1, 1, 18, 12}, sigma[] = {15, 10, 16, 11, 9, 11, 10, 18};

struct Exact {
  double mean, sd;
};

// Given tau everything is normal, so the posterior of eight schools is one integral over tau.
class EightSchoolsByQuadrature {
 public:
  Exact mu() const {
    return from([](double tau) { return given(tau).mu; });
  }
  Exact tau() const {
    return from([](double tau) { return Normal{tau, 0}; });
  }
  Exact theta(int j) const {
    return from([j](double tau) {  // theta_j | mu, tau is a precision-weighted mean of y_j and mu
      const Normal mu = given(tau).mu;
      const double t2 = tau * tau, s2 = sigma[j] * sigma[j], weight = s2 / (s2 + t2);
      return Normal{(1 - weight) * y[j] + weight * mu.mean, weight * t2 + weight * weight * mu.variance};
    });
  }

 private:
  struct Normal {
    double mean, variance;
  };
  struct Given {
    Normal mu;
    double log_evidence;
  };

  static Given given(double tau) {
    double precision = 1.0 / 25, weighted = 0, log_evidence = 0;
    for (int j = 0; j < 8; ++j) {
      const double v = sigma[j] * sigma[j] + tau * tau;
      precision += 1 / v;
      weighted += y[j] / v;
      log_evidence -= 0.5 * (std::log(v) + y[j] * y[j] / v);
    }
    log_evidence += 0.5 * (weighted * weighted / precision - std::log(precision)) - std::log1p(tau * tau / 25);
    return {{weighted / precision, 1 / precision}, log_evidence};
  }

  template <class F>
  static double integrate(F&& f) {
    const double scale = given(3).log_evidence;
    boost::math::quadrature::exp_sinh<double> rule;
    return rule.integrate([&](double tau) { return std::exp(given(tau).log_evidence - scale) * f(tau); }, 1e-12);
  }

  template <class F>
  static Exact from(F&& normal_given_tau) {
    const double z = integrate([](double) { return 1.0; });
    const double mean = integrate([&](double tau) { return normal_given_tau(tau).mean; }) / z;
    const double second = integrate([&](double tau) {
                            const Normal n = normal_given_tau(tau);
                            return n.variance + n.mean * n.mean;
                          }) /
                          z;
    return {mean, std::sqrt(second - mean * mean)};
  }
};

RunData run(const std::string& model, const Settings& model_settings, const std::string& sampler,
            const Settings& sampler_settings, const SampleOptions& options) {
  const ModelEntry& entry = find_model(model);
  const auto target = entry.make(Config(entry.name, entry.params, model_settings), nullptr);
  const SamplerEntry& s = find_sampler(sampler);
  return sample(*target, s, Config(s.name, s.params, sampler_settings), options);
}

TEST(EightSchools, NutsAgreesWithQuadrature) {
  const EightSchoolsByQuadrature exact;
  const char* const metrics[] = {"fisher_diag", "welford", "welford_dense"};
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, 3 * 10 * 2));
  for (const char* metric : metrics) {
    const RunData draws = run("eight-schools", {}, "nuts", {{"metric", metric}}, {});
    const auto names = element_names(draws.layout);
    ASSERT_EQ(names.size(), 10U);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Exact truth = names[i] == "mu"    ? exact.mu()
                          : names[i] == "tau" ? exact.tau()
                                              : exact.theta(names[i][6] - '1');
      const Mat values = draws_of(draws, static_cast<Index>(i));
      EXPECT_LT(rhat(values), 1.01) << names[i] << ", " << metric;
      EXPECT_LT(std::abs(mean(values) - truth.mean), z * mcse_mean(values))
          << names[i] << ", " << metric << ", truth " << truth.mean;
      EXPECT_LT(std::abs(sd(values) - truth.sd), z * mcse_sd(values))
          << names[i] << ", " << metric << ", truth " << truth.sd;
    }
  }
}

// At acceptance 0.8 about one run in three has a divergence, where tau is far out; the default run has none.
TEST(EightSchools, TheDefaultRunHasNoDivergence) {
  const RunData draws = run("eight-schools", {}, "nuts", {}, {});
  for (const Divergence& d : draws.divergences) EXPECT_TRUE(d.warmup) << d.iteration;
}

// Logistic regression of examples/heart.csv on standardised predictors, prior N(0, 10^2): the mean over coefficients of
// E b^2 is 0.3826 with a standard error of 0.0004, from an independent implementation of HMC.
TEST(Heart, SecondMomentsAgreeWithAnIndependentRun) {
  const ModelEntry& model = find_model("logistic");
  const Table heart = read_csv(std::string(QUASAR_TEST_DATA_DIR) + "/../../../examples/heart.csv");
  const auto target = model.make(Config(model.name, model.params, {}), &heart);
  const SamplerEntry& nuts = find_sampler("nuts");
  SampleOptions options;
  options.schedule = {1000, 4000, 1};
  const RunData draws = sample(*target, nuts, Config(nuts.name, nuts.params, {}), options);
  Mat mean_square(4000, 4);
  Vec standardised(14);
  for (Index c = 0; c < 4; ++c) {
    const std::vector<double>& values = draws.sampling[static_cast<std::size_t>(c)].values;
    for (Index i = 0; i < 4000; ++i) {
      target->unconstrain(Eigen::Map<const Vec>(values.data() + 14 * i, 14), standardised);
      mean_square(i, c) = standardised.squaredNorm() / 14;
    }
  }
  const double error = std::hypot(mcse_mean(mean_square), 0.0004);
  EXPECT_LT(std::abs(mean(mean_square) - 0.3826), test::z_threshold(test::family_alpha) * error) << mean(mean_square);
}

// Every sampler, with warm-up and its default metric, on a target of known second moment.
TEST(Quartic, EverySamplerFindsTheSecondMoment) {
  constexpr double truth = 0.46791992;  // E t^2 under exp(-t^2/2 - t^4/4), by quadrature
  const char* const samplers_[] = {"nuts", "hmc", "mala", "rwm"};
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, 4));
  for (const char* name : samplers_) {
    SampleOptions options;
    options.schedule = {1000, 10'000, 1};
    options.seed = 11;
    const RunData draws = run("quartic", {{"dim", "2"}}, name, {}, options);
    const Mat squares = draws_of(draws, 0).array().square();
    EXPECT_LT(std::abs(mean(squares) - truth), z * mcse_mean(squares)) << name << ": " << mean(squares);
  }
}

}  // namespace
}  // namespace quasar
