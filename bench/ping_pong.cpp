// mpirun -n 2 ping_pong: what messages between two ranks cost, as JSON. latency: seconds of a short one; bandwidth:
// bytes a second of long ones; sum: seconds of a sum of a few numbers over both.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "mpi/world.hpp"
#include "side_by_side.hpp"

namespace {

using namespace quasar;

void there_and_back(Exchange& exchange, std::vector<double>& message) {
  const int other = 1 - exchange.rank();
  for (const int sender : {0, 1}) {
    if (exchange.rank() == sender) {
      exchange.send(message, other, 0);
    } else {
      exchange.receive(message, other, 0);
    }
    exchange.wait();
  }
}

double best_of(int rounds, int times, const auto& work) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, seconds([&] {
                            for (int i = 0; i < times; ++i) work();
                          }) / times);
  }
  return best;
}

double seconds_a_message(Exchange& exchange, std::size_t numbers, int times) {
  std::vector<double> message(numbers, 1.0);
  return best_of(10, times, [&] { there_and_back(exchange, message); }) / 2;
}

void measure(Exchange& exchange, bool speak) {
  constexpr std::size_t many = 1 << 18;
  std::vector<double> few(24, 1.0);
  const double latency = seconds_a_message(exchange, 1, 1000), whole = seconds_a_message(exchange, many, 50);
  const double sum = best_of(10, 1000, [&] {
    std::fill(few.begin(), few.end(), 1.0);
    exchange.sum(few);
  });
  if (speak) {
    fmt::print("{{\"latency\": {:.3g}, \"bandwidth\": {:.4g}, \"sum\": {:.3g}}}\n", latency,
               static_cast<double>(many * sizeof(double)) / (whole - latency), sum);
  }
}

}  // namespace

int main() {
  World world;
  Exchange* exchange = world.open();
  if (exchange == nullptr || exchange->size() != 2) {
    fmt::print(stderr, "two ranks are wanted: mpirun -n 2 ping_pong\n");
    return 2;
  }
  measure(*exchange, world.leads());
  world.close();
}
