// sghmc, and sgd-momentum: the same without noise.
#include "kernels/hmc/sghmc.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "samplers/numbers.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

constexpr double default_momentum_decay = 0.1;
constexpr std::string_view step_doc =
    "e: x moves by e r, r by e grad; 0: learning_rate, or by the curvature and the noise at the mode";

constexpr ParamSpec friction_param{
    .name = "friction",
    .doc = "C: a number, one for each coordinate (a,b,...), or a symmetric matrix row by row; 0: momentum_decay",
    .type = ParamSpec::text,
    .init = "0"};
constexpr ParamSpec learning_rate_param{.name = "learning_rate",
                                        .doc = "eta = e^2, instead of step_size",
                                        .type = ParamSpec::real,
                                        .init = "0",
                                        .min = 0,
                                        .max = 1e100};
constexpr ParamSpec momentum_decay_param{
    .name = "momentum_decay",
    .doc = "alpha = e C, instead of friction; 1 is Langevin dynamics without memory. 0: a tenth, or by the mode",
    .type = ParamSpec::real,
    .init = "0",
    .min = 0,
    .max = 1};

StochasticSetup setup_from(Target& target, const Config& config) {
  const double step = config.real("step_size"), rate = config.real("learning_rate");
  if (rate > 0 && step > 0) throw UsageError("step_size and learning_rate are two words for one thing");
  StochasticSetup setup = stochastic_setup(target, config, rate > 0 ? std::sqrt(rate) : step);
  if (setup.step_is_auto) setup.step.size = setup.local.momentum_step();
  return setup;
}

Vec eigenvalues_of(const AnyMatrix& m) {
  return m.cols() > 1 ? Vec(Eigen::SelfAdjointEigenSolver<Mat>(m, Eigen::EigenvaluesOnly).eigenvalues())
                      : Vec(m.col(0));
}

// An explicit friction; else that of the momentum's decay; else by what is known of the posterior.
AnyMatrix friction_for(const Config& config, const StochasticSetup& setup, Index dim) {
  Mat given = any_matrix(config, "friction", dim);
  const double decay = config.real("momentum_decay");
  const bool explicit_friction = given.size() > 1 || given(0, 0) != 0;
  if (explicit_friction && decay > 0) throw UsageError("friction and momentum_decay are two words for one thing");
  const double largest_step = setup.step.at(1);
  if (explicit_friction) {
    const Vec eigenvalues = eigenvalues_of(given);
    if (eigenvalues.minCoeff() <= 0) throw UsageError("friction must be positive");
    if (largest_step * eigenvalues.maxCoeff() > 1) {
      throw UsageError(
          fmt::format("step_size {:.3g} times friction {:.3g} is more than 1: the momentum would turn round",
                      largest_step, eigenvalues.maxCoeff()));
    }
    return given;
  }
  const bool by_mode = decay == 0 && setup.step_is_auto;
  const double c = by_mode ? setup.local.friction() : (decay > 0 ? decay : default_momentum_decay) / largest_step;
  return Mat::Constant(1, 1, c);
}

void set_noise(const Config& config, StochasticSetup& setup, Index dim, SghmcParams& params) {
  const std::string& variance = config.text("noise_variance");
  const bool batch_of_one = setup.estimator.kind != EstimatorSettings::full && setup.estimator.batch_size < 2;
  if (variance != "learned" && variance != "learned_scalar") {
    params.noise_variance = any_matrix(config, "noise_variance", dim);
    if (eigenvalues_of(params.noise_variance).minCoeff() < 0) throw UsageError("noise_variance must not be negative");
    return;
  }
  if (batch_of_one)
    throw UsageError("noise_variance=learned compares the halves of a batch: batch_size must be 2 or more");
  setup.estimator.track_noise = true;
  params.noise = variance == "learned" ? SghmcParams::learned_diagonal : SghmcParams::learned_scalar;
}

SghmcParams params_from(const Config& config, const StochasticSetup& setup, Index dim) {
  SghmcParams params;
  params.step = setup.step;
  params.friction = Friction(dim, friction_for(config, setup, dim));
  return params;
}

}  // namespace

std::span<const ParamSpec> sghmc_params() {
  static constexpr std::array<Choice, 2> batch_choices{{{"per_gradient"}, {"per_trajectory"}}};
  static const auto params = stochastic_params(
      step_doc,
      {friction_param, learning_rate_param, momentum_decay_param,
       ParamSpec{.name = "noise_variance",
                 .doc = "V, the variance of the gradient estimate: learned (for each coordinate), learned_scalar, or "
                        "given as friction is; 0 leaves it uncorrected",
                 .type = ParamSpec::text,
                 .init = "learned"},
       ParamSpec{.name = "leapfrog_steps",
                 .doc = "steps an iteration",
                 .type = ParamSpec::integer,
                 .init = "1",
                 .min = 1,
                 .max = 1e9},
       ParamSpec{.name = "refresh",
                 .doc = "draw a new momentum at the start of every iteration",
                 .type = ParamSpec::boolean,
                 .init = "false"},
       ParamSpec{.name = "batch",
                 .doc = "a fresh batch for every gradient, or one for the steps of an iteration, which heats more",
                 .type = ParamSpec::choice,
                 .init = "per_gradient",
                 .choices = batch_choices}});
  return params;
}

std::unique_ptr<Chain> make_sghmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const Index dim = target->dim();
  StochasticSetup setup = setup_from(*target, config);
  SghmcParams params = params_from(config, setup, dim);
  set_noise(config, setup, dim, params);
  params.steps = config.integer("leapfrog_steps");
  params.refresh = config.flag("refresh");
  params.hold_batch = config.text("batch") == "per_trajectory";
  return make_stochastic<Sghmc>(std::move(target), setup, std::move(params), spec);
}

std::span<const ParamSpec> sgd_momentum_params() {
  static const auto params = stochastic_params(step_doc, {friction_param, learning_rate_param, momentum_decay_param});
  return params;
}

std::unique_ptr<Chain> make_sgd_momentum(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const Index dim = target->dim();
  StochasticSetup setup = setup_from(*target, config);
  SghmcParams params = params_from(config, setup, dim);
  params.temperature = 0;
  return make_stochastic<Sghmc>(std::move(target), setup, std::move(params), spec);
}

}  // namespace quasar
