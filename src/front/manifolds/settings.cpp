#include "front/manifolds/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <quasar/errors.hpp>

#include "front/prediction_params.hpp"

namespace quasar {
namespace {

constexpr Choice pair_kinds[] = {{"displacement"}, {"snapshots"}, {"last_step"}, {"last_gradient"}};
constexpr std::array<ManifoldSvLbfgs::PairKind, 4> pair_kind_values = {
    ManifoldSvLbfgs::displacement, ManifoldSvLbfgs::snapshots, ManifoldSvLbfgs::last_step,
    ManifoldSvLbfgs::last_gradient};
constexpr Choice updates[] = {{"one_by_one"}, {"together"}};
constexpr Choice move_kinds[] = {{"auto"}, {"geodesic"}, {"cheap"}};

// What belongs to some solvers only.
struct Takers {
  std::string_view name;
  std::vector<std::string_view> solvers;
};

const std::vector<Takers>& takers() {
  static const std::vector<Takers> all = {
      {"max_iterations",
       {"auto", "steepest_descent", "conjugate_gradient", "lbfgs", "trust_region", "sgd", "svrg", "sv_lbfgs", "vr_pca",
        "krylov"}},
      {"max_passes",
       {"auto", "steepest_descent", "conjugate_gradient", "lbfgs", "trust_region", "sgd", "svrg", "sv_lbfgs", "vr_pca",
        "krylov"}},
      {"step_size", {"sgd", "svrg", "sv_lbfgs", "vr_pca"}},
      {"first_step", {"sv_lbfgs"}},
      {"batch_size", {"sgd", "svrg", "sv_lbfgs"}},
      {"inner_steps", {"svrg", "sv_lbfgs", "vr_pca"}},
      {"memory", {"lbfgs", "sv_lbfgs"}},
      {"pair_every", {"sv_lbfgs"}},
      {"pairs", {"sv_lbfgs"}},
      {"update", {"sv_lbfgs"}},
      {"least_curvature", {"sv_lbfgs"}},
      {"longest_step", {"sv_lbfgs"}},
      {"gradient_loops", {"sv_lbfgs"}},
      {"gradient_steps", {"sv_lbfgs"}},
      {"moves", {"steepest_descent", "conjugate_gradient", "lbfgs", "sgd", "svrg", "sv_lbfgs"}},
      {"oversampling", {"auto", "krylov"}},
  };
  return all;
}

constexpr ParamSpec solver_params[] = {
    {.name = "max_iterations",
     .doc = "most steps of the solver; of one with minibatches a step is the way from one snapshot to the next",
     .type = ParamSpec::integer,
     .init = "1000",
     .min = 0,
     .max = 1e12},
    {.name = "max_passes",
     .doc =
         "most passes of the solver, looks at all of the data or at as many terms in minibatches, beside those of the "
         "start and of the last look; 0: any number",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0},
    {.name = "step_size",
     .doc = "sgd, svrg, sv_lbfgs, vr_pca: length of a step in gradients; 0: one that suits the problem",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0},
    {.name = "first_step",
     .doc = "sv_lbfgs: step size while it has no curvature yet; 0: one that suits the problem",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0},
    {.name = "batch_size",
     .doc = "sgd, svrg, sv_lbfgs: terms of a minibatch; 0: a twentieth of them; of pca at least 100, and for svrg and "
            "sgd a hundredth",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "inner_steps",
     .doc =
         "svrg, sv_lbfgs, vr_pca: minibatches from one snapshot to the next; 0: one pass over the data, with pairs of "
         "snapshots 4",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "memory",
     .doc = "lbfgs, sv_lbfgs: pairs that are kept; 0: 10, of minibatches 2",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 10000},
    {.name = "pair_every",
     .doc = "sv_lbfgs: inner steps from one pair to the next",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 1,
     .max = 1e9},
    {.name = "pairs",
     .doc = "sv_lbfgs: what a pair joins: displacement, the way between two points; snapshots, gradients of all terms; "
            "last_step and last_gradient: as in the paper",
     .type = ParamSpec::choice,
     .init = "displacement",
     .choices = pair_kinds},
    {.name = "update",
     .doc =
         "sv_lbfgs: what pairs give: one_by_one, the curvature of L-BFGS; together, one that is right for all of them, "
         "of pairs of snapshots alone",
     .type = ParamSpec::choice,
     .init = "one_by_one",
     .choices = updates},
    {.name = "least_curvature",
     .doc = "sv_lbfgs: pairs with less curvature, <z, y> / <z, z>, are left out; for eigenvectors about a fifth of the "
            "gap between their eigenvalues and the next",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0},
    {.name = "longest_step",
     .doc = "sv_lbfgs: longest step by curvature, in the metric of the manifold; 0: no limit",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0},
    {.name = "gradient_loops",
     .doc = "sv_lbfgs: loops of svrg before the first pair is made, with steps of first_step",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e9},
    {.name = "gradient_steps",
     .doc = "sv_lbfgs: minibatches in each of those loops; 0: one pass over the data",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "moves",
     .doc = "along geodesics, or by retractions and transports that are cheaper; auto: as the solver likes it",
     .type = ParamSpec::choice,
     .init = "auto",
     .choices = move_kinds},
};

constexpr ParamSpec seed_and_threads[] = {seed_param,
                                          threads_param("threads; 0: one per core. Results do not depend on it")};

template <class Range>
std::ptrdiff_t place_of(const Range& choices, std::string_view value) {
  return std::ranges::find(choices, value, &Choice::value) - std::begin(choices);
}

// Settings of sv_lbfgs that another one leaves without a meaning.
void refuse_contradictions(const Config& config, const Settings& given) {
  if (given.contains("gradient_steps") && config.integer("gradient_loops") == 0) {
    throw UsageError("gradient_steps: there are none without gradient_loops");
  }
  const std::string& pairs = config.text("pairs");
  if (given.contains("pair_every") && pairs == "snapshots") {
    throw UsageError("pair_every: pairs of snapshots are made once a loop");
  }
  if (config.integer("pair_every") > 1 && pairs == "last_step") {
    throw UsageError(
        "pair_every: the last step is the way between two pairs for pair_every = 1 alone; displacement is "
        "for any");
  }
  if (config.text("update") == "together" && pairs != "snapshots") {
    throw UsageError("update: pairs of minibatches have noise and are taken one by one; pairs of snapshots have none");
  }
}

bool has_minibatches(const Config& config) { return config.values().contains("pairs"); }

// Pairs of snapshots have no noise, so that more of them are of use, and they are made once a loop.
void choose_pairs(ManifoldSettings& settings) {
  const bool snapshots = settings.pairs == ManifoldSvLbfgs::snapshots;
  if (settings.memory == 0) settings.memory = snapshots ? 10 : 2;
  if (settings.inner_steps == 0 && snapshots) settings.inner_steps = 4;
}

void set_minibatches(const Config& config, ManifoldSettings& settings) {
  settings.step_size = config.real("step_size");
  settings.first_step = config.real("first_step");
  settings.batch_size = config.integer("batch_size");
  settings.inner_steps = config.integer("inner_steps");
  settings.pair_every = config.integer("pair_every");
  settings.pairs = pair_kind_values.at(static_cast<std::size_t>(place_of(pair_kinds, config.text("pairs"))));
  settings.update = config.text("update") == "together" ? ManifoldSvLbfgs::together : ManifoldSvLbfgs::one_by_one;
  settings.least_curvature = config.real("least_curvature");
  settings.longest_step = config.real("longest_step") > 0 ? config.real("longest_step") : ParamSpec::inf;
  settings.gradient_loops = config.integer("gradient_loops");
  settings.gradient_steps = config.integer("gradient_steps");
  if (settings.solver == "sv_lbfgs") choose_pairs(settings);
}

}  // namespace

bool takes(std::string_view solver, std::string_view name) {
  for (const Takers& one : takers()) {
    if (one.name == name) return std::ranges::count(one.solvers, solver) > 0;
  }
  return true;
}

bool is_stochastic(std::string_view solver) { return takes(solver, "step_size"); }

std::vector<ParamSpec> manifold_params(std::span<const Choice> solvers, std::string_view tolerance,
                                       std::vector<ParamSpec> own) {
  std::vector<ParamSpec> params = std::move(own);
  params.push_back({.name = "solver",
                    .doc = "how the minimum is found; docs/solvers-on-manifolds.md tells of each",
                    .type = ParamSpec::choice,
                    .init = solvers.front().value,
                    .choices = solvers});
  params.push_back({.name = "tolerance",
                    .doc = tolerance,
                    .type = ParamSpec::real,
                    .init = "1e-8",
                    .min = 0,
                    .exclusive_min = true});
  for (const ParamSpec& param : solver_params) {
    const auto takes_it = [&](const Choice& one) { return one.value != "auto" && takes(one.value, param.name); };
    if (std::ranges::any_of(solvers, takes_it)) params.push_back(param);
  }
  return params;
}

std::vector<ParamSpec> with_seed_and_threads(std::vector<ParamSpec> params) {
  params.insert(params.end(), std::begin(seed_and_threads), std::end(seed_and_threads));
  return params;
}

Config manifold_config(std::string_view problem, std::span<const ParamSpec> params, const Settings& given) {
  Config config(problem, params, given);
  const std::string& solver = config.text("solver");
  for (const auto& [name, value] : given) {
    if (takes(solver, name)) continue;
    throw UsageError(fmt::format("{}: solver {} does not take it{}", name, solver,
                                 solver == "auto" ? "; name a solver that does" : ""));
  }
  if (solver == "sv_lbfgs") refuse_contradictions(config, given);
  return config;
}

ManifoldSettings manifold_settings(const Config& config) {
  ManifoldSettings settings;
  settings.solver = config.text("solver");
  settings.tolerance = config.real("tolerance");
  settings.max_iterations = config.integer("max_iterations");
  settings.max_passes = config.real("max_passes") > 0 ? config.real("max_passes") : ParamSpec::inf;
  settings.memory = config.integer("memory");
  if (has_minibatches(config)) set_minibatches(config, settings);
  if (config.text("moves") != "auto") {
    settings.moves = config.text("moves") == "geodesic" ? Moves::geodesic : Moves::cheap;
  }
  if (config.values().contains("seed")) {
    settings.seed = static_cast<std::uint64_t>(config.integer("seed"));
    settings.threads = static_cast<int>(config.integer("threads"));
  }
  return settings;
}

}  // namespace quasar
