// quasar/chain.hpp -- a chain behind one virtual door, and what it reports to.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/fields.hpp>

namespace quasar {

struct Exchange;

struct Schedule {
  std::int64_t warmup = 1000, draws = 1000, thin = 1;
  std::int64_t total() const { return warmup + draws; }
  std::int64_t kept(std::int64_t iterations) const { return (iterations + thin - 1) / thin; }
};

struct ChainSpec {
  Schedule schedule;
  std::uint64_t seed = 1;
  int chain = 0;
  bool save_warmup = false;
  Vec initial = {};              // empty: one that the target draws
  Exchange* exchange = nullptr;  // between the ranks that run this chain together; null: one process runs it alone
};

struct Tuning {                                                 // what the warm-up found
  double step_size = std::numeric_limits<double>::quiet_NaN();  // NaN: the sampler has none
  Mat inverse_metric = {};  // in the sampler's coordinates: D x 1 (diagonal) or D x D; empty: the sampler has none
};

struct Draw {
  int chain;
  std::int64_t iteration;
  int member;
  bool warmup;
  std::span<const double> values, stats;
};

struct Event {  // a divergence and where it happened, in the sampler's own coordinates
  int chain;
  std::int64_t iteration;
  std::string_view kind;
  In x;
};

struct Sink {  // one per chain
  virtual ~Sink() = default;
  virtual void on_draw(const Draw& draw) = 0;
  virtual void on_step(std::int64_t /*iteration*/, const StepInfo&) {}  // every iteration, kept or not
  virtual void on_event(const Event&) {}
  virtual void on_end(bool /*stopped_early*/) {}
};

struct Chain {  // fork + kernel + adapters + x + state, for the command line, Python and MPI
  virtual ~Chain() = default;
  virtual Layout layout() const = 0;
  virtual std::vector<StatSpec> stats() const = 0;
  virtual int members() const = 0;
  virtual std::int64_t iteration() const = 0;
  virtual bool finished() const = 0;  // at the end of its schedule
  virtual Tuning tuning() const { return {}; }
  virtual void run_to(std::int64_t iteration, Sink& sink, std::stop_token stop) = 0;
  virtual void save(Writer& out) const = 0;  // iteration, x, params, state, adapters
  virtual void load(Reader& in) = 0;         // into a chain made as if new
};

}  // namespace quasar
