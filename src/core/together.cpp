#include "core/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

namespace quasar {

void together(Exchange& exchange, const std::function<void()>& act) {
  std::exception_ptr error;
  try {
    act();
  } catch (...) {
    error = std::current_exception();
  }
  std::vector<double> failed(static_cast<std::size_t>(exchange.size()));
  failed[static_cast<std::size_t>(exchange.rank())] = error ? 1 : 0;
  exchange.sum(failed);
  const auto first = std::find(failed.begin(), failed.end(), 1.0) - failed.begin();
  if (first == exchange.size()) return;
  exchange.failed_together = true;
  if (first == exchange.rank()) std::rethrow_exception(error);
  throw FailedElsewhere(fmt::format("rank {} has failed", first));
}

void in_step(Exchange& exchange, const std::function<void()>& act) {
  try {
    act();
  } catch (...) {
    exchange.broken = exchange.size() > 1;
    exchange.give_up();
    throw;
  }
}

bool of_rank_0(Exchange& exchange, bool value) {
  exchange.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::string of_rank_0(Exchange& exchange, std::string text) {
  std::uint64_t size = text.size();
  exchange.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  exchange.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

bool all_have(Exchange& exchange, std::uint64_t number) {
  std::uint64_t wanted = number;
  exchange.broadcast(std::as_writable_bytes(std::span(&wanted, 1)));
  double others = number == wanted ? 0 : 1;
  exchange.sum({&others, 1});
  return others == 0;
}

}  // namespace quasar
