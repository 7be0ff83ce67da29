// Warm-up of a kernel with a step size and a metric: dual averaging all along, a new metric at the end of each window.
// A step size given by the user is kept; afterwards nothing changes any more.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "adapt/dual_averaging.hpp"
#include "adapt/windows.hpp"

namespace quasar {

// Doubles or halves the step size until the acceptance of a single step crosses 0.8 (Hoffman and Gelman 2014,
// algorithm 4, with Stan's threshold). Returns the gradients spent.
template <class K>
std::int64_t find_step_size(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
  double& step_size = kernel.params().step_size;
  const double crossing = std::log(0.8);
  std::int64_t tries = 0;
  const auto accepted = [&] {
    return kernel.log_accept(step_size, x, s, rng.child("try", static_cast<std::uint64_t>(tries++))) > crossing;
  };
  const bool grow = accepted();
  do {
    step_size *= grow ? 2 : 0.5;
    if (step_size > 1e10)
      throw RunError("the step size grows without bound: is the density improper (constant in some direction)?");
    if (step_size < 1e-300)
      throw RunError(
          "no step size is small enough to be accepted: the density or its gradient is wrong or discontinuous here; "
          "check_gradient may tell");
  } while (accepted() == grow);
  return tries;
}

template <class Learner>
class Warmup {
 public:
  Warmup(std::int64_t iterations, double target_accept, bool fixed_step_size, Block block)
      : windows_(warmup_windows(iterations)), block_(block), fixed_(fixed_step_size), learner_(block.size) {
    averaging_.target = target_accept;
  }

  template <class K>
  std::int64_t begin(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    return restart_step_size(kernel, x, s, rng);
  }

  template <class K>
  std::int64_t update(K& kernel, const Vec& x, typename K::State& s, const typename K::Info& info, const Rng& rng) {
    if (!fixed_) kernel.params().step_size = averaging_.update(info.accept_prob);
    const std::int64_t done = ++iteration_;
    if (windows_.ends.empty() || done <= windows_.begin || done > windows_.ends.back()) return 0;
    learner_.add(x.segment(block_.begin, block_.size), s.g.segment(block_.begin, block_.size));
    if (done < windows_.ends[static_cast<std::size_t>(window_)]) return 0;
    ++window_;
    const bool learned = learner_.learn(kernel.params().metric);
    learner_.reset();
    return learned ? restart_step_size(kernel, x, s, rng) : 0;
  }

  template <class K>
  void finish(K& kernel, const Vec&, typename K::State&) {
    if (!fixed_ && averaging_.count > 0) kernel.params().step_size = averaging_.average();
  }

  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("window", self.window_);
    visit("averaging", self.averaging_);
    visit("learner", self.learner_);
  }

 private:
  template <class K>
  std::int64_t restart_step_size(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    if (fixed_) return 0;
    const std::int64_t spent = find_step_size(kernel, x, s, rng.child("step_size"));
    averaging_.restart(kernel.params().step_size);
    return spent;
  }

  Windows windows_;
  Block block_;
  bool fixed_;
  std::int64_t iteration_ = 0, window_ = 0;
  DualAveraging averaging_;
  Learner learner_;
};

}  // namespace quasar
