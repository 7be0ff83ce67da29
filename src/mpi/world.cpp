#include "mpi/world.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include <quasar/errors.hpp>

#include "mpi/mpi_exchange.hpp"

namespace quasar {
namespace {

std::string library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

}  // namespace

World::World() : launch_(launched_by_mpirun()) {}
World::~World() = default;

Exchange* World::open() {
  if (!launch_) return nullptr;
  int threads = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads), "start");
  auto exchange = std::make_unique<MpiExchange>(MPI_COMM_WORLD);
  const bool alone = exchange->size() < launch_->size;
  if (threads < MPI_THREAD_SERIALIZED || alone) {
    const std::string version = library();
    exchange.reset();
    MPI_Finalize();
    if (!alone) throw RunError(fmt::format("{} allows no calls from a second thread", version));
    throw UsageError(
        fmt::format("{} processes were started, and none knows of another: quasar was built with {}, whose own mpirun "
                    "must start it",
                    launch_->size, version));
  }
  exchange_ = std::move(exchange);
  return exchange_.get();
}

bool World::all_gave_up() {
  constexpr auto patience = std::chrono::seconds(2);
  const auto began = std::chrono::steady_clock::now();
  MPI_Request meeting = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &meeting) != MPI_SUCCESS) return false;
  for (int all_here = 0; std::chrono::steady_clock::now() - began < patience;) {
    if (MPI_Test(&meeting, &all_here, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (all_here != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void World::abort(int code) {
  std::fflush(stdout);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

void World::close() {
  if (!exchange_) return;
  exchange_.reset();
  MPI_Finalize();
}

}  // namespace quasar
