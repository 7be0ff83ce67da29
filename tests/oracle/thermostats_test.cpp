// The exact thermostat samplers have the law that they should have; schemes that look like them do not, and have the
// wrong one that an independent implementation found, with its standard error.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include <quasar/diagnostics.hpp>

#include "kernels/thermostat/nh_hmc.hpp"
#include "kernels/thermostat/np_hmc.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 53;  // of this file, those against a threshold
constexpr Index chains = 4;

struct Value {
  double value, error;  // error 0: exact
};

double threshold() { return test::z_threshold(test::per_assertion(test::family_alpha, assertions)); }

void expect_agreement(const Mat& values, const Value& known, const std::string& what) {
  const double error = std::hypot(mcse_mean(values), known.error);
  EXPECT_LT(std::abs(mean(values) - known.value), threshold() * error)
      << what << ": " << mean(values) << " +- " << error << ", should be " << known.value;
}

const Vec precision{{1, 4}};

struct Quadratic final : Target {  // U = sum l x^2/2
  std::unique_ptr<Target> fork() const override { return std::make_unique<Quadratic>(*this); }
  Index dim() const override { return 2; }
  Eval logp_grad(In x, Out grad) override {
    grad = -precision.cwiseProduct(x);
    return {x.dot(grad) / 2};
  }
};

struct Found {
  std::array<Mat, 2> squares;  // l x^2
  Mat acceptance;
  explicit Found(Index draws) : squares{Mat(draws, chains), Mat(draws, chains)}, acceptance(draws, chains) {}
  void record(Index draw, Index chain, const Vec& x, double accepted) {
    for (std::size_t j = 0; j < 2; ++j) {
      squares[j](draw, chain) = precision[static_cast<Index>(j)] * x[static_cast<Index>(j)] * x[static_cast<Index>(j)];
    }
    acceptance(draw, chain) = accepted;
  }
};

// advance(x, rng) moves x and returns the acceptance probability.
template <class Advance>
Found run(Index draws, const std::function<Advance(Index chain)>& start) {
  Found found(draws);
  for (Index chain = 0; chain < chains; ++chain) {
    const Rng rng(31, static_cast<std::uint64_t>(chain));
    Vec x{{0.5, -0.5}};
    Advance advance = start(chain);
    const Index settling = draws / 10;
    for (Index i = 0; i < settling + draws; ++i) {
      const double accepted = advance(x, rng.at(static_cast<std::uint64_t>(i)));
      if (i >= settling) found.record(i - settling, chain, x, accepted);
    }
  }
  return found;
}

using Move = std::function<double(Vec&, const Rng&)>;

template <class K>
Found run_kernel(const K& kernel, Index draws) {
  return run<Move>(draws, [&](Index chain) -> Move {
    const Vec x{{0.5, -0.5}};
    auto s = kernel.init(x, Rng(30, static_cast<std::uint64_t>(chain)));
    return [kernel, s](Vec& at, const Rng& rng) mutable { return kernel.step(at, s, rng).accept_prob; };
  });
}

struct Length {
  double step;
  std::int64_t steps;
};
constexpr Length coarse{0.5, 5}, fine{0.25, 10};

NhHmc<Identity> nh_hmc(Target& target, const Length& length, double temperature) {
  NhHmcParams<Identity> params;
  params.step_size = length.step;
  params.leapfrog_steps = length.steps;
  params.jitter = 0;
  params.thermostat = {temperature, 1};
  return {target, {0, 2}, params};
}

NpHmc<Identity> np_hmc(Target& target, const Length& length, double temperature, double offset_sd) {
  NpHmcParams<Identity> params;
  params.step_size = length.step;
  params.leapfrog_steps = length.steps;
  params.jitter = 0;
  params.dynamics = {.degrees = 2, .temperature = temperature, .thermostat_mass = 1};
  params.offset_sd = offset_sd;
  return {target, {0, 2}, params};
}

TEST(ExactThermostats, HaveTheSecondMomentsOfAGaussian) {
  Quadratic target;
  constexpr Index draws = 40'000;
  for (const Length& length : {coarse, fine}) {
    for (const double temperature : {1.0, 0.7}) {
      const Found hoover = run_kernel(nh_hmc(target, length, temperature), draws);
      const Found poincare = run_kernel(np_hmc(target, length, temperature, 1), draws);
      for (std::size_t j = 0; j < 2; ++j) {
        const std::string what = " at kT = " + std::to_string(temperature) + ", e = " + std::to_string(length.step);
        expect_agreement(hoover.squares[j], {temperature, 0}, "nh-hmc" + what);
        expect_agreement(poincare.squares[j], {temperature, 0}, "np-hmc" + what);
      }
    }
  }
}

// Acceptance is the part of the law that moments do not see.
TEST(ExactThermostats, AcceptAsOftenAsKnown) {
  Quadratic target;
  constexpr Index draws = 40'000;
  expect_agreement(run_kernel(nh_hmc(target, coarse, 1), draws).acceptance, {0.71597, 0.00027}, "nh-hmc, coarse");
  expect_agreement(run_kernel(nh_hmc(target, fine, 1), draws).acceptance, {0.95392, 0.00007}, "nh-hmc, fine");
  expect_agreement(run_kernel(np_hmc(target, coarse, 1, 1), draws).acceptance, {0.43797, 0.00034}, "np-hmc, coarse");
  expect_agreement(run_kernel(np_hmc(target, fine, 1, 1), draws).acceptance, {0.48544, 0.00034}, "np-hmc, fine");
  expect_agreement(run_kernel(np_hmc(target, fine, 1, 0.1), draws).acceptance, {0.52944, 0.00045}, "np-hmc, d = 0.1");
  expect_agreement(run_kernel(np_hmc(target, fine, 1, 0.3), draws).acceptance, {0.55762, 0.00044}, "np-hmc, d = 0.3");
  expect_agreement(run_kernel(np_hmc(target, fine, 1, 3), draws).acceptance, {0.23946, 0.00029}, "np-hmc, d = 3");
}

// Nose-Poincare trajectories with what may seem a Metropolis test for them. M = 1, Q = 1, kT = 1.
class Scheme {
 public:
  enum Test {
    none,      // every trajectory that can be taken is
    energy_h,  // exp(-change of s h), from s = 1 and h = 0
    offset_h,  // exp(-change of h), likewise
    carried,   // exp(-change of s h), s carried on and H0 that of the first trajectory: as published
  };
  Scheme(Target& target, Test test, const Length& length, double degrees)
      : target_(&target), test_(test), length_(length), np_{.degrees = degrees} {}

  double operator()(Vec& x, const Rng& rng) {
    Stream normals = rng.stream("normals");
    PhasePoint z(2, 2);
    z.x = x;
    z.u = potential(*target_, z.x, z.g);
    normals.normals(z.p);
    Thermostat t{test_ == carried ? log_s_ : 0, normals.normal()};
    if (test_ != carried || !begun_) np_.offset = energy(z, t);
    begun_ = true;
    const double h = energy(z, t) - np_.offset, s = std::exp(t.log_s);
    for (std::int64_t i = 0; i < length_.steps; ++i) {
      if (!nose_poincare_step(np_, Forces{*target_}, {0, 2}, length_.step, z, t)) return 0;
    }
    const double end_h = energy(z, t) - np_.offset;
    const double loss = test_ == none ? 0 : test_ == offset_h ? end_h - h : std::exp(t.log_s) * end_h - s * h;
    const double accepted = std::min(1.0, std::exp(-loss));
    if (!(rng.stream("choice").uniform() < accepted)) return accepted;
    x = z.x;
    log_s_ = t.log_s;
    return accepted;
  }

 private:
  struct Forces {
    Target& target;
    void velocity(In p, double, Out v) const { v = p; }
    void renew(PhasePoint& z) const { z.u = potential(target, z.x, z.g); }
  };
  double energy(const PhasePoint& z, const Thermostat& t) const {
    return np_.energy(z.u, z.p.squaredNorm() * std::exp(-2 * t.log_s), t);
  }

  Target* target_;
  Test test_;
  Length length_;
  NosePoincare np_;
  double log_s_ = 0;
  bool begun_ = false;
};

Found run_scheme(Scheme::Test test, const Length& length, double degrees, Index draws) {
  Quadratic target;
  return run<Move>(draws, [&](Index) -> Move { return Scheme(target, test, length, degrees); });
}

// Right would be 1 in both coordinates.
TEST(WrongSchemes, HaveTheLawsTheyAreKnownToHave) {
  struct Case {
    const char* what;
    Scheme::Test test;
    Length length;
    double degrees;
    std::array<Value, 2> known;
    Value acceptance;
  };
  const Case cases[] = {
      {"no test, g = D + 1", Scheme::none, fine, 3, {{{1.8445, 0.0019}, {1.4660, 0.0023}}}, {0.99966, 0.00002}},
      {"no test", Scheme::none, fine, 2, {{{1.0170, 0.0012}, {1.0502, 0.0059}}}, {0.99984, 0.00004}},
      {"s h, reset", Scheme::energy_h, fine, 2, {{{1.0291, 0.0012}, {1.0398, 0.0012}}}, {0.97649, 0.00004}},
      {"h, coarse", Scheme::offset_h, coarse, 2, {{{0.9159, 0.0008}, {0.9317, 0.0009}}}, {0.79606, 0.00027}},
      {"h", Scheme::offset_h, fine, 2, {{{0.9809, 0.0008}, {0.9969, 0.0021}}}, {0.96721, 0.00005}},
  };
  for (const Case& test : cases) {
    const Found found = run_scheme(test.test, test.length, test.degrees, 100'000);
    double off = 0;  // of the coordinate that is off by more, in standard errors
    for (std::size_t j = 0; j < 2; ++j) {
      expect_agreement(found.squares[j], test.known[j], std::string(test.what) + ", " + std::to_string(j));
      off = std::max(off, std::abs(mean(found.squares[j]) - 1) / mcse_mean(found.squares[j]));
    }
    EXPECT_GT(off, threshold()) << test.what;
    expect_agreement(found.acceptance, test.acceptance, std::string(test.what) + ", acceptance");
  }
}

// Where the second moment is infinite in truth its estimates are no numbers to compare with: they are far off.
TEST(WrongSchemes, AcceptanceByTheHamiltonianItselfIsFarOff) {
  const Found published = run_scheme(Scheme::carried, fine, 2, 100'000);
  const Found reset = run_scheme(Scheme::energy_h, coarse, 2, 100'000);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_GT(mean(published.squares[j]), 2);
  EXPECT_GT(mean(reset.squares[1]), 1.5);
}

// Mean and precision of n normal numbers with mean m and sum of squares S about it, a flat prior on the mean and
// Gamma(1/2, 1/2) on the precision t: t ~ Gamma(n/2, (S + 1)/2), mean | t ~ N(m, 1/(n t)).
struct NormalPosterior final : Target {
  static constexpr double n = 5000, m = -0.01988, sum = 4993.547, shape = n / 2, rate = (sum + 1) / 2;
  Interval support_[2] = {{-INFINITY, INFINITY}, {0, INFINITY}};
  std::unique_ptr<Target> fork() const override { return std::make_unique<NormalPosterior>(*this); }
  Index dim() const override { return 2; }
  std::span<const Interval> support() const override { return support_; }
  Eval logp_grad(In x, Out grad) override {
    const double off = x[0] - m, half = (n - 1) / 2, squares = (sum + n * off * off + 1) / 2;
    grad[0] = -n * x[1] * off;
    grad[1] = half / x[1] - squares;
    return {half * std::log(x[1]) - x[1] * squares};
  }
};

template <class K>
void expect_normal_posterior(const K& kernel, const Value& acceptance, const std::string& what) {
  constexpr Index draws = 20'000;
  std::array<Mat, 5> values;
  values.fill(Mat(draws, chains));
  for (Index chain = 0; chain < chains; ++chain) {
    const Rng rng(32, static_cast<std::uint64_t>(chain));
    Vec x{{0, 1}};
    auto s = kernel.init(x, rng);
    for (Index i = -draws / 10; i < draws; ++i) {
      const double accepted = kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i + draws))).accept_prob;
      if (i < 0) continue;
      using N = NormalPosterior;
      const double a = x[0] - N::m, b = x[1] - N::shape / N::rate;
      const double row[] = {a, b, a * a, b * b, accepted};
      for (std::size_t j = 0; j < 5; ++j) values[j](i, chain) = row[j];
    }
  }
  using N = NormalPosterior;
  const Value known[] = {
      {0, 0}, {0, 0}, {N::rate / (N::n * (N::shape - 1)), 0}, {N::shape / (N::rate * N::rate), 0}, acceptance};
  for (std::size_t j = 0; j < 5; ++j) expect_agreement(values[j], known[j], what + ", " + std::to_string(j));
}

TEST(ExactThermostats, HaveThePosteriorOfMeanAndPrecision) {
  NormalPosterior target;
  Diagonal metric(2);
  metric.set_variance(Vec{{1.0 / 5000, 1.0 / 2500}});
  NhHmcParams<Diagonal> hoover;
  hoover.step_size = 0.25;
  hoover.leapfrog_steps = 6;
  hoover.jitter = 0;
  hoover.metric = metric;
  expect_normal_posterior(NhHmc<Diagonal>(target, {0, 2}, hoover), {0.97314, 0.00008}, "nh-hmc");
  NpHmcParams<Diagonal> poincare;
  poincare.step_size = 0.25;
  poincare.leapfrog_steps = 6;
  poincare.jitter = 0;
  poincare.metric = metric;
  poincare.dynamics = {.degrees = 2};
  poincare.offset_sd = 0.3;
  expect_normal_posterior(NpHmc<Diagonal>(target, {0, 2}, poincare), {0.62312, 0.00067}, "np-hmc");
}

}  // namespace
}  // namespace quasar
