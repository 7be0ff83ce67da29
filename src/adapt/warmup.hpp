// Warm-up of a kernel with a step size and a metric: dual averaging all along, a new metric at the end of each window;
// afterwards nothing changes any more.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "adapt/dual_averaging.hpp"
#include "adapt/lanczos.hpp"
#include "adapt/windows.hpp"

namespace quasar {

// Doubles or halves the step size until the acceptance of a single step crosses 0.8 (Hoffman and Gelman 2014,
// algorithm 4, with Stan's threshold). Returns the gradients spent.
template <class K>
std::int64_t find_step_size(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
  double& step_size = kernel.params().step_size;
  const double crossing = std::log(0.8);
  std::uint64_t tries = 0;
  std::int64_t spent = 0;
  const auto accepted = [&] {
    const double log_ratio = kernel.log_accept(step_size, x, s, rng.child("try", tries++));
    ++spent;
    if constexpr (requires { s.too_long; }) spent -= s.too_long ? 1 : 0;  // then nothing was evaluated
    return log_ratio > crossing;
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
  return spent;
}

// Acceptance as a measure of the step size. Where it does not tend to 1 with the step size, the kernel says what does.
template <class Info>
double step_acceptance(const Info& info) {
  if constexpr (requires { info.step_accept_prob; }) {
    return info.step_accept_prob;
  } else {
    return info.accept_prob;
  }
}

// The step size alone; one given by the user is kept.
class StepSizeWarmup {
 public:
  StepSizeWarmup(double target_accept, bool fixed) : fixed_(fixed) { averaging_.target = target_accept; }

  template <class K>
  std::int64_t begin(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    if (fixed_) return 0;
    const std::int64_t spent = find_step_size(kernel, x, s, rng.child("step_size"));
    averaging_.restart(kernel.params().step_size);
    return spent;
  }

  template <class K>
  std::int64_t update(K& kernel, const Vec&, typename K::State&, const typename K::Info& info, const Rng&) {
    if (!fixed_) kernel.params().step_size = averaging_.update(step_acceptance(info));
    settle(kernel, true);
    return 0;
  }

  template <class K>
  void finish(K& kernel, const Vec&, typename K::State&) {
    if (!fixed_ && averaging_.count > 0) kernel.params().step_size = averaging_.average();
    settle(kernel, false);
  }

  static void fields(auto& self, auto&& visit) { visit("averaging", self.averaging_); }

 private:
  // A kernel may come down from a far start in a way that is not exact.
  template <class K>
  static void settle(K& kernel, bool settling) {
    if constexpr (requires { kernel.params().settling; }) kernel.params().settling = settling;
  }

  bool fixed_;
  DualAveraging averaging_;
};

template <class Learner>
class Warmup {
 public:
  Warmup(std::int64_t iterations, double target_accept, bool fixed_step_size, Block block)
      : windows_(warmup_windows(iterations)),
        block_(block),
        step_size_(target_accept, fixed_step_size),
        learner_(block.size) {}

  template <class K>
  std::int64_t begin(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    return step_size_.begin(kernel, x, s, rng);
  }

  template <class K>
  std::int64_t update(K& kernel, const Vec& x, typename K::State& s, const typename K::Info& info, const Rng& rng) {
    step_size_.update(kernel, x, s, info, rng);
    const std::int64_t done = ++iteration_;
    if (windows_.ends.empty() || done <= windows_.begin || done > windows_.ends.back()) return 0;
    learner_.add(x.segment(block_.begin, block_.size), s.g.segment(block_.begin, block_.size));
    if (done < windows_.ends[static_cast<std::size_t>(window_)]) return 0;
    ++window_;
    std::int64_t spent = 0;
    if (learn(kernel, x, s, rng, spent)) spent += step_size_.begin(kernel, x, s, rng);
    learner_.reset();
    return spent;
  }

  template <class K>
  void finish(K& kernel, const Vec& x, typename K::State& s) {
    step_size_.finish(kernel, x, s);
  }

  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("window", self.window_);
    visit("step_size", self.step_size_);
    visit("learner", self.learner_);
  }

 private:
  // A learner that probes the density pays with gradients.
  template <class K>
  bool learn(K& kernel, const Vec& x, const typename K::State& s, const Rng& rng, std::int64_t& spent) {
    auto& metric = kernel.params().metric;
    if constexpr (requires(LocalGradient probe) { learner_.learn(metric, probe, rng); }) {
      Vec nearby(x.size()), gradient(x.size());
      const auto at_offset = [&](In offset, Out out) {
        nearby = x;
        nearby.segment(block_.begin, block_.size) += offset;
        ++spent;
        const bool finite = std::isfinite(kernel.potential_at(nearby, gradient));
        out = gradient.segment(block_.begin, block_.size);
        return finite;
      };
      return learner_.learn(metric, {s.g.segment(block_.begin, block_.size), at_offset}, rng.child("probe"));
    } else {
      return learner_.learn(metric);
    }
  }

  Windows windows_;
  Block block_;
  std::int64_t iteration_ = 0, window_ = 0;
  StepSizeWarmup step_size_;
  Learner learner_;
};

}  // namespace quasar
