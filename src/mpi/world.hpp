// The ranks of a job that mpirun has started. MPI begins with open() and not before: without mpirun, and for commands
// that one process does alone, it never does.
#pragma once

#include <memory>

#include <quasar/exchange.hpp>

#include "mpi/launch.hpp"

namespace quasar {

class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return launch_ ? launch_->rank : 0; }
  int size() const { return launch_ ? launch_->size : 1; }
  bool leads() const { return rank() == 0; }  // and speaks for all

  Exchange* open();  // null: not started by mpirun. UsageError: there are ranks, but not of this MPI. RunError
  Exchange* exchange() const { return exchange_.get(); }  // null: not open

  // Of a rank whose exchange is broken: whether the others are all here too, after a short wait for them. Then the job
  // can end as any other.
  bool all_gave_up();
  [[noreturn]] void abort(int code);  // ends all ranks
  void close();                       // all ranks together

 private:
  std::optional<Launch> launch_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace quasar
