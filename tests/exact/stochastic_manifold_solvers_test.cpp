// Solvers on manifolds that go by batches of terms: passes to known answers, and what each step keeps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <quasar/manifolds.hpp>

#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/sgd.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"
#include "solvers/manifold/vr_pca.hpp"
#include "support/manifold_problems.hpp"
#include "support/manifold_solvers.hpp"

namespace quasar {
namespace {

using test::EigenSetting;
using test::karcher_batches;
using test::KarcherSetting;

TEST(SvLbfgs, FindsTheKarcherMeanInFewPasses) {
  for (const auto& [condition, most] : {std::pair{10.0, 16.0}, {1000.0, 20.0}}) {
    KarcherSetting setting(condition);
    for (const auto pairs : {ManifoldSvLbfgs::last_step, ManifoldSvLbfgs::displacement}) {
      const ManifoldSvLbfgs solver(
          setting.problem,
          {.first_step = 0.05, .step_size = 0.5, .memory = 2, .pairs = pairs, .batches = karcher_batches}, Rng(11));
      const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules());
      EXPECT_EQ(found.stop, ManifoldStop::converged);
      EXPECT_LE(found.progress.passes, most) << condition;
    }
    const ManifoldSvLbfgs cheap(
        setting.problem, {.first_step = 0.05, .step_size = 0.5, .batches = karcher_batches, .moves = Moves::cheap},
        Rng(11));
    const ManifoldOptimum found = minimize(cheap, setting.start(), setting.rules());
    EXPECT_EQ(found.stop, ManifoldStop::converged) << condition;
    EXPECT_LE(found.progress.passes, most + 6) << condition;
  }
}

TEST(Svrg, FindsTheKarcherMean) {
  for (const auto& [condition, most] : {std::pair{10.0, 30.0}, {1000.0, 34.0}}) {
    KarcherSetting setting(condition);
    const ManifoldSvrg solver(setting.problem, {.step_size = 0.1, .batches = karcher_batches}, Rng(11));
    const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules());
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_LE(found.progress.passes, most) << condition;
  }
}

TEST(Svrg, FindsTheLeadingEigenvector) {
  EigenSetting setting(0.1);
  const ManifoldSvrg solver(setting.problem, {.step_size = 0.3, .batches = {.batch_size = 50}}, Rng(13));
  const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(60));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.passes, 32);
}

TEST(VrPca, FindsTheLeadingEigenvector) {
  EigenSetting setting(0.1);
  const VrPca by_default(setting.problem, {}, Rng(13));
  const VrPca solver(setting.problem, {.step_size = 3 * by_default.step_size()}, Rng(13));
  const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(100));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.passes, 44);
}

TEST(SvLbfgs, OfSnapshotsFindsTheLeadingEigenvectorSoonest) {
  for (const auto& [gap, most] : {std::pair{0.1, 15.0}, {0.02, 70.0}}) {
    EigenSetting setting(gap);
    const ManifoldSvLbfgs solver(setting.problem,
                                 {.first_step = 0.1,
                                  .step_size = 1,
                                  .memory = 10,
                                  .pairs = ManifoldSvLbfgs::snapshots,
                                  .least_curvature = 0.2 * gap,
                                  .batches = {.batch_size = 250, .inner_steps = 1}},
                                 Rng(13));
    const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(150));
    EXPECT_EQ(found.stop, ManifoldStop::converged) << gap;
    EXPECT_LE(found.progress.passes, most) << gap;
  }
}

TEST(Sgd, ComesNearAndSvrgComesNearer) {
  EigenSetting setting(0.2, 10, 200);
  const ManifoldSgd sgd(setting.problem, {.step_size = 0.05, .decay = 0.01, .batch_size = 10}, Rng(14));
  const ManifoldOptimum near = minimize(sgd, setting.start(), setting.rules(40));
  EXPECT_EQ(near.stop, ManifoldStop::iteration_limit);
  EXPECT_LT(setting.data.error(near.x), 5e-3);
  EXPECT_NEAR(near.progress.passes, 40, 1e-9);
  const ManifoldSvrg svrg(setting.problem, {.step_size = 0.1, .batches = {.batch_size = 10}}, Rng(14));
  EXPECT_LT(setting.data.error(minimize(svrg, setting.start(), setting.rules(40)).x), 1e-6);
}

TEST(Svrg, KeepsItsInvariants) {
  EigenSetting setting(0.1, 8, 40);
  ManifoldSvrg solver(setting.problem, {.step_size = 0.05, .batches = {.batch_size = 7}}, Rng(15));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  const Mat before = state.x;
  solver.inner_step(state);
  EXPECT_LT((state.v - state.full_gradient).norm(), 1e-14);  // v = g at the snapshot, for any batch
  EXPECT_GT((state.batch_gradient - state.full_gradient).norm(), 1e-3);
  EXPECT_LT((state.x - setting.problem.manifold().exp(before, -0.05 * state.full_gradient)).norm(), 1e-15);

  const VarianceReduced each(setting.problem, {.batch_size = 1}, Moves::geodesic, Rng(15));
  auto other = each.init(setting.start());
  each.take_snapshot(other);
  other.x = state.x;
  Mat mean = Mat::Zero(8, 1), exact = mean;
  for (Index i = 0; i < 40; ++i) {
    other.batch = {i};
    each.estimate(other);
    mean += other.v / 40;
  }
  setting.problem.gradient(other.x, exact);
  EXPECT_LT((mean - exact).norm(), 1e-14);  // E v = grad f(x)

  const VarianceReduced all(setting.problem, {.batch_size = 40}, Moves::geodesic, Rng(15));
  auto whole = all.init(setting.start());
  all.take_snapshot(whole);
  whole.x = state.x;
  all.draw_batch(whole);
  all.estimate(whole);
  EXPECT_LT((whole.v - exact).norm(), 1e-14);  // all terms: no noise

  auto still = solver.init(setting.data.vectors.col(0));
  solver.step(still);
  EXPECT_LT((still.x - setting.data.vectors.col(0)).norm(), 1e-13);  // the optimum stays
}

TEST(SvLbfgs, WithoutMemoryIsSvrg) {
  KarcherSetting setting(10);
  ManifoldSvLbfgs solver(setting.problem, {.first_step = 0.07, .memory = 0, .batches = karcher_batches}, Rng(16));
  ManifoldSvrg svrg(setting.problem, {.step_size = 0.07, .batches = karcher_batches}, Rng(16));
  auto a = solver.init(setting.start());
  auto b = svrg.init(setting.start());
  for (int k = 0; k < 3; ++k) {
    solver.step(a);
    svrg.step(b);
    EXPECT_EQ(a.x, b.x);
  }
}

TEST(SvLbfgs, StepsAreDescentAndPairsKeepTheSecantEquation) {
  KarcherSetting setting(100);
  const Manifold& m = setting.problem.manifold();
  ManifoldSvLbfgs solver(setting.problem,
                         {.first_step = 0.05, .step_size = 0.3, .memory = 3, .batches = karcher_batches}, Rng(17));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  for (int k = 0; k < 12; ++k) {
    solver.inner_step(state);  // pairs are now at x, the step was made at next
    if (state.pairs.pairs() == 0) continue;
    const Index newest = state.pairs.pairs() - 1;
    Mat h_y = state.x;
    state.pairs.apply(state.x, state.pairs.y(newest), h_y);
    const double scale = m.norm(state.x, state.pairs.z(newest));
    EXPECT_LT(m.norm(state.x, h_y - state.pairs.z(newest)), 1e-11 * scale);
    for (Index i = 0; i <= newest; ++i) {
      const double now = m.inner(state.x, state.pairs.z(i), state.pairs.y(i));
      EXPECT_NEAR(now, state.pairs.product(i), 1e-12 * state.pairs.product(i));  // transport is an isometry
    }
    EXPECT_LT(m.inner(state.next, state.step, state.v), 0);
  }
  EXPECT_EQ(state.pairs.pairs(), 3);
  EXPECT_EQ(state.skipped, 0);
}

TEST(SvLbfgs, LastStepsAndDisplacementsAreTheSamePairs) {
  KarcherSetting setting(100);
  const auto run = [&](ManifoldSvLbfgs::PairKind pairs) {
    ManifoldSvLbfgs solver(setting.problem, {.step_size = 0.3, .pairs = pairs, .batches = karcher_batches}, Rng(18));
    auto state = solver.init(setting.start());
    solver.step(state);
    return state.x;
  };
  const Mat by_steps = run(ManifoldSvLbfgs::last_step);
  EXPECT_LT((run(ManifoldSvLbfgs::displacement) - by_steps).norm(), 1e-10 * by_steps.norm());
  EXPECT_GT((run(ManifoldSvLbfgs::last_gradient) - by_steps).norm(), 1e-3);
}

// All terms in one batch, one inner step, step 1: the L-BFGS that everybody knows, here in a few lines.
Mat dense_lbfgs_inverse(const std::vector<Vec>& z, const std::vector<Vec>& y, std::size_t memory) {
  const std::size_t first = z.size() > memory ? z.size() - memory : 0;
  Mat h = Mat::Identity(4, 4) * (z.back().dot(y.back()) / y.back().squaredNorm());
  for (std::size_t i = first; i < z.size(); ++i) {
    const double zy = z[i].dot(y[i]);
    const Mat v = Mat::Identity(4, 4) - y[i] * z[i].transpose() / zy;
    h = v.transpose() * h * v + z[i] * z[i].transpose() / zy;
  }
  return h;
}

TEST(SvLbfgs, OnAFlatSpaceWithAllTermsIsLbfgs) {
  const Vec curvature{{1, 2, 5, 9}};
  test::QuadraticCost sum(curvature);
  ManifoldSvLbfgs solver(
      sum, {.first_step = 0.1, .step_size = 1, .memory = 2, .batches = {.batch_size = 1, .inner_steps = 1}}, Rng(19));
  Vec x{{1, -1, 2, 0.5}};
  auto state = solver.init(x);
  std::vector<Vec> z, y;
  for (int k = 0; k < 6; ++k) {
    const Vec g = curvature.cwiseProduct(x);
    const Vec step = z.empty() ? Vec(-0.1 * g) : Vec(-dense_lbfgs_inverse(z, y, 2) * g);
    x += step;
    z.push_back(step);
    y.push_back(curvature.cwiseProduct(step));
    solver.step(state);
    EXPECT_LT((state.x - x).norm(), 1e-13) << k;
  }
  EXPECT_LT(x.norm(), 0.1);
}

TEST(SvLbfgs, AsPrintedAscends) {
  KarcherSetting setting(10);
  const auto cost_after = [&](bool as_printed) {
    ManifoldSvLbfgs solver(setting.problem,
                           {.first_step = 0.05,
                            .step_size = 0.1,
                            .pairs = ManifoldSvLbfgs::last_gradient,
                            .as_printed = as_printed,
                            .batches = karcher_batches},
                           Rng(20));
    auto state = solver.init(setting.start());
    for (int k = 0; k < 3; ++k) solver.step(state);
    return setting.problem.value(state.x);
  };
  EXPECT_LT(cost_after(false), setting.problem.value(setting.start()));
  EXPECT_GT(cost_after(true), setting.problem.value(setting.start()));
}

// <a, x> with one term: the gradient step of pi leads from one end of a great circle to the other.
class SphereSum final : public ManifoldSum {
 public:
  const Manifold& manifold() const override { return *sphere_; }
  Index terms() const override { return 1; }
  double value(MatIn x) override { return x(2, 0); }
  double gradient(MatIn x, MatOut out) override {
    sphere_->gradient(x, Vec::Unit(3, 2), out);
    return value(x);
  }
  void mean_gradient(MatIn x, std::span<const Index>, MatOut out) override { gradient(x, out); }

 private:
  ManifoldPtr sphere_ = sphere(3);
};

TEST(SvLbfgs, ForgetsPairsWhereNoGeodesicIsShortest) {
  SphereSum sum;
  for (const auto pairs : {ManifoldSvLbfgs::displacement, ManifoldSvLbfgs::snapshots}) {
    ManifoldSvLbfgs solver(sum, {.first_step = 0.1, .pairs = pairs, .batches = {.batch_size = 1, .inner_steps = 1}},
                           Rng(26));
    auto state = solver.init(Vec{{0.6, 0, -0.8}});
    for (int k = 0; k < 4; ++k) ASSERT_EQ(solver.step(state), StepOutcome::moved);
    ASSERT_EQ(state.pairs.pairs(), 2);
    state.x = pairs == ManifoldSvLbfgs::snapshots ? Mat(-state.old_snapshot) : Mat(-state.pair_point);
    EXPECT_EQ(solver.step(state), StepOutcome::moved);
    EXPECT_EQ(state.pairs.pairs(), 0);
    for (int k = 0; k < 300; ++k) ASSERT_EQ(solver.step(state), StepOutcome::moved);
    EXPECT_NEAR(state.x(2, 0), -1, 1e-10);
  }
}

// No step leads away from a snapshot that is the answer, and what is told of it is so.
TEST(StochasticSolvers, EndAtASnapshotThatIsTheAnswer) {
  EigenSetting setting(0.1);
  KarcherSetting mean(10);
  const auto ends = [](auto solver, ManifoldProblem& problem, const Mat& start) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-5});
    Mat gradient = found.x;
    problem.gradient(found.x, gradient);
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_NEAR(found.progress.gradient_norm, problem.manifold().norm(found.x, gradient), 1e-12);
  };
  ends(VrPca(setting.problem, {}, Rng(23)), setting.problem, setting.start());
  ends(ManifoldSvrg(setting.problem, {.batches = {.batch_size = 50}}, Rng(23)), setting.problem, setting.start());
  for (const auto pairs : {ManifoldSvLbfgs::displacement, ManifoldSvLbfgs::snapshots}) {
    const ManifoldSvLbfgs::Params params{.pairs = pairs, .batches = karcher_batches};
    ends(ManifoldSvLbfgs(mean.problem, params, Rng(23)), mean.problem, mean.start());
  }
}

// One term: each inner step is a step of the power method with a shift, whatever the snapshot.
TEST(VrPca, WithOneTermIsThePowerMethod) {
  const Mat d = Vec{{1, 2, -1}};
  LeadingEigenvector problem(d);
  VrPca solver(problem, {.step_size = 0.1, .inner_steps = 1}, Rng(21));
  Vec w{{0.6, 0, 0.8}};
  auto state = solver.init(w);
  solver.take_snapshot(state);
  for (int k = 0; k < 5; ++k) {
    w = (w + 0.1 * d * (d.transpose() * w)).normalized();
    solver.inner_step(state, 0);
    EXPECT_LT((state.x - w).norm(), 1e-15);
  }
}

TEST(Solvers, GiveTheSameBitsAgain) {
  KarcherSetting setting(100);
  const auto run = [&] {
    return minimize(ManifoldSvLbfgs(setting.problem, {.batches = karcher_batches}, Rng(24)), setting.start(),
                    {.max_steps = 3})
        .x;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace quasar
