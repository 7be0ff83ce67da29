// The methods of Roychowdhury (2017), chapter 5, with the settings to choose from.
#pragma once

#include <span>

#include "experiments/solver_race.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"

namespace quasar {

RaceMethod race_svrg(const std::string& name, std::span<const double> steps, std::span<const Index> inner_steps,
                     Index batch, const Rng& rng);
RaceMethod race_sv_lbfgs(const std::string& name, const std::vector<ManifoldSvLbfgs::Params>& all, const Rng& rng);
RaceMethod race_lbfgs(Index memory);

// On the smaller problem the settings, then the race on the whole one, with rows and curves of all methods.
struct RacePart {
  std::string name;  // of the data: begins the names of all rows
  std::vector<RaceMethod> methods;
  std::function<RaceProblem()> smaller, whole;
};
ExperimentResult run_races(std::vector<RacePart>& parts, Figure figure, const ExperimentOptions& options);

}  // namespace quasar
