// Energies of a Hamiltonian sampler: how they are spread, and how far one trajectory moves them. Where the steps are
// much narrower than the spread the momenta leave the tails too slowly (Betancourt, "A conceptual introduction to
// Hamiltonian Monte Carlo", 2017, section 6.1).
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/run_data.hpp>

namespace quasar::report {

// Heights are densities, all chains together. null: there are no energies, or they are not those of draws in a row.
nlohmann::ordered_json energies(const Run& run);

}  // namespace quasar::report
