// A chain on a factorization in blocks, which all ranks run together, each with the blocks that it holds. x never is in
// one place as a whole, but for a draw that rank 0 records.
//
// Every number is a function of blocks and names, never of ranks: draws, statistics and saved states have the same bits
// for any number of them.
//
// Method: what a step does with the blocks (dsgld.hpp, ...). A piece has arrays() of them, the first members() being
// positions; an iteration moves each member once, each on a part of its own.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/core.hpp>
#include <quasar/errors.hpp>
#include <quasar/exchange.hpp>
#include <quasar/rng.hpp>

#include "kernels/blocked/blocked_work.hpp"

namespace quasar {

template <class Method>
class BlockedChain final : public Chain {
 public:
  // The target is a BlockedFactorization of these settings; the ratings are those that it has loaded.
  BlockedChain(std::unique_ptr<Target> target, const BlockedFactorizationSettings& settings,
               const std::shared_ptr<const RatingBlocks>& ratings, Method method, const ChainSpec& spec)
      : spec_(spec),
        rng_(spec.seed, static_cast<std::uint64_t>(spec.chain)),
        target_(std::move(target)),
        method_(std::move(method)),
        work_(ratings, settings, method_.arrays(), names_of(0), exchange()) {
    if (spec_.initial.size() > 0 && spec_.initial.size() != work_.held().numbers()) {
      throw UsageError(fmt::format("the initial point has {} coordinates, the model {}", spec_.initial.size(),
                                   work_.held().numbers()));
    }
    for (int member = 0; member < members(); ++member) set_start(member);
    unreported_ = method_.start(work_, rng_.child("init"));
    stats_.resize(stats().size());
    if (writes()) values_ = target_->layout().size();
  }

  Layout layout() const override { return target_->layout(); }
  std::vector<StatSpec> stats() const override { return stat_specs<typename Method::Info>(); }
  int members() const override { return method_.members(); }
  std::int64_t iteration() const override { return iteration_; }
  bool finished() const override { return iteration_ >= spec_.schedule.total(); }
  Tuning tuning() const override {
    Tuning found;
    found.step_size = method_.params().step.size;
    return found;
  }

  void run_to(std::int64_t until, Sink& sink, std::stop_token stop) override {
    until = std::min(until, spec_.schedule.total());
    for (; iteration_ < until && !stop.stop_requested(); ++iteration_) {
      for (int member = 0; member < members(); ++member) move(member, sink);
      if (iteration_ + 1 == spec_.schedule.warmup) method_.end_warmup();
    }
  }

  // Of all ranks. What is written is whole on rank 0 alone.
  void save(Writer& out) const override {
    fields(*this, out);
    for (Index array = 0; array < method_.arrays(); ++array) {
      gather(array);
      out(name_of(array), all_rows_);
    }
  }

  // Each rank reads all of it and keeps its own: where the blocks are follows from the iteration.
  void load(Reader& in) override {
    fields(*this, in);
    work_.held().place(work_.parts().at(names_of(iteration_ * members())));
    Vec all(work_.held().numbers());
    for (Index array = 0; array < method_.arrays(); ++array) {
      in(name_of(array), all);
      work_.held().take(array, all);
    }
  }

 private:
  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("unreported_evals", self.unreported_);
    visit("params", self.method_.params());
    visit("method", self.method_);
  }
  static std::string name_of(Index array) { return fmt::format("array {}", array); }

  Exchange& exchange() { return spec_.exchange != nullptr ? *spec_.exchange : alone_; }
  bool writes() const { return spec_.exchange == nullptr || spec_.exchange->rank() == 0; }
  Rng names_of(std::int64_t step) const { return rng_.child("step").at(static_cast<std::uint64_t>(step)); }
  bool in_warmup() const { return iteration_ < spec_.schedule.warmup; }

  void set_start(int member) {
    if (spec_.initial.size() > 0) {
      Vec by_place(spec_.initial.size());
      for_places([&](Index place, Index at) { row_of(by_place, place) = row_of(spec_.initial, at); });
      work_.held().take(member, by_place);
      return;
    }
    const Rng names = rng_.child("initial", static_cast<std::uint64_t>(member));
    const Share own = work_.held().share();
    for (Index b = own.begin; b < own.end; ++b) {
      for (const Piece& piece : {work_.held().users(b), work_.held().items(b)}) {
        auto x = piece.array(member);
        piece.name(names).stream("start").normals(x);
        x *= work_.settings().start_sd;
      }
    }
  }

  void gather(Index array) const {
    if (writes()) all_rows_.resize(work_.held().numbers());
    work_.held().gather(array, all_rows_);
  }

  auto row_of(auto& x, Index row) const { return x.segment(row * work_.settings().rank, work_.settings().rank); }

  // use(place, at) for every row of W and H: where it is in the order of places, and in x, which is that of labels
  void for_places(auto&& use) const {
    const RatingBlocks& ratings = work_.held().ratings();
    Index first = 0;
    for (const BlockedSide* side : {&ratings.users, &ratings.items}) {
      const Index rows = side->begin.back();
      for (Index place = 0; place < rows; ++place) {
        use(first + place, first + side->at[static_cast<std::size_t>(place)]);
      }
      first += rows;
    }
  }

  void move(int member, Sink& sink) {
    HeldBlocks& held = work_.held();
    const std::int64_t t = iteration_ * members() + member;
    const BlockedStep step{names_of(t), method_.params().step.at(t + 1)};
    const Index part = held.part();
    held.begin_move(work_.parts().at(names_of(t + 1)));
    typename Method::Info info = method_.step(work_, member, step);
    held.end_move();
    info.step_size = step.size;
    info.grad_evals += std::exchange(unreported_, 0);
    info.data_passes = work_.parts().share(part) * static_cast<double>(info.grad_evals);
    info.part = part;
    info.step_curvature = method_.step_curvature(step.size);
    if (is_recorded() || is_checked(member)) info.gradient_norm = work_.gradient_norm(step.size);
    if (is_recorded()) record(member, info, step.names, sink);
    sink.on_step(iteration_, info);
  }

  bool is_recorded() const {
    const std::int64_t in_phase = in_warmup() ? iteration_ : iteration_ - spec_.schedule.warmup;
    return in_phase % spec_.schedule.thin == 0 && (!in_warmup() || spec_.save_warmup);
  }

  // A chain that runs away is stopped soon though nothing is recorded: a sum for so many steps costs nothing.
  bool is_checked(int member) const { return member == 0 && iteration_ % 100 == 0; }

  void record(int member, typename Method::Info& info, const Rng& names, Sink& sink) {
    gather(member);
    if (!writes()) return;
    x_.resize(all_rows_.size());
    for_places([&](Index place, Index at) { row_of(x_, at) = row_of(all_rows_, place); });
    Vec& values = all_rows_;  // which are in x now
    values.resize(values_);
    target_->constrain(x_, values, names.child("constrain"));
    fill_stats(info, stats_);
    sink.on_draw({spec_.chain,
                  iteration_,
                  member,
                  in_warmup(),
                  {values.data(), static_cast<std::size_t>(values.size())},
                  stats_});
  }

  ChainSpec spec_;
  OneProcess alone_;
  Rng rng_;
  std::unique_ptr<Target> target_;
  Method method_;
  BlockedWork work_;
  std::int64_t iteration_ = 0;
  std::int64_t unreported_ = 0;  // gradients taken before the first step
  mutable Vec all_rows_;         // one array of all blocks, on rank 0, once it was wanted
  Vec x_;                        // likewise
  Index values_ = 0;             // of a draw
  std::vector<double> stats_;
};

}  // namespace quasar
