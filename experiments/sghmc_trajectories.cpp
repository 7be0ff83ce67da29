// Figure 2 of Chen, Fox and Guestrin (2014): paths of (theta, r) on U = theta^2/2 with step 0.1 over 15000 steps, with
// exact gradients and with noise N(0, 4), without friction, with a new momentum every 50 steps, and with friction.
//
// The paper draws points. Here are those of one path, a few of them as rows, and the energy of a thousand paths beside
// its expectation, which a linear recursion has exactly. Without friction and new momenta it grows by about e^2 V/2 a
// step. The figure does not say its friction: 3, as in Figure 1.
#include <fmt/core.h>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/rng.hpp>

#include "experiments/experiments.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/hmc/sghmc_naive.hpp"

namespace quasar {
namespace {

constexpr Index paths = 1000;  // the coordinates of one target: nothing couples them
constexpr double step = 0.1, noise = 4, friction = 3;
constexpr int renewal = 50;
constexpr int checkpoints[] = {1000, 5000, 15'000};

struct Paths {
  Vec theta, r;
  Vec energies() const { return (theta.cwiseAbs2() + r.cwiseAbs2()) / 2; }
};

// Second moments of (theta, r), from theta = 0 and r ~ N(0, 1).
struct Moments {
  Eigen::Matrix2d m = Eigen::Vector2d(0, 1).asDiagonal();

  void move(const Eigen::Matrix2d& map) { m = (map * m * map.transpose()).eval(); }
  void drift() { move(Eigen::Matrix2d{{1, step}, {0, 1}}); }
  void kick(double e, double variance) {
    move(Eigen::Matrix2d{{1, 0}, {-e, 1}});
    m(1, 1) += e * e * variance;
  }
  void renew() { m = Eigen::Vector2d(m(0, 0), 1).asDiagonal(); }
  double energy() const { return m.trace() / 2; }
};

double leapfrog_energy(int steps, int trajectory, double variance) {
  Moments moments;
  for (int done = 0; done < steps; done += trajectory) {
    moments.renew();
    moments.kick(step / 2, variance);
    for (int i = 1; i <= trajectory; ++i) {
      moments.drift();
      moments.kick(i == trajectory ? step / 2 : step, variance);
    }
  }
  return moments.energy();
}

// The friction's own noise makes up for what the gradient's lacks: N(0, 2 e C) together.
double friction_energy(int steps) {
  Moments moments;
  const Eigen::Matrix2d kick{{1, 0}, {-step, 1 - step * friction}};
  for (int i = 0; i < steps; ++i) {
    moments.drift();
    moments.move(kick);
    moments.m(1, 1) += 2 * step * friction;
  }
  return moments.energy();
}

// The target, and what the first path looks like from there: wherever a gradient is asked for, theta and the momentum
// that led to it, which is half a step old.
class Watched final : public Target {
 public:
  explicit Watched(std::unique_ptr<Target> target) : target_(std::move(target)) {}
  std::unique_ptr<Target> fork() const override { return target_->fork(); }
  Index dim() const override { return target_->dim(); }
  Eval logp_grad(In x, Out grad) override {
    constexpr int every = 29;  // not a divisor of 50: new momenta are seen at every age
    if (asked_++ % every == 0) note(x[0], (*momenta_)[0]);
    return target_->logp_grad(x, grad);
  }

  void begin(const Vec& momenta) {
    momenta_ = &momenta;
    asked_ = 0;
    theta_.clear();
    r_.clear();
  }
  Paths end(const Vec& theta, const Vec& r) {
    note(theta[0], r[0]);
    return {theta, r};
  }
  Series points(const char* name) const { return {.name = name, .mark = Series::Mark::points, .x = theta_, .y = r_}; }

 private:
  void note(double theta, double r) {
    theta_.push_back(theta);
    r_.push_back(r);
  }
  std::unique_ptr<Target> target_;
  const Vec* momenta_ = nullptr;
  int asked_ = 0;
  std::vector<double> theta_, r_;
};

Paths leapfrog_paths(Watched& target, const Rng& rng, int steps, int trajectory, double variance) {
  SghmcNaiveParams params;
  params.step.size = step;
  params.leapfrog_steps = trajectory;
  const SghmcNaive kernel(target, {0, paths}, EstimatorSettings{.added_noise = variance}, params);
  Vec theta = Vec::Zero(paths);
  auto s = kernel.init(theta, rng);
  target.begin(s.r);
  for (int done = 0; done < steps; done += trajectory) kernel.step(theta, s, rng.at(static_cast<std::uint64_t>(done)));
  return target.end(theta, s.r);
}

Paths friction_paths(Watched& target, const Rng& rng, int steps) {
  SghmcParams params;
  params.step.size = step;
  params.friction = Friction(paths, Mat::Constant(1, 1, friction));
  params.noise_variance = Mat::Constant(1, 1, noise);
  params.steps = steps;
  params.refresh = true;
  const Sghmc kernel(target, {0, paths}, EstimatorSettings{.added_noise = noise}, params);
  Vec theta = Vec::Zero(paths);
  auto s = kernel.init(theta, rng);
  target.begin(s.p);
  kernel.step(theta, s, rng.at(0));
  return target.end(theta, s.p);
}

struct Method {
  const char* name;
  Paths (*simulate)(Watched& target, const Rng& rng, int steps);
  double (*expected_energy)(int steps);
};

constexpr Method methods[] = {
    {"Hamiltonian", [](Watched& t, const Rng& rng, int n) { return leapfrog_paths(t, rng, n, n, 0); },
     [](int n) { return leapfrog_energy(n, n, 0); }},
    {"noisy", [](Watched& t, const Rng& rng, int n) { return leapfrog_paths(t, rng, n, n, noise); },
     [](int n) { return leapfrog_energy(n, n, noise); }},
    {"noisy, new momenta", [](Watched& t, const Rng& rng, int n) { return leapfrog_paths(t, rng, n, renewal, noise); },
     [](int n) { return leapfrog_energy(n, renewal, noise); }},
    {"noisy with friction", friction_paths, friction_energy},
};

Figure empty_figure() {
  const std::pair<double, double> middle{-5, 5};
  return {
      "figure-2",
      "Chen, Fox and Guestrin (2014), Figure 2: points (θ, r) of one path of 15000 steps on U = θ²/2, every 29th of "
      "them; right, the middle of the same. The paper draws points, prints no numbers and does not say its friction, "
      "here 3.",
      2,
      {{"all", {.label = "θ"}, {.label = "r"}, {}},
       {"the middle", {.label = "θ", .range = middle}, {.label = "r", .range = middle}, {}}}};
}

}  // namespace

ExperimentResult run_sghmc_trajectories(const ExperimentOptions& options) {
  const ModelEntry& model = find_model("gaussian");
  Watched target(
      model.make(Config(model.name, model.params, {{"dim", std::to_string(paths)}, {"condition", "1"}}), nullptr));
  ExperimentResult result{{{"step_size", fmt::format("{}", step)},
                           {"gradient_noise", fmt::format("{}", noise)},
                           {"friction", fmt::format("{}", friction)},
                           {"steps between new momenta", std::to_string(renewal)},
                           {"paths", std::to_string(paths)}},
                          {}};
  Figure figure = empty_figure();
  for (const Method& method : methods) {
    options.on_method(method.name);
    for (const int steps : checkpoints) {
      const Paths found = method.simulate(target, Rng(options.seed), steps);
      const Vec energies = found.energies();
      const auto add = [&](const char* quantity, double value, std::optional<double> mcse = std::nullopt) {
        result.rows.push_back({method.name, fmt::format(fmt::runtime(quantity), steps), value, mcse, std::nullopt});
      };
      add("energy after {} steps", mean(energies), mcse_mean(energies));
      add("energy after {} steps, exact", method.expected_energy(steps));
      add("theta after {} steps, first path", found.theta[0]);
      add("r after {} steps, first path", found.r[0]);
    }
    for (Panel& panel : figure.panels) panel.series.push_back(target.points(method.name));
  }
  result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace quasar
