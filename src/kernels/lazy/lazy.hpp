// Steps that cost what a batch touches, for sums whose parameters are rows (RowSparseSum).
//
// A step leaves the rows that its batch does not touch where they are. Each row has a clock, the step it stands at;
// when a batch touches it, or somebody looks, it takes the steps it has missed in one jump (free_steps.hpp). Rows are
// independent under the prior, so this has the law of the kernel that moves all rows every time, exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>
#include <quasar/row_sparse_sum.hpp>

#include "kernels/lazy/row_laws.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

template <class Steps>
struct LazyState : StochasticState {
  std::vector<std::int64_t> clock;  // of each row
  std::int64_t settled = 0;         // the last time at which no row lagged behind
  // scratch
  RowLaws<Steps> laws;
  Vec given;  // what follows the rows in x: the laws are those given it
  std::vector<Index> touched;
  Vec noise;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("clock", self.clock);
    visit("settled", self.settled);
  }
};

// A statistic more than eager steps have: where it is recorded, steps were lazy.
template <class Eager>
struct LazyInfo : Eager {
  Index rows_touched = 0;
  static void fields(auto& self, auto&& visit) {
    Eager::fields(self, visit);
    visit("rows_touched", self.rows_touched);
  }
};

// Motion, the kernel that derives from this, has
//   noise_waits                       the noise of the last step of a row that was touched is yet to be drawn
//   free_steps()                      Steps of its Params
//   normals_for(gap)                  for each coordinate, of the jump over it
//   jump(x, s, row, law, gap, z)      moves a row by it
//   own_rows(x, s, row, use)          use(address) for the rows that a jump reads and writes: they are fetched early
template <class Motion, class P, class S, class Steps>
class Lazy : public Stochastic<P, S> {
  using Base = Stochastic<P, S>;

 public:
  using typename Base::State;

  Lazy(Target& target, Block block, EstimatorSettings estimator, P params)
      : Base(target, block, std::move(estimator), std::move(params)),
        sum_(dynamic_cast<RowSparseSum*>(&target)),
        width_(sum_ ? sum_->row_length() : 0) {
    if (!sum_ || block.begin != 0 || block.size != sum_->rows() * width_) {
      throw std::invalid_argument("a lazy kernel moves the rows of a RowSparseSum");
    }
  }

  // Every row to the present.
  void catch_up(Vec& x, State& s, const Rng& rng) const {
    advance(x, s, sum_->rows(), s.t, rng.stream("noise"), [](Index i) { return i; });
    s.settled = s.t;
  }

 protected:
  using Law = typename RowLaws<Steps>::Kind;

  struct Gap {
    Index steps, noises;  // noises: how many steps' noise is missing, one more than steps where the last one's waits
  };

  void start(const Vec& x, State& s, const Rng& rng) const {
    Base::start(x, s, rng);
    s.grad.setZero();
    s.clock.assign(static_cast<std::size_t>(sum_->rows()), 0);
    s.touched.reserve(s.clock.size());
    s.noise = Vec::Zero(2 * together * width_);
    s.laws = RowLaws<Steps>(*sum_);
    renew_laws(x, s);
  }

  // The next batch, and the rows it touches brought to time `until`.
  void touch(Vec& x, State& s, std::int64_t until, Stream normals) const {
    if ((s.given.array() != x.tail(s.given.size()).array()).any()) renew_laws(x, s);
    this->estimator_.draw_batch(s.estimate, x);
    sum_->rows_of(s.estimate.ids, s.touched);
    advance(x, s, std::ssize(s.touched), until, normals,
            [&s](Index i) { return s.touched[static_cast<std::size_t>(i)]; });
  }

  // use(row, slope) for every row touched, slope that of the likelihood. The buffer is zero before and after.
  template <class Use>
  void with_slopes(Vec& x, State& s, Use use) const {
    constexpr std::size_t ahead = 8;
    const Eval at = this->estimator_.add_likelihood(s.estimate, x, s.grad);
    double squares = 0;
    for (std::size_t i = 0; i < s.touched.size(); ++i) {
      if (i + ahead < s.touched.size()) fetch_rows(x, s, s.touched[i + ahead]);
      auto slope = s.grad.segment(s.touched[i] * width_, width_);
      squares += slope.squaredNorm();
      use(s.touched[i], slope);
      slope.setZero();
    }
    s.grad.tail(s.given.size()).setZero();
    this->check(s, at.ok, std::sqrt(squares));
  }

  template <class Info>
  Info report(State& s, Info info = {}) const {
    info.rows_touched = std::ssize(s.touched);
    return Base::report(s, info);
  }

  const Law& law_of(const State& s, Index row) const { return s.laws[sum_->kind_of(row)]; }

  RowSparseSum* sum_;
  Index width_;

 private:
  static constexpr Index together = 32;  // rows whose normals are drawn at once, while they come from memory

  struct Due {
    Index row;
    Gap gap;
    Index normals;
  };

  const Motion& motion() const { return static_cast<const Motion&>(*this); }

  // May allocate, as no other part of a step does: Gibbs steps come before it, and they cost a pass over the data.
  void renew_laws(const Vec& x, State& s) const {
    s.given = x.tail(x.size() - this->block_.size);
    s.laws.renew(*sum_, x, motion().free_steps());
  }

  template <class RowAt>
  void advance(Vec& x, State& s, Index count, std::int64_t until, Stream normals, RowAt row_at) const {
    std::array<Due, together> due;
    for (Index begin = 0; begin < count; begin += together) {
      const Index n = std::min(together, count - begin);
      Index wanted = 0;
      for (Index i = 0; i < n; ++i) {
        const Index row = row_at(begin + i);
        if (begin + i + together < count)
          __builtin_prefetch(&s.clock[static_cast<std::size_t>(row_at(begin + i + together))], 1);
        fetch_rows(x, s, row);
        const Gap gap = shortened(x, s, row, gap_at(s, row, until), normals);
        s.clock[static_cast<std::size_t>(row)] = until;
        due[static_cast<std::size_t>(i)] = {row, gap, width_ * motion().normals_for(gap)};
        wanted += due[static_cast<std::size_t>(i)].normals;
      }
      draw(normals, s.noise.head(wanted));
      const double* z = s.noise.data();
      for (Index i = 0; i < n; ++i) {
        const Due& one = due[static_cast<std::size_t>(i)];
        if (one.gap.noises > 0) motion().jump(x, s, one.row, law_of(s, one.row), one.gap, z);
        z += one.normals;
      }
    }
  }

  Gap gap_at(const State& s, Index row, std::int64_t until) const {
    const std::int64_t clock = s.clock[static_cast<std::size_t>(row)];
    const Index steps = until - clock;
    return {steps, steps + (Motion::noise_waits && clock > s.settled ? 1 : 0)};
  }

  // What is left of a gap after jumps as long as there are.
  Gap shortened(Vec& x, State& s, Index row, Gap gap, Stream& normals) const {
    while (gap.steps > longest_jump) {
      const Gap part{longest_jump, longest_jump + gap.noises - gap.steps};
      draw(normals, s.noise.head(width_ * motion().normals_for(part)));
      motion().jump(x, s, row, law_of(s, row), part, s.noise.data());
      gap = {gap.steps - longest_jump, gap.steps - longest_jump};
    }
    return gap;
  }

  void draw(Stream& normals, Out out) const {  // at temperature 0 they stay zero
    if (this->params_.temperature > 0) normals.normals(out);
  }

  void fetch_rows(Vec& x, State& s, Index row) const {
    motion().own_rows(x, s, row, [this](const double* first) { fetch(first); });
  }

  void fetch(const double* row) const {
    constexpr Index line = 64 / sizeof(double);
    for (Index i = 0; i < width_; i += line) __builtin_prefetch(row + i, 1);
    __builtin_prefetch(row + width_ - 1, 1);
  }
};

}  // namespace quasar
