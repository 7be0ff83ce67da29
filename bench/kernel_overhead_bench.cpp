// Time of a leapfrog step beyond the gradient, for hmc and nuts with the identity and a diagonal metric.
//
// A step is measured with a gradient that costs as little as one can (a standard normal) and that time is subtracted,
// measured alone in the same run. The bar: 1 us + 20 ns per dimension.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "kernels/hmc/hmc.hpp"
#include "kernels/hmc/nuts.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"

namespace quasar {
namespace {

struct StandardNormal final : Target {
  Index d;
  explicit StandardNormal(Index dim) : d(dim) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<StandardNormal>(*this); }
  Index dim() const override { return d; }
  Eval logp_grad(In x, Out grad) override {
    grad = -x;
    return {-0.5 * x.squaredNorm()};
  }
};

double nanoseconds(std::chrono::steady_clock::duration elapsed) {
  return std::chrono::duration<double, std::nano>(elapsed).count();
}

// The best of several runs, each over about the same number of coordinates.
template <class F>
double best_per_unit(F&& run) {
  double best = 1e300;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t units = run();
    best = std::min(best, nanoseconds(std::chrono::steady_clock::now() - begin) / static_cast<double>(units));
  }
  return best;
}

double gradient_time(StandardNormal& target, std::int64_t calls) {
  Vec x = Vec::Ones(target.d), g(target.d);
  double sum = 0;
  const double time = best_per_unit([&] {
    for (std::int64_t i = 0; i < calls; ++i) sum += target.logp_grad(x, g).logp + g[0];
    return calls;
  });
  return sum == 1 ? 0 : time;  // keeps the sum
}

template <class K>
double step_time(const K& kernel, Index d, std::int64_t gradients) {
  const Rng rng(1);
  Vec x = Vec::Ones(d);
  auto s = kernel.init(x, rng);
  std::uint64_t iteration = 0;
  return best_per_unit([&] {
    std::int64_t spent = 0;
    while (spent < gradients) spent += kernel.step(x, s, rng.at(iteration++)).grad_evals;
    return spent;
  });
}

template <class K>
void report(const char* name, const K& kernel, StandardNormal& target) {
  const std::int64_t gradients = std::max<std::int64_t>(2000, 4'000'000 / target.d);
  const double gradient = gradient_time(target, gradients);
  const double overhead = step_time(kernel, target.d, gradients) - gradient;
  const double bar = 1000 + 20.0 * static_cast<double>(target.d);
  fmt::print("{:<16} d = {:>6}   gradient {:>9.1f} ns   overhead {:>9.1f} ns   bar {:>9.0f} ns   ratio {:.2f}\n", name,
             target.d, gradient, overhead, bar, overhead / bar);
}

void run(Index d) {
  StandardNormal target(d);
  const Block whole{0, d};
  const double step = 1.2 * std::pow(static_cast<double>(d), -0.25);
  report("hmc, identity", Hmc<Identity>(target, whole, {{.step_size = step, .leapfrog_steps = 8}}), target);
  report("hmc, diagonal", Hmc<Diagonal>(target, whole, {{.step_size = step, .leapfrog_steps = 8}, Diagonal(d)}),
         target);
  report("nuts, identity", Nuts<Identity>(target, whole, {.step_size = step}), target);
  report("nuts, diagonal", Nuts<Diagonal>(target, whole, {.step_size = step, .metric = Diagonal(d)}), target);
}

}  // namespace
}  // namespace quasar

int main() {
  for (const quasar::Index d : {10, 100, 1000, 10'000}) quasar::run(d);
}
