#include "experiments/rlbfgs_methods.hpp"

#include <fmt/core.h>

#include "experiments/finished_parts.hpp"
#include "experiments/two_at_a_time.hpp"
#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"

namespace quasar {
namespace {

std::string inner_text(const BatchParams& batches) {
  return batches.inner_steps > 0 ? fmt::format(", {} inner steps", batches.inner_steps) : "";
}

std::string text(const ManifoldSvLbfgs::Params& p) {
  std::string all = fmt::format("steps {} and {}, memory {}, ", p.first_step, p.step_size, p.memory);
  if (p.gradient_loops > 0) {
    const std::string steps = p.gradient_steps > 0 ? fmt::format(" of {} steps", p.gradient_steps) : "";
    all = fmt::format("{} loops of rSVRG{}, then {}", p.gradient_loops, steps, all);
  }
  all += p.update == ManifoldSvLbfgs::together ? "together" : fmt::format("a pair every {}", p.pair_every);
  return all + inner_text(p.batches);
}

struct RacedPart {
  RacePart* part;
  std::vector<SolverCurve> curves = {};
};

}  // namespace

RaceMethod race_svrg(const std::string& name, std::span<const double> steps, std::span<const Index> inner_steps,
                     Index batch, const Rng& rng) {
  RaceMethod method{name, {}};
  for (const Index inner : inner_steps) {
    for (const double step : steps) {
      const ManifoldSvrg::Params params{.step_size = step, .batches = {batch, inner}};
      const auto make = [=](ManifoldSum& sum) { return ManifoldSvrg(sum, params, rng); };
      method.settings.push_back({fmt::format("step {}{}", step, inner_text(params.batches)),
                                 [make](RaceProblem& p) { return race(p, make, [](const auto&) { return 0; }); }});
    }
  }
  return method;
}

RaceMethod race_sv_lbfgs(const std::string& name, const std::vector<ManifoldSvLbfgs::Params>& all, const Rng& rng) {
  RaceMethod method{name, {}};
  for (const ManifoldSvLbfgs::Params& params : all) {
    const auto make = [=](ManifoldSum& sum) { return ManifoldSvLbfgs(sum, params, rng); };
    method.settings.push_back({text(params), [make](RaceProblem& p) {
                                 return race(p, make, [](const auto& state) { return state.skipped; });
                               }});
  }
  return method;
}

RaceMethod race_lbfgs(Index memory) {
  const auto make = [memory](ManifoldSum& sum) { return ManifoldLbfgs(sum, {.memory = memory}); };
  return {"L-BFGS, all terms", {{fmt::format("memory {}", memory), [make](RaceProblem& p) {
                                   return race(p, make, [](const auto& state) { return state.skipped; });
                                 }}}};
}

ExperimentResult run_races(std::vector<RacePart>& parts, Figure figure, const ExperimentOptions& options) {
  const FinishedParts finished(options.work_dir);
  std::vector<RacedPart> raced;
  for (RacePart& part : parts) raced.push_back({&part});
  const auto run = [&](RacedPart& job) {
    RaceProblem smaller = job.part->smaller(), whole = job.part->whole();
    for (const RaceMethod& method : job.part->methods) {
      std::string settings = fmt::format("seed {}{}", options.seed, options.quick ? ", quick" : "");
      for (const RaceSettings& one : method.settings) settings += "; " + one.text;
      job.curves.push_back(finished.of(job.part->name + ", " + method.name, settings, [&] {
        const RaceSettings& best = best_settings(method, smaller);
        SolverCurve curve = best.run(whole);
        curve.settings = best.text;
        return curve;
      }));
    }
  };
  two_at_a_time(
      raced, [](const RacedPart& job) -> std::string_view { return job.part->name; }, run, options.on_method);
  ExperimentResult result;
  for (const RacedPart& job : raced) {
    Panel by_passes{job.part->name, {.label = "passes over the data"}, {.label = "error", .log = true}, {}};
    Panel by_seconds{job.part->name, {.label = "CPU seconds"}, {.label = "error", .log = true}, {}};
    for (std::size_t i = 0; i < job.curves.size(); ++i) {
      const std::string& method = job.part->methods[i].name;
      const std::string name = job.part->name + ": " + method;
      result.settings[name] = job.curves[i].settings;
      add_race_rows(name, job.curves[i], result.rows);
      add_race_curve(method, job.curves[i], by_passes, by_seconds);
    }
    figure.panels.push_back(std::move(by_passes));
    figure.panels.push_back(std::move(by_seconds));
  }
  result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace quasar
