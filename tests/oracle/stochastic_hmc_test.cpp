// The laws that the stochastic-gradient samplers with momentum really have: exact where the step is linear, so that its
// covariance solves S = F S F' + Q; else what an independent implementation found, with its standard error.
//
// Coordinates of a product law with scalar settings are independent chains: a thousand of them make one run.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "kernels/hmc/sghmc.hpp"
#include "kernels/hmc/sghmc_naive.hpp"
#include "kernels/langevin/sgld.hpp"
#include "kernels/thermostat/sgnht.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 67;  // of this file, those against a threshold
constexpr Index many = 1000;    // independent coordinates

struct Value {
  double value, error;  // error 0: exact
};

void expect_agreement(const Mat& values, const Value& known, const std::string& what) {
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  const double error = std::hypot(mcse_mean(values), known.error);
  EXPECT_LT(std::abs(mean(values) - known.value), z * error) << what << ": " << mean(values) << " +- " << error;
}

struct Quadratic final : Target {  // U = x'Px/2
  explicit Quadratic(Mat precision) : p(std::move(precision)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Quadratic>(*this); }
  Index dim() const override { return p.rows(); }
  Eval logp_grad(In x, Out grad) override {
    grad.noalias() = -p * x;
    return {x.dot(grad) / 2};
  }
  Mat p;
};

struct Product final : Target {  // U = k |x|^2/2 in many dimensions
  explicit Product(double curvature) : k(curvature) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Product>(*this); }
  Index dim() const override { return many; }
  Eval logp_grad(In x, Out grad) override {
    grad = -k * x;
    return {x.dot(grad) / 2};
  }
  double k;
};

// use(draw, chain, x, state) after every step of four chains, of which the first tenth is left out.
template <class K, class Use>
void run(const K& kernel, Index dim, Index draws, Use use) {
  for (Index chain = 0; chain < 4; ++chain) {
    const Rng rng(11, static_cast<std::uint64_t>(chain));
    Vec x = Vec::Zero(dim);
    auto s = kernel.init(x, rng.child("init"));
    const Index settling = draws / 10;
    for (Index i = 0; i < settling + draws; ++i) {
      kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i)));
      if (i >= settling) use(i - settling, chain, x, s);
    }
  }
}

Sghmc sghmc(Target& target, double step, const AnyMatrix& friction, double added_noise, const AnyMatrix& believed) {
  SghmcParams params;
  params.step.size = step;
  params.friction = Friction(target.dim(), friction);
  params.noise_variance = believed;
  return {target, {0, target.dim()}, EstimatorSettings{.added_noise = added_noise}, params};
}

Mat number(double value) { return Mat::Constant(1, 1, value); }

// The limit of S <- F S F' + Q, by doubling.
Mat stationary(Mat f, const Mat& q) {
  Mat s = q;
  for (int doubling = 0; doubling < 40; ++doubling) {
    s = (s + f * s * f.transpose()).eval();
    f = (f * f).eval();
  }
  return s;
}

// x <- x + e r, r <- r - e P x - e C r + N(0, e^2 V + 2 e (C - e V^/2)) on U = x'Px/2; the covariance of (x, r).
Mat sghmc_law(double e, const Mat& p, const Mat& c, const Mat& v, const Mat& believed) {
  const Index d = p.rows();
  const Mat one = Mat::Identity(d, d);
  Mat f(2 * d, 2 * d), q = Mat::Zero(2 * d, 2 * d);
  f << one, e * one, -e * p, one - e * c - e * e * p;
  q.bottomRightCorner(d, d) = e * e * v + 2 * e * (c - e / 2 * believed);
  return stationary(f, q);
}

struct Scalar {
  double e, k, c, v, believed;
  double variance() const {  // of x
    const double a = 1 - e * c, q = e * e * v + 2 * e * (c - e / 2 * believed);
    return q * (1 + a) / (e * c * k * (2 * (1 + a) - e * e * k));
  }
  double momentum_variance() const { return 2 * k * variance() / (2 - e * c); }
};

Mat simulated_squares(const Scalar& s, Index draws) {
  Product target(s.k);
  Mat squares(draws, 4);
  run(sghmc(target, s.e, number(s.c), s.v, number(s.believed)), many, draws,
      [&](Index i, Index chain, const Vec& x, const auto&) { squares(i, chain) = x.squaredNorm() / many; });
  return squares;
}

TEST(Sghmc, ClosedFormOfTheDiscretisedLaw) {
  EXPECT_NEAR((Scalar{0.1, 1, 3, 4, 4}).variance(), 1.0029499, 5e-8);
  EXPECT_NEAR((Scalar{0.1, 1, 3, 4, 4}).momentum_variance(), 1.1799410, 5e-8);
  EXPECT_NEAR((Scalar{0.1, 1, 3, 4, 0}).variance(), 1.0698132, 5e-8);
  EXPECT_NEAR((Scalar{0.2, 2, 1, 4, 4}).variance(), 0.5113636, 5e-8);
  for (const Scalar& s : {Scalar{0.1, 1, 3, 4, 4}, {0.2, 2, 1, 4, 1}, {0.5, 3, 1.5, 0, 0}}) {
    const Mat law = sghmc_law(s.e, number(s.k), number(s.c), number(s.v), number(s.believed));
    EXPECT_NEAR(law(0, 0), s.variance(), 1e-12);
    EXPECT_NEAR(law(1, 1), s.momentum_variance(), 1e-12);
    EXPECT_NEAR(law(0, 1), -s.e / 2 * s.momentum_variance(), 1e-12);
  }
}

TEST(Sghmc, ScalarFrictionHasThatLaw) {
  for (const Scalar& s : {Scalar{0.1, 1, 3, 4, 4}, {0.1, 1, 3, 4, 0}, {0.2, 2, 1, 4, 4}, {0.5, 3, 1.5, 2, 1}}) {
    Product target(s.k);
    constexpr Index draws = 1000;
    Mat xx(draws, 4), xr(draws, 4), rr(draws, 4);
    run(sghmc(target, s.e, number(s.c), s.v, number(s.believed)), many, draws,
        [&](Index i, Index chain, const Vec& x, const auto& state) {
          xx(i, chain) = x.squaredNorm() / many;
          xr(i, chain) = x.dot(state.p) / many;
          rr(i, chain) = state.p.squaredNorm() / many;
        });
    const std::string what = "e = " + std::to_string(s.e) + ", believed V = " + std::to_string(s.believed);
    expect_agreement(xx, {s.variance(), 0}, "Var x, " + what);
    expect_agreement(xr, {-s.e / 2 * s.momentum_variance(), 0}, "Cov(x, r), " + what);
    expect_agreement(rr, {s.momentum_variance(), 0}, "Var r, " + what);
  }
}

TEST(Sghmc, DiagonalAndDenseFrictionHaveThatLaw) {
  const Mat precision{{1, 0.8}, {0.8, 4}};
  struct Case {
    AnyMatrix friction, believed;
    Mat dense_friction, dense_believed;
  };
  const Mat c{{3, 1}, {1, 2}}, v{{4, 1}, {1, 2}};  // what is believed need not be right
  const Case cases[] = {
      {Vec{{1, 3}}, number(4), Mat(Vec{{1, 3}}.asDiagonal()), 4 * Mat::Identity(2, 2)},
      {c, v, c, v},
  };
  for (const Case& test : cases) {
    constexpr double step = 0.2, noise = 4;
    constexpr Index draws = 50'000;
    Quadratic target(precision);
    std::array<Mat, 10> products;
    products.fill(Mat(draws, 4));
    run(sghmc(target, step, test.friction, noise, test.believed), 2, draws,
        [&](Index i, Index chain, const Vec& x, const auto& s) {
          const Eigen::Vector4d z(x[0], x[1], s.p[0], s.p[1]);
          for (Index a = 0, at = 0; a < 4; ++a) {
            for (Index b = a; b < 4; ++b) products[static_cast<std::size_t>(at++)](i, chain) = z[a] * z[b];
          }
        });
    const Mat law = sghmc_law(step, precision, test.dense_friction, noise * Mat::Identity(2, 2), test.dense_believed);
    for (Index a = 0, at = 0; a < 4; ++a) {
      for (Index b = a; b < 4; ++b) {
        expect_agreement(products[static_cast<std::size_t>(at++)], {law(a, b), 0},
                         "covariance " + std::to_string(a) + std::to_string(b));
      }
    }
  }
}

// log2 of the bias of Var x at e over that at e/2 is nearest to the order.
TEST(Sghmc, BiasIsOfSecondOrderWithTheRightNoiseAndOfFirstWithout) {
  const auto order = [](double believed) {
    const auto bias = [&](double e) { return mean(simulated_squares({e, 1, 1, 4, believed}, 4000)) - 1; };
    return std::log2(bias(0.4) / bias(0.2));
  };
  EXPECT_EQ(std::round(order(4)), 2);
  EXPECT_EQ(std::round(order(0)), 1);
}

// With e C = 1 nothing is left of the old momentum: a step from x_i adds e^2 g + sqrt(2) e z, that of Langevin
// dynamics.
TEST(Sghmc, FullMomentumDecayIsLangevinWithTheSquaredStep) {
  Quadratic target(Mat{{1, 0.8}, {0.8, 4}});
  constexpr double e = 0.25;
  const EstimatorSettings noisy{.added_noise = 4};
  const Sghmc momentum = sghmc(target, e, number(1 / e), 4, number(0));
  StochasticParams langevin_params;
  langevin_params.step.size = e * e;
  const Sgld langevin(target, {0, 2}, noisy, langevin_params);
  const Rng rng(3);
  Vec x{{0.5, -1}};
  auto s = momentum.init(x, rng);
  auto t = langevin.init(x, rng);
  momentum.step(x, s, rng.at(0));
  Vec y = x;
  for (std::uint64_t i = 0; i < 200; ++i) {
    langevin.step(y, t, rng.at(i));
    momentum.step(x, s, rng.at(i + 1));
    ASSERT_LT((x - y).norm(), 1e-12) << i;
  }
}

std::unique_ptr<Target> make(const char* name, const Settings& settings) {
  const ModelEntry& model = find_model(name);
  return model.make(Config(model.name, model.params, settings), nullptr);
}

RunData sampled(const Target& target, const char* name, const Settings& settings, const Schedule& schedule) {
  const SamplerEntry& sampler = find_sampler(name);
  SampleOptions options;
  options.schedule = schedule;
  options.seed = 5;
  options.threads = 1;
  options.initial.assign(4, Vec::Constant(target.dim(), 0.5));
  return sample(target, sampler, Config(sampler.name, sampler.params, settings), options);
}

// The mean over coordinates of f, one number per draw.
Mat coordinate_means(const RunData& run, Index dim, const std::function<double(double)>& f) {
  const Index draws = common_draws(run.sampling), rows = std::ssize(run.sampling);
  Mat out(draws, rows);
  for (Index row = 0; row < rows; ++row) {
    const double* values = run.sampling[static_cast<std::size_t>(row)].values.data();
    for (Index i = 0; i < draws; ++i) {
      out(i, row) = Eigen::Map<const Vec>(values + dim * i, dim).unaryExpr(f).mean();
    }
  }
  return out;
}

double square(double t) { return t * t; }
double fourth_power(double t) { return square(square(t)); }

Settings with(Settings settings, const Settings& more) {
  for (const auto& [key, value] : more) settings[key] = value;
  return settings;
}

const Settings fifty_steps{{"step_size", "0.1"}, {"leapfrog_steps", "50"}};
const Settings noisy_steps = with(fifty_steps, {{"gradient_noise", "4"}});

// U = t^4 - 2 t^2, step 0.1, 50 steps, gradients with noise N(0, 4). With a Metropolis test a trajectory is accepted or
// not as a whole, so that there the chain has one coordinate.
TEST(DoubleWell, EverySamplerHasTheLawItIsKnownToHave) {
  struct Case {
    const char* sampler;
    Settings settings;
    Value second, fourth;
    std::optional<Value> acceptance = std::nullopt;
  };
  constexpr Value exact_second{0.8327454871, 0}, exact_fourth{1.0827454871, 0};
  const Settings half_kicks{{"batch", "per_half_kick"}}, metropolis{{"metropolis", "true"}};
  const Settings friction = with(noisy_steps, {{"friction", "3"}, {"noise_variance", "4"}});
  const Case cases[] = {
      {"hmc",
       with(fifty_steps, {{"metric", "identity"}, {"jitter", "0"}, {"metropolis", "false"}}),
       {0.8318, 0.0005},
       {1.0858, 0.0011}},
      {"sghmc-naive", with(with(noisy_steps, half_kicks), metropolis), exact_second, exact_fourth,
       Value{0.676, 0.0005}},
      {"sghmc-naive", with(noisy_steps, metropolis), exact_second, exact_fourth, Value{0.570, 0.0005}},
      {"sghmc-naive", with(noisy_steps, half_kicks), {0.8937, 0.0006}, {1.402, 0.002}},
      {"sghmc-naive", noisy_steps, {0.9672, 0.0006}, {1.727, 0.002}},
      {"sghmc", with(friction, {{"refresh", "true"}}), {0.8288, 0.0004}, {1.0825, 0.0010}},
      {"sghmc", friction, {0.8291, 0.0005}, {1.0836, 0.0012}},
      {"sghmc", with(friction, {{"noise_variance", "0"}}), {0.8322, 0.0005}, {1.1044, 0.0010}},
  };
  for (const Case& test : cases) {
    const Index dim = test.acceptance ? 1 : many;
    const auto target = make("double-well", {{"dim", std::to_string(dim)}});
    const RunData run =
        sampled(*target, test.sampler, test.settings, {dim == 1 ? 500 : 50, dim == 1 ? 20'000 : 500, 1});
    std::string what = test.sampler;
    for (const auto& [key, value] : test.settings) what += ", " + key + "=" + value;
    expect_agreement(coordinate_means(run, dim, square), test.second, what + ", E t^2");
    expect_agreement(coordinate_means(run, dim, fourth_power), test.fourth, what + ", E t^4");
    if (test.acceptance) expect_agreement(statistic(run, "acceptance_rate"), *test.acceptance, what + ", acceptance");
  }
}

// A trajectory of the naive sampler on U = x^2/2 as a linear map of (x, r), and the covariance that its noise leaves.
struct NaiveTrajectory {
  Eigen::Matrix2d map = Eigen::Matrix2d::Identity(), noise = Eigen::Matrix2d::Zero();

  NaiveTrajectory(double e, int steps, double v, bool two_draws) {
    kick(e / 2, v);
    for (int i = 1; i <= steps; ++i) {
      apply(Eigen::Matrix2d{{1, e}, {0, 1}});
      if (i == steps) {
        kick(e / 2, v);
      } else if (two_draws) {
        kick(e / 2, v);
        kick(e / 2, v);
      } else {
        kick(e, v);
      }
    }
  }
  void apply(const Eigen::Matrix2d& m) {
    map = m * map;
    noise = m * noise * m.transpose();
  }
  void kick(double e, double v) {
    apply(Eigen::Matrix2d{{1, 0}, {-e, 1}});
    noise(1, 1) += e * e * v;
  }
  double variance() const {  // of x, where every trajectory starts with r ~ N(0, 1)
    return (square(map(0, 1)) + noise(0, 0)) / (1 - square(map(0, 0)));
  }
  double energy() const { return (map.col(1).squaredNorm() + noise.trace()) / 2; }  // at the end, from x = 0
};

TEST(Naive, VarianceIsThatOfTheLinearMap) {
  EXPECT_NEAR(NaiveTrajectory(0.1, 50, 4, true).variance(), 1.5780681, 5e-8);
  EXPECT_NEAR(NaiveTrajectory(0.1, 50, 4, false).variance(), 2.1436049, 5e-8);
  EXPECT_NEAR(NaiveTrajectory(0.1, 50, 0, true).variance(), 1.0025063, 5e-8);
  const auto target = make("gaussian", {{"dim", std::to_string(many)}, {"condition", "1"}});
  for (const bool two_draws : {true, false}) {
    const Settings settings = with(noisy_steps, {{"batch", two_draws ? "per_half_kick" : "per_gradient"}});
    const RunData run = sampled(*target, "sghmc-naive", settings, {20, 200, 1});
    expect_agreement(coordinate_means(run, many, square), {NaiveTrajectory(0.1, 50, 4, two_draws).variance(), 0},
                     two_draws ? "two draws" : "one draw");
  }
}

// Without a new momentum the energy grows by about e^2 V/2 a step: 300 in 15000 steps.
TEST(Naive, EnergyGrowsWithTheSteps) {
  constexpr int steps = 15'000;
  const double known = NaiveTrajectory(0.1, steps, 4, false).energy();
  EXPECT_NEAR(known, 300.5, 1);
  Product target(1);
  SghmcNaiveParams params;
  params.step.size = 0.1;
  params.leapfrog_steps = steps;
  const SghmcNaive kernel(target, {0, many}, EstimatorSettings{.added_noise = 4}, params);
  Vec x = Vec::Zero(many);
  auto s = kernel.init(x, Rng(7));
  kernel.step(x, s, Rng(7).at(0));
  expect_agreement((x.cwiseAbs2() + s.r.cwiseAbs2()) / 2, {known, 0}, "energy");
}

// E l x^2 on N(0, diag(1/l)) with step 0.02 and A = 1, by an independent implementation.
TEST(Sgnht, EveryVariantHasTheLawItIsKnownToHave) {
  struct Case {
    SgnhtParams::Variant variant;
    Vec precision, mass;
    double noise;
    std::array<Value, 2> known;
  };
  const Vec stiff{{1, 20}}, ones{{1, 1}}, light{{1, 0.1}};
  const Case cases[] = {
      {SgnhtParams::a, stiff, stiff, 0, {{{0.9904, 0.0019}, {0.9924, 0.0019}}}},
      {SgnhtParams::b, stiff, stiff, 0, {{{0.9893, 0.0016}, {0.9968, 0.0064}}}},
      {SgnhtParams::printed, stiff, stiff, 0, {{{1.2850, 0.0029}, {0.7140, 0.0024}}}},
      {SgnhtParams::a, ones, light, 0, {{{0.9905, 0.0019}, {0.9903, 0.0012}}}},
      {SgnhtParams::b, ones, light, 0, {{{0.9348, 0.0020}, {0.9149, 0.0015}}}},
      {SgnhtParams::printed, ones, light, 0, {{{0.8262, 0.0015}, {1.0540, 0.0019}}}},
      // Noise of variance (50, 200) on precisions (1, 4) with masses (1, 1), in coordinates (x, 2 y).
      {SgnhtParams::a, ones, Vec{{1, 0.25}}, 50, {{{0.6802, 0.0016}, {1.2799, 0.0017}}}},
  };
  for (const Case& test : cases) {
    Quadratic target(test.precision.asDiagonal());
    SgnhtParams params;
    params.step.size = 0.02;
    params.variant = test.variant;
    params.mass = diagonal_mass(test.mass);
    constexpr Index draws = 200'000, thin = 5;
    std::array<Mat, 2> squares{Mat(draws / thin, 4), Mat(draws / thin, 4)};
    run(Sgnht(target, {0, 2}, EstimatorSettings{.added_noise = test.noise}, params), 2, draws,
        [&](Index i, Index chain, const Vec& x, const auto&) {
          for (Index j = 0; j < 2; ++j) {
            squares[static_cast<std::size_t>(j)](i / thin, chain) = test.precision[j] * square(x[j]);
          }
        });
    for (std::size_t j = 0; j < 2; ++j) {
      expect_agreement(squares[j], test.known[j],
                       "row " + std::to_string(&test - cases) + ", coordinate " + std::to_string(j));
    }
  }
}

// Mass m I is the step e/sqrt(m) with the friction A/sqrt(m); with m = 4 not even rounding differs.
TEST(Sgnht, AScalarMassIsAStepSize) {
  const auto target = make("gaussian", {{"dim", "3"}, {"correlation", "0.5"}});
  const auto draws = [&](const Settings& settings) {
    return sampled(*target, "sgnht", with({{"variant", "printed"}, {"gradient_noise", "4"}}, settings), {10, 500, 1})
        .sampling[0]
        .values;
  };
  EXPECT_EQ(draws({{"step_size", "0.2"}, {"friction", "2"}, {"mass", "4"}}),
            draws({{"step_size", "0.1"}, {"friction", "1"}, {"mass", "1"}}));
}

// eta = e^2 and alpha = e C are other words for the same chain.
TEST(Sghmc, MomentumFormIsTheSameChain) {
  const auto target = make("double-well", {});
  const auto draws = [&](const Settings& settings) {
    return sampled(*target, "sghmc", with({{"gradient_noise", "4"}}, settings), {10, 500, 1}).sampling[0].values;
  };
  EXPECT_EQ(draws({{"learning_rate", "0.0625"}, {"momentum_decay", "0.5"}}),
            draws({{"step_size", "0.25"}, {"friction", "2"}}));
}

}  // namespace
}  // namespace quasar
