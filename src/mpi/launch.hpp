// What mpirun says to the processes that it starts, known without MPI.
#pragma once

#include <optional>

namespace quasar {

struct Launch {
  int rank = 0;
  int size = 1;  // 1 where the environment does not say
};

std::optional<Launch> launched_by_mpirun();  // nothing: started by hand

}  // namespace quasar
