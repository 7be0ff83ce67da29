#include "core/in_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include <quasar/errors.hpp>

#include "core/blas_threads.hpp"
#include "core/sink_pair.hpp"
#include "core/timed.hpp"
#include "core/together.hpp"
#include "core/turns.hpp"

namespace quasar {
namespace {

// A number of 40 bits for all that it has been told, so that a sum of it over ranks is exact.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 32;
  }
  double number() const { return static_cast<double>(hash_ >> 24); }

 private:
  std::uint64_t hash_ = 0;
};

// What a chain has drawn on this rank since somebody last asked. A rank that gets no draws has nothing to say, and the
// only one that gets them has nothing to be compared with.
class Witness final : public Sink {
 public:
  void on_draw(const Draw& draw) override {
    if (alone_) return;
    seen_ = true;
    for (const double value : draw.values) drawn_.add(std::bit_cast<std::uint64_t>(value));
  }
  bool has_seen() const { return seen_; }
  double number() const { return seen_ ? drawn_.number() : 0; }
  void forget() { seen_ = false; }
  void stay_alone() { alone_ = true; }

 private:
  Fingerprint drawn_;
  bool seen_ = false, alone_ = false;
};

class InStep {
 public:
  InStep(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, Exchange& exchange,
         std::stop_token stop, const Checkpointing& checkpointing)
      : chains_(chains),
        sinks_(sinks),
        exchange_(exchange),
        stop_(std::move(stop)),
        checkpointing_(checkpointing),
        turns_(chains.size()) {}

  bool run() {
    std::size_t i = 0;
    try {
      while (furthest_behind(i)) {
        const Plan plan = agree_on(i);
        if (plan.stop) {
          end_all();
          return false;
        }
        run_slice(i, plan);
      }
    } catch (const std::exception&) {
      std::rethrow_exception(named_error(i, *chains_[i]));
    }
    return true;
  }

 private:
  struct Plan {
    bool stop, save_first;
    std::int64_t slice;
  };

  bool furthest_behind(std::size_t& chosen) const {
    bool found = false;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (chains_[i]->finished()) continue;
      if (!found || chains_[i]->iteration() < chains_[chosen]->iteration()) chosen = i;
      found = true;
    }
    return found;
  }

  // One sum: requests to stop of any rank, what rank 0 has decided by its clock, and proof that all are in step. Equal
  // numbers are found by their sum: unless all h are the same, not every rank has h = (sum of h) / (number of h).
  Plan agree_on(std::size_t i) {
    const bool decides = exchange_.rank() == 0;
    const bool due = decides && checkpointing_.save && checkpointing_.every == 0 && turns_[i].checkpoint_is_due();
    const double place = this_place(i), drawn = witness_.number();
    double said[] = {stop_.stop_requested() ? 1.0 : 0.0,
                     due ? 1.0 : 0.0,
                     decides ? static_cast<double>(turns_[i].slice()) : 0.0,
                     place,
                     witness_.has_seen() ? 1.0 : 0.0,
                     drawn};
    exchange_.sum(said);
    const bool same_place = said[3] == exchange_.size() * place;
    const bool same_draws = !witness_.has_seen() || said[5] == said[4] * drawn;
    if (!same_place || !same_draws) {
      throw RunError(
          fmt::format("the ranks {}: their machines differ, or a message was lost. What was saved before is intact",
                      same_place ? "have drawn different numbers" : "are not at the same iteration"));
    }
    if (said[4] == 1) witness_.stay_alone();
    witness_.forget();
    return {said[0] > 0, said[1] > 0, static_cast<std::int64_t>(said[2])};
  }

  double this_place(std::size_t next) const {
    Fingerprint place;
    place.add(next);
    for (const auto& chain : chains_) place.add(static_cast<std::uint64_t>(chain->iteration()));
    return place.number();
  }

  void run_slice(std::size_t i, const Plan& plan) {
    Chain& chain = *chains_[i];
    if (plan.save_first) save(i);
    const auto began = Turn::Clock::now();
    SinkPair sink(*sinks_[i], witness_);
    chain.run_to(end_of_slice(chain.iteration(), plan.slice, checkpointing_), sink, {});
    if (chain.finished()) sinks_[i]->on_end(false);
    const bool counted = checkpointing_.every > 0 && chain.iteration() % checkpointing_.every == 0;
    if (chain.finished() || counted) {
      agree_on(i);  // nothing is saved or ends unproven
      save(i);
    }
    turns_[i].fit_slice(Turn::Clock::now() - began);
  }

  void end_all() {
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (chains_[i]->finished()) continue;
      sinks_[i]->on_end(true);
      save(i);
    }
  }

  void save(std::size_t i) {
    if (!checkpointing_.save) return;
    checkpointing_.save(i);
    turns_[i].saved();
  }

  std::span<const std::unique_ptr<Chain>> chains_;
  std::span<Sink* const> sinks_;
  Exchange& exchange_;
  std::stop_token stop_;
  const Checkpointing& checkpointing_;
  std::vector<Turn> turns_;
  Witness witness_;
};

std::vector<RankTimes> times_of_all(Exchange& exchange, const RankTimes& own) {
  constexpr std::size_t numbers = 5;
  const auto ranks = static_cast<std::size_t>(exchange.size());
  std::vector<double> all(numbers * ranks);
  double* next = all.data() + numbers * static_cast<std::size_t>(exchange.rank());
  WorkTimes::fields(own.work, [&](std::string_view, double seconds) { *next++ = seconds; });
  *next = own.total;
  exchange.sum(all);
  std::vector<RankTimes> times(ranks);
  const double* from = all.data();
  for (RankTimes& rank : times) {
    WorkTimes::fields(rank.work, [&](std::string_view, double& seconds) { seconds = *from++; });
    rank.total = *from++;
  }
  return times;
}

}  // namespace

RunInStep run_in_step(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, Exchange& exchange,
                      std::stop_token stop, const Checkpointing& checkpointing) {
  const SingleThreadedBlas pinned;
  RunInStep result;
  in_step(exchange, [&] {
    RankTimes own;
    exchange.times = {};
    {
      const Timed whole(own.total);
      result.complete = InStep(chains, sinks, exchange, std::move(stop), checkpointing).run();
    }
    own.work = exchange.times;
    result.times = times_of_all(exchange, own);
  });
  return result;
}

}  // namespace quasar
