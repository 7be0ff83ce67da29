// Figure 5.1 of Roychowdhury (2017): the Karcher mean of positive definite matrices by rSVRG and rSV-LBFGS. The paper
// prints R = 1, M = 2 and option 1, but no step sizes.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "experiments/experiments.hpp"
#include "experiments/rlbfgs_methods.hpp"
#include "manifolds/problems/karcher_mean.hpp"
#include "solvers/manifold/lbfgs.hpp"

namespace quasar {
namespace {

using Pairs = ManifoldSvLbfgs;

struct Karcher {
  double condition;
  Index matrices, batch;
};
constexpr Karcher full_sets[] = {{1e3, 1000, 50}, {1e2, 100, 5}, {10, 1000, 50}};
constexpr Karcher quick_sets[] = {{1e3, 100, 5}, {1e2, 100, 5}, {10, 100, 5}};

// Eigenvalues log-uniform between 1 and the condition number, both ends taken, in random directions.
Mat matrix_of_condition(Index n, double condition, Stream& stream) {
  Vec values(n);
  stream.uniforms(values);
  values = (std::log(condition) * values.array()).exp();
  values[0] = 1;
  values[n - 1] = condition;
  const Mat q = rotations(n)->random_point(stream);
  const Mat x = q * values.asDiagonal() * q.transpose();
  return 0.5 * (x + x.transpose());
}

RaceProblem karcher_race(Index n, const Karcher& set, const Rng& rng) {
  Stream stream = rng.child("matrices", static_cast<std::uint64_t>(n)).stream("matrices");
  std::vector<Mat> matrices;
  for (Index i = 0; i < set.matrices; ++i) matrices.push_back(matrix_of_condition(n, set.condition, stream));
  const auto problem = std::make_shared<KarcherMean>(std::move(matrices));
  const Mat start = problem->matrices().front();
  const Mat answer = minimize(ManifoldLbfgs(*problem), start, {.gradient_norm = 1e-12, .max_steps = 60}).x;
  return {problem.get(), start, [problem, answer](MatIn x) { return (x - answer).squaredNorm(); }, 40};
}

std::vector<Pairs::Params> with_steps(std::initializer_list<double> steps, const Pairs::Params& like) {
  std::vector<Pairs::Params> all;
  for (const double step : steps) all.push_back(like), all.back().step_size = step;
  return all;
}

std::vector<Pairs::Params> of_snapshots(Pairs::Update update, Index batch) {
  std::vector<Pairs::Params> all;
  for (const double first : {0.3, 0.5}) {
    for (const double step : {0.8, 1.0}) {
      for (const Index inner : {1, 2}) {
        for (const Index loops : {0, 1}) {
          all.push_back({.first_step = first, .step_size = step, .memory = 5, .gradient_loops = loops});
          all.back().gradient_steps = 4;
          all.back().pairs = Pairs::snapshots, all.back().update = update;
          all.back().batches = {batch, inner};
        }
      }
    }
  }
  return all;
}

std::vector<RaceMethod> karcher_methods(Index batch, const Rng& rng) {
  const double steps[] = {0.05, 0.1, 0.2, 0.3}, longer[] = {0.1, 0.2, 0.3, 0.4, 0.5};
  const Index one_pass[] = {0}, few[] = {1, 2, 4, 8};
  const Pairs::Params printed{.first_step = 0.05, .pairs = Pairs::last_step, .batches = {batch}};
  Pairs::Params as_printed = printed, second = printed, third = printed;
  as_printed.as_printed = true;
  second.pairs = Pairs::last_gradient;
  third.pairs = Pairs::displacement, third.pair_every = 2, third.memory = 5;
  return {race_svrg("rSVRG", steps, one_pass, batch, rng),
          race_svrg("rSVRG, inner steps chosen", longer, few, batch, rng),
          race_sv_lbfgs("rSV-LBFGS as printed", {as_printed}, rng),
          race_sv_lbfgs("rSV-LBFGS, option 1", with_steps({0.1, 0.3, 0.5, 1}, printed), rng),
          race_sv_lbfgs("rSV-LBFGS, option 2", with_steps({0.1, 0.3, 0.5}, second), rng),
          race_sv_lbfgs("rSV-LBFGS, displacements", with_steps({0.3, 0.5, 1}, third), rng),
          race_sv_lbfgs("rSV-LBFGS, snapshots one by one", of_snapshots(Pairs::one_by_one, batch), rng),
          race_sv_lbfgs("rSV-LBFGS, snapshots together", of_snapshots(Pairs::together, batch), rng),
          race_lbfgs(10)};
}

}  // namespace

ExperimentResult run_rlbfgs_karcher(const ExperimentOptions& options) {
  const Rng rng = Rng(options.seed).child("rlbfgs-karcher");
  const Index n = options.quick ? 20 : 100, small = 20;
  std::vector<RacePart> parts;
  for (const Karcher& set : options.quick ? std::span(quick_sets) : std::span(full_sets)) {
    parts.push_back({fmt::format("condition {:g}", set.condition), karcher_methods(set.batch, rng.child("batches")),
                     [=] { return karcher_race(small, set, rng); }, [=] { return karcher_race(n, set, rng); }});
  }
  ExperimentResult result = run_races(
      parts,
      {"figure-5.1",
       "Roychowdhury (2017), Figure 5.1: squared error of the Karcher mean over passes and over time. The paper draws "
       "rSVRG and rSV-LBFGS over passes and prints no numbers; steps, options and the other methods are ours.",
       2,
       {}},
      options);
  result.settings["matrices"] = fmt::format("{0} x {0}; settings were chosen with {1} x {1}", n, small);
  return result;
}

}  // namespace quasar
