// What must hold of the quasi-Newton kernels without statistics.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/hmc/hmc.hpp"
#include "kernels/hmc/hmc_bfgs.hpp"
#include "kernels/hmc/qnhmc_naive.hpp"
#include "kernels/hmc/qnhmc_printed.hpp"
#include "metrics/bfgs_matrix.hpp"
#include "metrics/dense.hpp"
#include "metrics/squared.hpp"
#include "support/kernels.hpp"
#include "support/targets.hpp"
#include "targets/covariance.hpp"
#include "targets/gaussian.hpp"

namespace quasar {
namespace {

using test::SkewedTarget;
static_assert(Kernel<HmcBfgs> && Kernel<NaiveQnhmc<Dense>> && Kernel<PrintedQnhmc<BfgsMatrix>> &&
              Kernel<PrintedQnhmc<Lbfgs>>);

const Block whole{0, 3};
const Vec start{{-0.4, 0.3, 0.2}};

PrintedQnhmcParams<Lbfgs> printed_params() {
  PrintedQnhmcParams<Lbfgs> params;
  params.step_size = 0.2;
  params.leapfrog_steps = 4;
  params.initial = test::coarse_lbfgs();
  return params;
}

// dx/dt = C p, dp/dt = -C grad U is HMC with the mass C^-2: the same points and energies, to rounding.
TEST(PrintedQnhmc, IsHmcWithTheSquareOfItsMatrix) {
  SkewedTarget target;
  const PrintedQnhmc<Lbfgs> printed(target, whole, printed_params());
  HmcParams<Squared<Lbfgs>> params;
  params.step_size = 0.2;
  params.leapfrog_steps = 4;
  params.metric = Squared<Lbfgs>(test::coarse_lbfgs(), 3);
  const Hmc<Squared<Lbfgs>> hmc(target, whole, params);
  for (std::uint64_t i = 0; i < 20; ++i) {
    Vec x = start, y = start;
    auto s = printed.init(x, Rng(1));
    auto t = hmc.init(y, Rng(1));
    const auto a = printed.step(x, s, Rng(1).at(i)), b = hmc.step(y, t, Rng(1).at(i));
    EXPECT_LT((x - y).norm(), 1e-13);
    EXPECT_NEAR(a.energy_error, b.energy_error, 1e-12);
  }
}

// Accepted: C is the BFGS matrix of the pairs on the way, in order. Rejected: C is what it was.
TEST(PrintedQnhmc, UpdatesItsMatrixAlongAcceptedTrajectoriesOnly) {
  SkewedTarget target;
  PrintedQnhmcParams<BfgsMatrix> params;
  params.step_size = 1.1;
  params.leapfrog_steps = 3;
  params.jitter = 0;
  params.initial = BfgsMatrix(3);
  const PrintedQnhmc<BfgsMatrix> kernel(target, whole, params);
  Vec x = start;
  auto s = kernel.init(x, Rng(2));
  int accepted = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Vec x0 = x;
    BfgsMatrix expected = s.curvature;
    const Mat c = expected.matrix();
    const Rng rng = Rng(2).at(i);
    kernel.step(x, s, rng);
    if (x == x0) {
      EXPECT_EQ(s.curvature.matrix(), c);
      continue;
    }
    ++accepted;
    Vec p(3), q = x0, g(3), before(3);
    rng.stream("velocity").normals(p);
    potential(target, q, g);
    for (int l = 0; l < 3; ++l) {
      const Vec from = q;
      before = g;
      p -= 0.55 * (c * g);
      q += 1.1 * (c * p);
      potential(target, q, g);
      p -= 0.55 * (c * g);
      expected.add_pair(q - from, g - before);
    }
    EXPECT_LT((s.curvature.matrix() - expected.matrix()).norm(), 1e-10 * expected.matrix().norm()) << i;
  }
  EXPECT_GT(accepted, 10);
  EXPECT_LT(accepted, 100);
}

TEST(PrintedQnhmc, CacheIsFreshAfterEveryStep) {
  SkewedTarget target;
  const PrintedQnhmc<Lbfgs> kernel(target, whole, printed_params());
  Vec x = start, g(3);
  auto s = kernel.init(x, Rng(3));
  for (std::uint64_t i = 0; i < 100; ++i) {
    kernel.step(x, s, Rng(3).at(i));
    ASSERT_EQ(s.u, potential(target, x, g));
    ASSERT_EQ(s.g, g);
  }
}

// K_L - K_0 = G'(v_0 + v_L) / 2 with G the sum of the kicks: a velocity form needs no solve to know it.
TEST(VelocityForm, KineticEnergyChangesByTheWorkOfTheKicks) {
  SkewedTarget target;
  const Lbfgs metric = test::coarse_lbfgs();
  PhasePoint z(3, 3);
  z.x = start;
  z.u = potential(target, z.x, z.g);
  Stream noise = Rng(4).stream("velocity");
  refresh(metric, whole, noise, z);
  const Vec v0 = z.v, p0 = z.p;
  const double k0 = 0.5 * p0.dot(v0);
  for (int i = 0; i < 7; ++i) leapfrog(target, metric, whole, 0.3, z);
  EXPECT_NEAR(0.5 * z.p.dot(z.v) - k0, 0.5 * (z.p - p0).dot(v0 + z.v), 1e-12);
}

// Leapfrog on a quadratic is a rotation: after L steps from rest x is cos(L phi) of itself, cos phi = 1 - e^2 k / 2.
// With the covariance 11' + 4 I, e = 0.01, L = 10 (Fu, Luo and Zhang, table 1) the slow direction of HMC has
// rho_1 = 0.999952, so the autocorrelations up to lag 500 sum to 494.0; with C equal to the covariance, 0.523156
// and 1.10.
template <class P>
double slow_correlation(const P& metric) {
  const Index d = 100;
  Gaussian target(std::make_shared<ExchangeableCovariance>(d, 4.0, 1.0));
  PhasePoint z(d, d);
  z.x = Vec::Ones(d);
  z.u = potential(target, z.x, z.g);
  z.v.setZero();
  z.p.setZero();
  metric.apply(z.g, z.hg);
  for (int i = 0; i < 10; ++i) leapfrog(target, metric, {0, d}, 0.01, z);
  EXPECT_LT((z.x - z.x.mean() * Vec::Ones(d)).norm(), 1e-10);
  return z.x.mean();
}

double sum_of_powers(double rho, int lags) { return rho * (1 - std::pow(rho, lags)) / (1 - rho); }

TEST(PublishedGaussian, CorrelationsAreThoseOfTheory) {
  const double hmc = slow_correlation(Identity(100));
  EXPECT_NEAR(hmc, 0.999952, 5e-7);
  EXPECT_NEAR(sum_of_powers(hmc, 500), 494.0, 0.05);
  Dense covariance(100);
  covariance.set_covariance(Mat::Ones(100, 100) + 4 * Mat::Identity(100, 100));
  const double qnhmc = slow_correlation(Squared<Dense>(covariance, 100));
  EXPECT_NEAR(qnhmc, 0.523156, 5e-7);
  EXPECT_NEAR(sum_of_powers(qnhmc, 500), 1.10, 0.005);
  EXPECT_NEAR(slow_correlation(covariance), 0.995004, 5e-7);  // velocity form: C = root of the covariance
}

// The naive leapfrog goes back where it came from; what it keeps is U + v'H^-1 v / 2, not U + v'v / 2.
TEST(NaiveQnhmc, KeepsAnotherEnergy) {
  SkewedTarget target;
  const Dense metric = test::coarse_dense();
  const auto errors = [&](double step) {
    PhasePoint z(3, 3);
    z.x = start;
    z.u = potential(target, z.x, z.g);
    Rng(5).stream("velocity").normals(z.v);
    metric.solve(z.v, z.p);
    metric.apply(z.g, z.hg);
    const double kept = z.energy(), other = z.u + 0.5 * z.v.squaredNorm();
    const int steps = static_cast<int>(std::lround(1 / step));
    for (int i = 0; i < steps; ++i) leapfrog(target, metric, whole, step, z);
    Vec found{{std::abs(z.energy() - kept), std::abs(z.u + 0.5 * z.v.squaredNorm() - other)}};
    z.v = -z.v;
    z.p = -z.p;
    for (int i = 0; i < steps; ++i) leapfrog(target, metric, whole, step, z);
    EXPECT_LT((z.x - start).norm(), 1e-12);
    return found;
  };
  const Vec coarse = errors(0.02), fine = errors(0.01);
  EXPECT_NEAR(coarse[0] / fine[0], 4, 0.1);
  EXPECT_NEAR(coarse[1] / fine[1], 1, 0.01);
  EXPECT_GT(fine[1], 0.01);
}

struct Ensemble {
  SkewedTarget target;
  HmcBfgs kernel;
  HmcBfgs::State state;
  Vec x = start;

  explicit Ensemble(std::int64_t members)
      : kernel(target, whole, params(members)), state(kernel.init(points(), Rng(6))) {}

  static EnsembleParams params(std::int64_t members) {
    EnsembleParams params;
    params.step_size = 0.8;
    params.leapfrog_steps = 3;
    params.members = members;
    return params;
  }
  std::vector<Vec> points() const {
    std::vector<Vec> points(static_cast<std::size_t>(kernel.members()), Vec(3));
    for (std::size_t k = 0; k < points.size(); ++k) target.draw(Rng(6).child("member", k), points[k]);
    return points;
  }
};

TEST(HmcBfgs, MovesItsMembersInTurn) {
  Ensemble e(4);
  int moved = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Mat before = e.state.positions;
    e.kernel.step(e.x, e.state, Rng(7).at(i));
    for (Index k = 0; k < 4; ++k) {
      const bool its_turn = k == static_cast<Index>(i % 4);
      EXPECT_EQ(e.state.positions.col(k), its_turn ? e.x : Vec(before.col(k)));
      if (its_turn) moved += before.col(k) != e.x;
    }
  }
  EXPECT_GT(moved, 10);
  EXPECT_LT(moved, 40);
}

TEST(HmcBfgs, CachesAreFreshAfterEveryStep) {
  Ensemble e(4);
  Vec g(3);
  for (std::uint64_t i = 0; i < 40; ++i) {
    e.kernel.step(e.x, e.state, Rng(7).at(i));
    for (Index k = 0; k < 4; ++k) {
      ASSERT_EQ(e.state.potentials[k], potential(e.target, e.state.positions.col(k), g));
      ASSERT_EQ(e.state.gradients.col(k), g);
    }
  }
}

// What makes the ensemble exact: the metric of a member does not know where that member is.
TEST(HmcBfgs, AMembersMetricDependsOnTheOthersAlone) {
  Ensemble e(5), other(5);
  other.state.positions.col(0) += Vec{{1.0, -2.0, 0.5}};
  other.state.potentials[0] = potential(other.target, other.state.positions.col(0), other.state.gradients.col(0));
  e.kernel.step(e.x, e.state, Rng(8));
  other.kernel.step(other.x, other.state, Rng(8));
  const Mat h = e.state.hmc.params().metric.inverse_metric(3);
  EXPECT_EQ(h, other.state.hmc.params().metric.inverse_metric(3));

  Lbfgs expected(3, 3);  // pairs 1 -> 2 -> 3 -> 4, the first scale from the newest
  const Ensemble fresh(5);
  for (Index k = 1; k < 4; ++k) {
    expected.add_pair(fresh.state.positions.col(k + 1) - fresh.state.positions.col(k),
                      fresh.state.gradients.col(k + 1) - fresh.state.gradients.col(k));
  }
  expected.set_initial_scale(expected.newest_scale());
  EXPECT_LT((h - expected.inverse_metric(3)).norm(), 1e-13);
}

TEST(HmcBfgs, MembersThatCoincideHaveNoPairs) {
  SkewedTarget target;
  const HmcBfgs kernel(target, whole, Ensemble::params(4));
  Vec x = start;
  auto s = kernel.init(x, Rng(1));
  EXPECT_EQ(kernel.step(x, s, Rng(9)).pairs, 0);
  EXPECT_EQ(s.hmc.params().metric.inverse_metric(3), Mat(Mat::Identity(3, 3)));
}

}  // namespace
}  // namespace quasar
