// The samplers that Roychowdhury (2017) compares in chapter 6, with ten leapfrog steps an iteration and batches of 100.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/recovery.hpp"

namespace quasar {

using PrintedTable = std::map<std::string, PrintedRecovery>;  // by method

struct McemSettings {
  std::string hmc_step, rhmc_step, thermostat_step;
  std::vector<std::string> sghmc_steps;
  std::string solver_iterations;                     // of RHMC
  std::string em_samples, nose_poincare_em_samples;  // momenta for an M-step
};

// All methods, those on minibatches with either policy.
std::vector<RecoveryMethod> mcem_methods(const McemSettings& settings, const PrintedTable& printed);

}  // namespace quasar
