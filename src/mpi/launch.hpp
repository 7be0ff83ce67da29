// What mpirun says to the processes that it starts, known without MPI.
#pragma once

#include <optional>

namespace quasar {

struct Launch {
  int rank = 0;
  int size = 1;  // 1 where the environment does not say
};

// Nothing: started by hand, or QUASAR_MPI=off in the environment, for what mpirun starts many times on its own.
std::optional<Launch> launched_by_mpirun();

}  // namespace quasar
