// quasar/errors.hpp -- the three ways a run can fail; each is one exit code of the command line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace quasar {

struct UsageError : std::runtime_error {  // an unknown name, a value out of range, options that contradict: exit 2
  using std::runtime_error::runtime_error;
};
struct DataError
    : std::runtime_error {  // a file that is missing or malformed; the message names file, line, column: exit 3
  using std::runtime_error::runtime_error;
};
struct RunError : std::runtime_error {  // sampling itself failed; the message says where and what to try: exit 4
  using std::runtime_error::runtime_error;
};
struct Diverged : RunError {  // a chain of a sampler without a Metropolis test has run away
  explicit Diverged(const std::string& what, std::int64_t at_iteration = 0) : RunError(what), iteration(at_iteration) {}
  std::int64_t iteration;  // from 1
};

}  // namespace quasar
