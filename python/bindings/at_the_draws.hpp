// Reading draws takes long, so that Python may go on meanwhile; but one thread at a time, as their sources demand.
#pragma once

#include <mutex>

#include "interpreter_lock.hpp"
#include "io/netcdf_file.hpp"

namespace quasar::python {

struct AtTheDraws {
  InterpreterUnlocked unlocked;
  std::unique_lock<std::recursive_mutex> lock = one_at_a_time();
};

}  // namespace quasar::python
