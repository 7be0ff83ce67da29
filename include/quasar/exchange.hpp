// quasar/exchange.hpp -- between the ranks of one job: a process alone, or many under MPI.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

#include <quasar/core.hpp>

namespace quasar {

struct WorkTimes {  // seconds of one rank
  double gradient = 0, noise = 0;
  double communication = 0;  // to begin messages, to copy them, to add what has arrived
  double waiting = 0;        // for what has not arrived yet
  static void fields(auto& self, auto&& visit) {
    visit("gradient", self.gradient);
    visit("noise", self.noise);
    visit("communication", self.communication);
    visit("waiting", self.waiting);
  }
};

// One thread of each rank uses it.
struct Exchange {
  virtual ~Exchange() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Begin to send to, or to receive from, another rank. Until wait() has ended all that was begun the memory must stay
  // as it is. Messages between two ranks with one tag arrive in the order in which they were sent.
  virtual void send(std::span<const double> from, int to, int tag) = 0;
  virtual void receive(std::span<double> into, int from, int tag) = 0;
  virtual void wait() = 0;
  virtual void progress() {}  // cheap: moves on what is under way, while there is other work to do

  // Of all ranks, which call these in the same order. A sum is added in a fixed binary tree, (0 + 1) + (2 + 3), and has
  // the same bits on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void broadcast(std::span<std::byte> bytes) = 0;  // what rank 0 has

  // Of a rank that has failed, while the memory is still there: what it has begun ends, one way or the other.
  virtual void give_up() {}

  WorkTimes times;
  bool broken = false;           // this rank has left what the others are still at, and may wait for it for ever
  bool failed_together = false;  // this rank ends with an error that all know of, and none waits
};

class OneProcess final : public Exchange {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(std::span<const double>, int, int) override { throw std::logic_error("a process alone has no neighbour"); }
  void receive(std::span<double>, int, int) override { throw std::logic_error("a process alone has no neighbour"); }
  void wait() override {}
  void sum(std::span<double>) override {}
  void broadcast(std::span<std::byte>) override {}
};

// Which of `parts` logical parts, in order, a rank has: as many as the others or one more.
struct Share {
  Index begin, end;
  Index size() const { return end - begin; }
  bool has(Index part) const { return part >= begin && part < end; }
};
inline Share share_of(int rank, int ranks, Index parts) { return {rank * parts / ranks, (rank + 1) * parts / ranks}; }
inline int owner_of(Index part, int ranks, Index parts) {
  return static_cast<int>(((part + 1) * ranks + parts - 1) / parts) - 1;
}

}  // namespace quasar
