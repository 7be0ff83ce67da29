// The laws that the thermostats on noisy gradients really have: what an independent implementation found, with its
// standard error, and published numbers within 3 %. Precisions (1, 4), step 0.05, white noise of variance 40; right
// would be E l x^2 = 1.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>

#include <quasar/diagnostics.hpp>

#include "kernels/thermostat/sg_nphmc.hpp"
#include "kernels/thermostat/sg_nphmc_canonical.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 36;  // of this file, those against a threshold
constexpr Index chains = 4;
constexpr double step_size = 0.05, noise_variance = 40;

struct Value {
  double value, error;
};
using Pair = std::array<Value, 2>;

void expect_agreement(const Mat& values, const Value& known, const std::string& what) {
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  const double error = std::hypot(mcse_mean(values), known.error);
  EXPECT_LT(std::abs(mean(values) - known.value), z * error)
      << what << ": " << mean(values) << " +- " << error << ", should be " << known.value;
}

const Vec precision{{1, 4}};

struct Quadratic final : FiniteSum {  // U = sum l x^2/2, in terms that differ by constants alone: a noisy value
  static constexpr Index count = 16;
  double spread = 0;
  std::unique_ptr<Target> fork() const override { return std::make_unique<Quadratic>(*this); }
  Index dim() const override { return 2; }
  Index terms() const override { return count; }
  Eval prior(In, Out grad, Want) override {
    grad.setZero();
    return {0};
  }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) override {
    const Eigen::Vector2d slope = -precision.cwiseProduct(x) / count;
    const auto size = static_cast<double>(ids.size());
    double constants = 0;
    for (const Index id : ids) constants += id % 2 == 0 ? spread : -spread;
    grad += weight * size * slope;
    return {weight * (size * x.dot(slope) / 2 + constants)};
  }
};

using Squares = std::array<Mat, 2>;  // l x^2

// after(state, info) is seen in another matrix.
template <class K, class After>
Squares run(const K& kernel, Index draws, Mat& seen, const After& after) {
  Squares squares{Mat(draws, chains), Mat(draws, chains)};
  seen.resize(draws, chains);
  for (Index chain = 0; chain < chains; ++chain) {
    const Rng rng(41, static_cast<std::uint64_t>(chain));
    Vec x{{0.5, -0.5}};
    auto s = kernel.init(x, rng.child("init"));
    const Index settling = draws / 10;
    for (Index i = 0; i < settling + draws; ++i) {
      const auto info = kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i)));
      if (i < settling) continue;
      for (std::size_t j = 0; j < 2; ++j) {
        const auto at = static_cast<Index>(j);
        squares[j](i - settling, chain) = precision[at] * x[at] * x[at];
      }
      seen(i - settling, chain) = after(s, info);
    }
  }
  return squares;
}

void expect_both(const Squares& found, const Pair& known, const std::array<double, 2>& published,
                 const std::string& what) {
  for (std::size_t j = 0; j < 2; ++j) {
    expect_agreement(found[j], known[j], what + ", coordinate " + std::to_string(j));
    EXPECT_NEAR(mean(found[j]), published[j], 0.03 * published[j]) << what << ", published";
  }
}

SgNphmcParams published_params(double friction) {
  SgNphmcParams params;
  params.step.size = step_size;
  params.friction = friction;
  params.thermostat_friction = 0;
  params.batch = SgNphmcParams::per_half_kick;
  return params;
}

// Right only where B equals the noise that the gradient brings, e V/4 = 0.5 with a batch for every half kick.
TEST(SgNphmc, FrictionAloneIsRightAtOneValue) {
  struct Case {
    double friction;
    Pair known;
    std::array<double, 2> published;
  };
  const Case cases[] = {
      {0.5, {{{0.9988, 0.0032}, {1.0057, 0.0016}}}, {1.00, 1.01}},
      {0.01, {{{1.1696, 0.0036}, {1.1848, 0.0018}}}, {1.17, 1.19}},
      {1, {{{0.8572, 0.0029}, {0.8519, 0.0014}}}, {0.86, 0.85}},
      {2, {{{0.6532, 0.0024}, {0.6311, 0.0011}}}, {0.65, 0.64}},
      {4, {{{0.4079, 0.0017}, {0.3834, 0.0008}}}, {0.41, 0.39}},
  };
  Quadratic target;
  const EstimatorSettings noisy{.added_noise = noise_variance};
  for (const Case& test : cases) {
    const SgNphmc kernel(target, {0, 2}, noisy, published_params(test.friction));
    Mat too_long;
    const Squares found =
        run(kernel, 25'000, too_long, [](const auto&, const auto& info) { return static_cast<double>(info.too_long); });
    expect_both(found, test.known, test.published, "B = " + std::to_string(test.friction));
    EXPECT_EQ(too_long.sum(), 0);
  }
}

// With the noise that is missing injected a friction that is too large is nearly right: not quite, since B/sqrt(s) is
// not the friction that belongs to that noise.
TEST(SgNphmc, InjectedNoiseMakesUpForFriction) {
  struct Case {
    double friction;
    Pair known;
  };
  Quadratic target;
  for (const Case& test :
       {Case{1, {{{0.9838, 0.0042}, {0.9821, 0.0021}}}}, Case{4, {{{0.9571, 0.0051}, {0.9454, 0.0025}}}}}) {
    SgNphmcParams params = published_params(test.friction);
    params.inject = true;
    params.noise.given = Mat::Constant(1, 1, noise_variance);
    Mat ignored;
    const SgNphmc kernel(target, {0, 2}, EstimatorSettings{.added_noise = noise_variance}, params);
    const Squares found = run(kernel, 25'000, ignored, [](const auto&, const auto&) { return 0.0; });
    for (std::size_t j = 0; j < 2; ++j)
      expect_agreement(found[j], test.known[j], "C = " + std::to_string(test.friction));
  }
}

// The energy is estimated with variance 25, gradients are exact. H0 on the first batch keeps its error for the whole
// trajectory, and that is worse than what the other batches do.
TEST(SgNphmc, NoiseOfTheEnergyHeats) {
  Quadratic target;
  target.spread = 1.25;  // (N^2/n) spread^2 = 25
  const EstimatorSettings batches{.kind = EstimatorSettings::minibatch, .batch_size = Quadratic::count};
  Mat ignored;
  const SgNphmc kernel(target, {0, 2}, batches, published_params(0));
  const Squares found = run(kernel, 25'000, ignored, [](const auto&, const auto&) { return 0.0; });
  const Pair known{{{1.1248, 0.0036}, {1.1611, 0.0026}}};
  for (std::size_t j = 0; j < 2; ++j) expect_agreement(found[j], known[j], "noisy energy");
}

// The same with H0 from the exact energy: an iteration of ten steps, new momenta, s = 1, h = 0.
struct NoisyEnergy {
  struct State {
    Stream noise;
    PhasePoint z{2, 2};
  };
  struct Forces {
    State& s;
    void velocity(In p, double, Out v) const { v = p; }
    void renew(PhasePoint& z) const {
      z.g = precision.cwiseProduct(z.x);
      z.u = z.x.dot(z.g) / 2 + 5 * s.noise.normal();
    }
  };
  double thermostat_friction;

  static State init(const Vec&, const Rng& rng) { return {rng.stream("energies")}; }
  StepInfo step(Vec& x, State& s, const Rng& rng) const {
    Stream normals = rng.stream("normals");
    s.z.x = x;
    normals.normals(s.z.p);
    Thermostat t{0, normals.normal()};
    NosePoincare np{.degrees = 2, .thermostat_friction = thermostat_friction};
    np.offset = np.energy(x.dot(precision.cwiseProduct(x)) / 2, s.z.p.squaredNorm(), t);
    for (int i = 0; i < 10; ++i) {
      Forces{s}.renew(s.z);  // a batch for every half kick
      EXPECT_TRUE(nose_poincare_step(np, Forces{s}, {0, 2}, step_size, s.z, t));
    }
    x = s.z.x;
    return {};
  }
};

TEST(NosePoincare, NoiseOfTheEnergyAloneHardlyMatters) {
  Mat ignored;
  const auto nothing = [](const auto&, const auto&) { return 0.0; };
  const Squares plain = run(NoisyEnergy{0}, 100'000, ignored, nothing);
  expect_both(plain, {{{1.0052, 0.0036}, {1.0191, 0.0018}}}, {1.005, 1.013}, "A = 0");
  const Squares damped = run(NoisyEnergy{0.3125}, 100'000, ignored, nothing);  // e W/4
  expect_both(damped, {{{1.0052, 0.0037}, {1.0035, 0.0018}}}, {0.992, 0.998}, "A matched");
}

SgNphmcCanonicalParams canonical_params(double believed, double friction) {
  SgNphmcCanonicalParams params;
  params.step.size = step_size;
  params.noise.given = Mat::Constant(1, 1, believed);
  params.friction = friction;
  return params;
}

TEST(SgNphmcCanonical, HasTheLawsItIsKnownToHave) {
  struct Case {
    const char* what;
    SgNphmcCanonicalParams params;
    double noise;
    Pair known;
    std::array<double, 2> published;
    std::optional<Value> thermostat = std::nullopt;
  };
  SgNphmcCanonicalParams refreshed = canonical_params(0, 1), without = refreshed,
                         without_known = canonical_params(40, 1);
  refreshed.refresh = true;
  refreshed.leapfrog_steps = 10;
  without.thermostat = without_known.thermostat = false;
  const Case cases[] = {
      {"V known", canonical_params(40, 1), 40, {{{1.0234, 0.0024}, {1.0271, 0.0014}}}, {1.022, 1.024}},
      {"V unknown",
       canonical_params(0, 1),
       40,
       {{{1.0245, 0.0029}, {1.0264, 0.0016}}},
       {1.025, 1.022},
       Value{0.9505, 0.002}},
      {"no friction",
       canonical_params(0, 0),
       40,
       {{{1.0228, 0.0023}, {1.0265, 0.0014}}},
       {1.023, 1.024},
       Value{0.9764, 0.002}},
      {"no noise", canonical_params(0, 1), 0, {{{0.9980, 0.0024}, {1.0015, 0.0014}}}, {1.003, 0.996}},
      {"V unknown, refreshed", refreshed, 40, {{{1.2372, 0.0049}, {1.2551, 0.0024}}}, {1.22, 1.24}},
      {"V unknown, no thermostat", without, 40, {{{2.0088, 0.0052}, {1.9990, 0.0041}}}, {2.00, 2.00}},
      {"V known, no thermostat", without_known, 40, {{{1.0105, 0.0026}, {1.0011, 0.0020}}}, {1.003, 1.003}},
  };
  for (const Case& test : cases) {
    Quadratic target;
    const SgNphmcCanonical kernel(target, {0, 2}, EstimatorSettings{.added_noise = test.noise}, test.params);
    Mat thermostat;
    const Index draws = test.params.refresh ? 25'000 : 200'000;
    const Squares found = run(kernel, draws, thermostat, [](const auto& s, const auto&) { return s.bath.q; });
    expect_both(found, test.known, test.published, test.what);
    if (test.thermostat) expect_agreement(thermostat, *test.thermostat, std::string(test.what) + ", q/Q");
  }
}

}  // namespace
}  // namespace quasar
