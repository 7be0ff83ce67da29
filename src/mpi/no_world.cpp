// World of a build without MPI.
#include <fmt/format.h>

#include <cstdlib>

#include <quasar/errors.hpp>

#include "mpi/world.hpp"

namespace quasar {

World::World() : launch_(launched_by_mpirun()) {}
World::~World() = default;

Exchange* World::open() {
  if (launch_ && launch_->size > 1) {
    throw UsageError(fmt::format(
        "mpirun has started {} processes, and this quasar was built without MPI: install libopenmpi-dev and "
        "build it again, or run it without mpirun",
        launch_->size));
  }
  return nullptr;
}

bool World::all_gave_up() { return true; }
void World::abort(int code) { std::exit(code); }
void World::close() {}

}  // namespace quasar
