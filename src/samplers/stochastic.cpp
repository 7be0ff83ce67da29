#include "samplers/stochastic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/transforms.hpp>

#include "integrators/potential.hpp"
#include "kernels/stochastic.hpp"
#include "samplers/chosen.hpp"
#include "samplers/numbers.hpp"
#include "samplers/schedule_params.hpp"
#include "solvers/optimize.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 5> estimator_choices{{{"auto"}, {"full"}, {"minibatch"}, {"control_variates"}, {"svrg"}}};
constexpr std::array<Choice, 3> order_choices{{{"with_replacement"}, {"without_replacement"}, {"shuffled"}}};

constexpr ParamSpec shared_params[] = {
    {.name = "estimator",
     .doc = "of the gradient: full; minibatch; control_variates (minibatch around the mode); svrg (minibatch around a "
            "recent point); auto: minibatch where the model is a sum over data, else full",
     .type = ParamSpec::choice,
     .init = "auto",
     .choices = estimator_choices},
    {.name = "batch_size",
     .doc = "terms in a minibatch; 0: a hundredth of the data, 32 at least",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e15},
    {.name = "batch_order",
     .doc = "how a minibatch is drawn; shuffled goes through the data pass by pass",
     .type = ParamSpec::choice,
     .init = "with_replacement",
     .choices = order_choices},
    {.name = "anchor_every",
     .doc = "batches between two anchors of svrg; 0: one pass over the data",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e15},
    {.name = "gradient_noise",
     .doc = "variance of normal noise added to every gradient on purpose, to study what noise does",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 1e100},
};

Index batch_size_for(Index terms, std::int64_t asked) {
  constexpr Index least = 32, share = 100;
  if (asked > terms) {
    throw UsageError(fmt::format("batch_size={} is more than the {} terms of the data", asked, terms));
  }
  return asked > 0 ? asked : std::min(terms, std::max(least, terms / share));
}

EstimatorSettings estimator_of(Target& target, const Config& config) {
  EstimatorSettings settings;
  settings.added_noise = config.real("gradient_noise");
  const std::string& asked = config.text("estimator");
  const auto* sum = dynamic_cast<FiniteSum*>(&target);
  if (!sum) {
    if (asked == "auto" || asked == "full") return settings;
    throw UsageError(
        fmt::format("estimator={} needs a model that is a sum over data; this one has full gradients only", asked));
  }
  if (sum->terms() < 2) return settings;  // nothing to choose from
  settings.kind = chosen<EstimatorSettings::Kind>(config, "estimator",
                                                  {{"auto", EstimatorSettings::minibatch},
                                                   {"full", EstimatorSettings::full},
                                                   {"minibatch", EstimatorSettings::minibatch},
                                                   {"control_variates", EstimatorSettings::control_variates},
                                                   {"svrg", EstimatorSettings::svrg}});
  settings.batch_size = batch_size_for(sum->terms(), config.integer("batch_size"));
  settings.order = chosen<Batches::Order>(config, "batch_order",
                                          {{"with_replacement", Batches::with_replacement},
                                           {"without_replacement", Batches::without_replacement},
                                           {"shuffled", Batches::shuffled}});
  const std::int64_t every = config.integer("anchor_every");
  settings.anchor_every = every > 0 ? every : std::max<Index>(1, sum->terms() / settings.batch_size);
  return settings;
}

// Scales and what is scaled by them have no mode together that would tell anything of the posterior: where the scale is
// smallest the density has no bound, or nearly so.
void expect_a_mode(const Target& target) {
  if (target.conditionals().empty()) return;
  const auto* sum = dynamic_cast<const FiniteSum*>(&target);
  const double rate = 0.1 / static_cast<double>(sum ? sum->terms() : 1);
  throw UsageError(fmt::format(
      "the mode of a model with Gibbs steps is no guide to a step size: give one (and no estimator=control_variates). "
      "A tenth over the number of terms is where to begin: step_size={:.2g} for sgld; learning_rate={:.2g}, "
      "momentum_decay=0.01 and noise_variance=0 for sghmc",
      rate, rate));
}

// Good enough is a gradient ten thousand times shorter than at the start: a density that rises without bound never gets
// there.
void find_mode(Target& target, LocalScale& local) {
  constexpr std::int64_t most_gradients = 300;
  constexpr double short_enough = 1e-4;
  Vec start = Vec::Zero(target.dim()), grad(target.dim());
  transform::into_support(target.support(), start);
  target.logp_grad(start, grad);
  try {
    Optimum found = optimize(target, start, {.max_gradients = most_gradients, .tolerance = 1e-3});
    local.gradients += found.gradients + 1;
    local.mode = std::move(found.x);
    local.root_mass = Vec::Ones(target.dim());
    if (found.stop == StopReason::converged || found.gradient_norm < short_enough * grad.norm()) return;
  } catch (const RunError&) {
  }
  throw RunError(
      "no mode of the density was found. Give step_size, and use neither mass=fisher nor estimator=control_variates, "
      "which need one");
}

// The largest curvature of U at the mode by the power method, with displacements far below a standard deviation.
void measure_curvature(Target& target, LocalScale& local) {
  constexpr int rounds = 10;
  const Index dim = target.dim();
  Vec here(dim), there(dim);
  local.sharpest.resize(dim);
  potential(target, local.mode, here);
  Rng(0).child("curvature").stream("direction").normals(local.sharpest);
  local.sharpest.normalize();
  for (int round = 0; round < rounds; ++round) {
    const double length = 1e-3 / std::sqrt(local.curvature);
    const double u = potential(target, local.mode + length * local.sharpest.cwiseQuotient(local.root_mass), there);
    there = ((there - here) / length).cwiseQuotient(local.root_mass);
    if (!std::isfinite(u) || !there.allFinite() || !(there.norm() > 0)) break;
    local.curvature = there.norm();
    local.sharpest = there / local.curvature;
  }
  local.gradients += rounds + 1;
}

double sample_variance(const Vec& values) {
  return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

// The variance of an estimate, of its coordinates and along the sharpest direction, at a point a standard deviation
// away from the mode: control variates have no noise at the mode itself. A batch of one has twice the variance of two.
void measure_noise(Target& target, EstimatorSettings settings, LocalScale& local) {
  constexpr Index batches = 20, least = 2;
  local.noise = settings.added_noise;
  if (settings.kind == EstimatorSettings::full) return;
  const auto asked = static_cast<double>(settings.batch_size);
  settings.batch_size = std::max(settings.batch_size, least);
  settings.track_noise = true;
  const double enlarged = static_cast<double>(settings.batch_size) / asked;
  const GradientEstimator estimator(target, std::move(settings));
  Vec x(target.dim()), grad(target.dim()), along(batches);
  const Rng rng = Rng(0).child("noise");
  rng.stream("offset").normals(x);
  x = local.mode + (x / std::sqrt(local.curvature)).cwiseQuotient(local.root_mass);
  mirror_into(target.support(), {0, target.dim()}, x);
  GradientEstimator::State state = estimator.init(local.mode, rng);
  for (Index batch = 0; batch < batches; ++batch) {
    estimator.draw_batch(state, x);
    if (!estimator.gradient(state, x, grad).ok) {
      throw RunError(
          "the density has no gradient a standard deviation away from its mode. Give step_size, and do not use "
          "mass=fisher, which needs one there");
    }
    along[batch] = grad.cwiseQuotient(local.root_mass).dot(local.sharpest);
  }
  local.variances = enlarged * state.noise.diagonal();
  const double largest = state.noise.diagonal().cwiseQuotient(local.root_mass.cwiseAbs2()).maxCoeff();
  local.noise = enlarged * std::max(largest, sample_variance(along));
  local.gradients += static_cast<std::int64_t>(std::ceil(estimator.passes(state.spent)));
}

}  // namespace

std::vector<ParamSpec> stochastic_params(std::string_view step_size_doc, std::initializer_list<ParamSpec> own) {
  std::vector<ParamSpec> all{{"step_size", step_size_doc, ParamSpec::real, "0", 0, 1e100}};
  all.insert(all.end(), own);
  all.insert(all.end(), schedule_params().begin(), schedule_params().end());
  all.insert(all.end(), std::begin(shared_params), std::end(shared_params));
  return all;
}

Vec masses(const Config& config, Index dim) {
  if (config.text("mass") == "fisher") return Vec::Ones(dim);
  Vec given = numbers(config, "mass", dim);
  if (!(given.minCoeff() > 0)) throw UsageError("mass must be positive");
  return given;
}

LocalScale measure_scale(Target& target) {
  expect_a_mode(target);
  LocalScale local;
  find_mode(target, local);
  measure_curvature(target, local);
  return local;
}

LocalScale measure_again(Target& target, const EstimatorSettings& estimator, const LocalScale& local, const Vec& mass) {
  LocalScale again;
  again.mode = local.mode;
  again.root_mass = mass.cwiseSqrt();
  measure_curvature(target, again);
  measure_noise(target, estimator, again);
  return again;
}

StochasticSetup stochastic_setup(Target& target, const Config& config) {
  return stochastic_setup(target, config, config.real("step_size"));
}

StochasticSetup stochastic_setup(Target& target, const Config& config, double step_size) {
  StochasticSetup setup{estimator_of(target, config), schedule_of(config, step_size), {}};
  setup.step_is_auto = setup.step.size == 0;
  expect_step_size(config, setup.step);
  const bool control_variates = setup.estimator.kind == EstimatorSettings::control_variates;
  setup.support = target.support();
  if (setup.step_is_auto || control_variates) setup.local = measure_scale(target);
  if (control_variates) setup.estimator.mode = setup.local.mode;
  if (setup.step_is_auto) measure_noise(target, setup.estimator, setup.local);
  setup.estimator.prepared = setup.local.gradients;
  return setup;
}

Vec LocalScale::near(const Rng& rng, std::span<const Interval> support) const {
  Vec x(mode.size());
  rng.stream("near mode").normals(x);
  x = mode + x / std::sqrt(curvature);
  mirror_into(support, {0, x.size()}, x);
  return x;
}

ChainSpec near_mode(ChainSpec spec, const StochasticSetup& setup) {
  if (spec.initial.size() > 0 || setup.local.mode.size() == 0) return spec;
  spec.initial = setup.local.near(Rng(spec.seed, static_cast<std::uint64_t>(spec.chain)), setup.support);
  return spec;
}

}  // namespace quasar
