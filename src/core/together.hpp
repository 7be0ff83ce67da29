// What ranks do together they fail at together: an error of one is told by that one, and none waits for ever.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include <quasar/exchange.hpp>

namespace quasar {

struct FailedElsewhere : std::runtime_error {  // the rank that failed tells of it
  using std::runtime_error::runtime_error;
};

// Every rank acts, without messages to the others; then all know whether one has failed. The first that has throws its
// error, all others FailedElsewhere.
void together(Exchange& exchange, const std::function<void()>& act);

// Every rank acts, and may wait for messages of the others while it does. An error leaves the exchange broken.
void in_step(Exchange& exchange, const std::function<void()>& act);

// What rank 0 has.
bool of_rank_0(Exchange& exchange, bool value);
std::string of_rank_0(Exchange& exchange, std::string text);

// Whether all ranks have the same number.
bool all_have(Exchange& exchange, std::uint64_t number);

}  // namespace quasar
