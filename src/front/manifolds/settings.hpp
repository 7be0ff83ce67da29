// What solvers on manifolds can be asked for, and which of them takes what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/config.hpp>

#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/moves.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"

namespace quasar {

struct ManifoldSettings {
  std::string solver;
  double tolerance = 0;
  std::int64_t max_iterations = 0;
  double max_passes = 0;
  double step_size = 0, first_step = 0;                               // 0: the problem's own
  Index batch_size = 0, inner_steps = 0, memory = 0, pair_every = 1;  // 0: the solver's own
  ManifoldSvLbfgs::PairKind pairs = ManifoldSvLbfgs::displacement;
  ManifoldSvLbfgs::Update update = ManifoldSvLbfgs::one_by_one;
  double least_curvature = 0, longest_step = ParamSpec::inf;
  Index gradient_loops = 0, gradient_steps = 0;  // 0 steps: one pass over the data
  std::optional<Moves::Kind> moves;              // none: the solver's own
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
};

// The parameters of a problem with these solvers, of which the first is the default: `own`, those of the problem, and
// what at least one of the solvers takes.
std::vector<ParamSpec> manifold_params(std::span<const Choice> solvers, std::string_view tolerance,
                                       std::vector<ParamSpec> own);

// Of problems whose work threads share, and some of whose solvers draw random numbers.
std::vector<ParamSpec> with_seed_and_threads(std::vector<ParamSpec> params);

// UsageError: a name or value that is wrong, or a setting of the solvers that the chosen one does not take.
Config manifold_config(std::string_view problem, std::span<const ParamSpec> params, const Settings& given);
ManifoldSettings manifold_settings(const Config& config);

bool takes(std::string_view solver, std::string_view name);
bool is_stochastic(std::string_view solver);

}  // namespace quasar
