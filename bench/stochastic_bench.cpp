// A step of sgld and of hamcmc in a million dimensions, against bare loops that stream the same vectors as often and
// draw as many normals; the gradient is -x in both. Measured in turns in the same run. The bar: 1.5.
#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "kernels/langevin/hamcmc.hpp"
#include "kernels/langevin/sgld.hpp"
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

}  // namespace
}  // namespace quasar

int main() {
  quasar::run_sgld();
  quasar::run_hamcmc(true);
  quasar::run_hamcmc(false);
}
