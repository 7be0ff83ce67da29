// A step of sgld and of hamcmc in a million dimensions, against bare loops that stream the same vectors as often and
// draw as many normals; the gradient is -x in both. Measured in turns in the same run. The bar: 1.5.
//
// Then steps of sg-nphmc-canonical against those of sghmc: on a logistic regression on minibatches, both learning the
// noise of their gradients, and in a million dimensions with a gradient that costs nothing. The bar: 1.3.
#include <fmt/core.h>

#include <cmath>
#include <string>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "kernels/hmc/sghmc.hpp"
#include "kernels/langevin/hamcmc.hpp"
#include "kernels/langevin/sgld.hpp"
#include "kernels/thermostat/sg_nphmc_canonical.hpp"
#include "models/regression/logistic.hpp"
#include "side_by_side.hpp"

namespace quasar {
namespace {

constexpr Index dim = 1'000'000;
constexpr double bar = 1.5;

struct StandardNormal final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<StandardNormal>(*this); }
  Index dim() const override { return quasar::dim; }
  Eval logp_grad(In x, Out grad) override {
    grad = -x;
    return {0};
  }
};

void run_sgld() {
  StandardNormal target;
  StochasticParams params;
  params.step.size = 0.01;
  const Sgld kernel(target, {0, dim}, {}, params);
  Vec x = Vec::Zero(dim), plain_x = x, g(dim), z(dim);
  auto state = kernel.init(x, Rng(1));
  std::uint64_t t = 0;
  report(
      "sgld", bar, [&] { kernel.step(x, state, Rng(2).at(t++)); },
      [&] {
        g = -plain_x;
        Rng(2).at(t++).stream("noise").normals(z);
        plain_x += 0.01 * g + std::sqrt(0.02) * z;
      });
}

// What L-BFGS cannot do without, given m pairs: the product reads all pairs twice, the draw once (y, then s), the new
// pair meets all once.
void run_hamcmc(bool frozen) {
  StandardNormal target;
  HamcmcParams params;
  params.step.size = 0.01;
  params.frozen = frozen;
  const Hamcmc kernel(target, {0, dim}, {}, params);
  Vec x = Vec::Zero(dim);
  auto state = kernel.init(x, Rng(1));
  std::uint64_t t = 0;

  const Index m = params.memory - 1;
  Mat s = Mat::Ones(dim, m), y = Mat::Ones(dim, m), positions = Mat::Zero(dim, params.memory);
  Vec px(dim), g(dim), drift(dim), move(dim), displaced(dim), displaced_g(dim), new_s(dim), new_y(dim);
  Vec a(m), b(m), c(m);
  const auto bare = [&] {
    const Rng rng = Rng(2).at(t++);
    px = positions.col(0);
    g = -px;
    for (Index j = 0; j < m; ++j) a[j] = 1e-9 * s.col(j).dot(g);
    for (Index j = 0; j < m; ++j) b[j] = 1e-9 * y.col(j).dot(g);
    drift = g;
    for (Index j = 0; j < m; ++j) drift += a[j] * y.col(j);
    for (Index j = 0; j < m; ++j) drift += b[j] * s.col(j);
    Stream normals = rng.stream("noise");
    normals.normals(move);
    for (Index j = 0; j < m; ++j) c[j] = 1e-9 * y.col(j).dot(move) + normals.normal();
    for (Index j = 0; j < m; ++j) move += c[j] * s.col(j);
    px += 0.01 * drift + 0.1 * move;
    if (!frozen) {
      rng.stream("pair").normals(new_s);
      displaced = px + new_s;
      displaced_g = -displaced;
      new_y = g - displaced_g;
      for (Index j = 0; j < m; ++j) a[j] = s.col(j).dot(new_y) + y.col(j).dot(new_y);
      for (Index j = 0; j < m; ++j) b[j] = s.col(j).dot(new_s) + y.col(j).dot(new_s);
      s.col(0) = new_s;
      y.col(0) = new_y;
    }
    positions.col(0) = px;
  };
  report(
      frozen ? "hamcmc, frozen" : "hamcmc, learning", bar, [&] { kernel.step(x, state, Rng(2).at(t++)); }, bare);
}

Table table(Index rows, Index predictors) {
  Table made{"memory", {}, Mat(rows, predictors + 1), {}};
  Stream stream = Rng(4).stream("table");
  for (Index j = 0; j <= predictors; ++j) {
    made.names.push_back(j < predictors ? fmt::format("x{}", j + 1) : "y");
    stream.normals(made.values.col(j));
  }
  made.values.col(predictors) = (made.values.col(predictors) + made.values.col(0)).array().max(0).sign();
  for (Index i = 0; i < rows; ++i) made.lines.push_back(i + 2);
  return made;
}

void run_thermostat(const char* name, Target& target, EstimatorSettings estimator, std::int64_t steps) {
  constexpr double thermostat_bar = 1.3, step = 1e-3, friction = 10;
  const bool learned = estimator.kind != EstimatorSettings::full;
  estimator.track_noise = learned;
  const Block whole{0, target.dim()};
  SghmcParams plain_params;
  plain_params.step.size = step;
  plain_params.friction = Friction(target.dim(), Mat::Constant(1, 1, friction));
  plain_params.steps = steps;
  if (learned) plain_params.noise = SghmcParams::learned_diagonal;
  SgNphmcCanonicalParams params;
  params.step.size = step;
  params.friction = friction;
  params.leapfrog_steps = steps;
  params.noise.learned = learned;
  const Sghmc plain(target, whole, estimator, plain_params);
  const SgNphmcCanonical thermostat(target, whole, estimator, params);
  Vec x = Vec::Zero(target.dim()), plain_x = x;
  auto state = thermostat.init(x, Rng(1));
  auto plain_state = plain.init(plain_x, Rng(1));
  std::uint64_t t = 0;
  report(
      name, thermostat_bar, [&] { thermostat.step(x, state, Rng(2).at(t++)); },
      [&] { plain.step(plain_x, plain_state, Rng(2).at(t++)); }, "sghmc");
}

void run_thermostats() {
  const Table data = table(10'000, 50);
  const auto logistic = make_logistic(Config("logistic", regression_params, {}), &data);
  run_thermostat("logistic, 100 rows", *logistic, {.kind = EstimatorSettings::minibatch, .batch_size = 100}, 1000);
  StandardNormal normal;
  run_thermostat("10^6 dimensions", normal, {}, 10);
}

}  // namespace
}  // namespace quasar

int main() {
  quasar::run_sgld();
  quasar::run_hamcmc(true);
  quasar::run_hamcmc(false);
  quasar::run_thermostats();
}
