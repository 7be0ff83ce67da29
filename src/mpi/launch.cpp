#include "mpi/launch.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace quasar {
namespace {

struct Names {
  const char *rank, *size;
};

// Open MPI; MPICH's hydra, and Slurm with PMI-2; PMIx alone, as Slurm starts it.
constexpr Names variables[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};

int number_or(const char* text, int otherwise) {
  const std::string_view digits = text ? text : "";
  std::from_chars(digits.data(), digits.data() + digits.size(), otherwise);
  return otherwise;
}

}  // namespace

std::optional<Launch> launched_by_mpirun() {
  const char* wanted = std::getenv("QUASAR_MPI");
  if (wanted && std::string_view(wanted) == "off") return std::nullopt;
  for (const Names& names : variables) {
    if (const char* rank = std::getenv(names.rank)) {
      return Launch{number_or(rank, 0), number_or(std::getenv(names.size), 1)};
    }
  }
  return std::nullopt;
}

}  // namespace quasar
