// Counting what a problem is asked for, and recording how a solver gets on, without either knowing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/manifold/minimize.hpp"

namespace quasar {

struct Evaluations {
  std::int64_t values = 0, gradients = 0, hessians = 0, term_gradients = 0;
};

// Problem: ManifoldProblem or ManifoldSum.
template <std::derived_from<ManifoldProblem> Problem>
class Counted;

template <>
class Counted<ManifoldProblem> final : public ManifoldProblem {
 public:
  explicit Counted(ManifoldProblem& inner) : inner_(inner) {}
  const Manifold& manifold() const override { return inner_.manifold(); }
  double value(MatIn x) override { return ++count.values, inner_.value(x); }
  double gradient(MatIn x, MatOut gradient) override { return ++count.gradients, inner_.gradient(x, gradient); }
  void hessian(MatIn x, MatIn u, MatOut out) override { ++count.hessians, inner_.hessian(x, u, out); }
  Evaluations count;

 private:
  ManifoldProblem& inner_;
};

template <>
class Counted<ManifoldSum> final : public ManifoldSum {
 public:
  explicit Counted(ManifoldSum& inner) : inner_(inner) {}
  const Manifold& manifold() const override { return inner_.manifold(); }
  double value(MatIn x) override { return ++count.values, inner_.value(x); }
  double gradient(MatIn x, MatOut gradient) override { return ++count.gradients, inner_.gradient(x, gradient); }
  void hessian(MatIn x, MatIn u, MatOut out) override { ++count.hessians, inner_.hessian(x, u, out); }
  Index terms() const override { return inner_.terms(); }
  void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) override {
    count.term_gradients += std::ssize(terms);
    inner_.mean_gradient(x, terms, gradient);
  }
  Evaluations count;

 private:
  ManifoldSum& inner_;
};

// A solver that writes down its progress at the start and after each step, with the error where one is given.
template <ManifoldSolver Solver>
class Recorded {
 public:
  struct Row {
    Progress progress;
    double error;
  };
  using State = typename Solver::State;
  using Error = std::function<double(MatIn x)>;
  Recorded(Solver solver, std::vector<Row>& rows, Error error = {})
      : solver_(std::move(solver)), rows_(&rows), error_(std::move(error)) {}

  State init(const Mat& start) {
    State state = solver_.init(start);
    record(state);
    return state;
  }
  StepOutcome step(State& state) {
    const StepOutcome outcome = solver_.step(state);
    record(state);
    return outcome;
  }

 private:
  void record(const State& state) {
    rows_->push_back({state.progress, error_ ? error_(state.x) : std::numeric_limits<double>::quiet_NaN()});
  }
  Solver solver_;
  std::vector<Row>* rows_;
  Error error_;
};

}  // namespace quasar
