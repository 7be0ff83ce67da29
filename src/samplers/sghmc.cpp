// sghmc; sghmc-em, which learns its mass from its momenta; and sgd-momentum, the same without noise.
#include "kernels/hmc/sghmc.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "kernels/lazy/lazy_sghmc.hpp"
#include "samplers/fisher_mass.hpp"
#include "samplers/lazy.hpp"
#include "samplers/mass_em_params.hpp"
#include "samplers/momentum_params.hpp"
#include "samplers/numbers.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

constexpr std::string_view step_doc =
    "e: x moves by e p/mass, p by e grad; 0: learning_rate, or by the curvature and the noise at the mode";

constexpr ParamSpec friction_param{
    .name = "friction",
    .doc = "C: a number, one for each coordinate (a,b,...), or a symmetric matrix row by row; 0: momentum_decay",
    .type = ParamSpec::text,
    .init = "0"};
StochasticSetup setup_from(Target& target, const Config& config, double smallest_mass = 1) {
  StochasticSetup setup = stochastic_setup(target, config, momentum_step_size(config));
  if (setup.step_is_auto) setup.step.size = setup.local.momentum_step() * std::sqrt(smallest_mass);
  return setup;
}

Vec eigenvalues_of(const AnyMatrix& m) {
  return m.cols() > 1 ? Vec(Eigen::SelfAdjointEigenSolver<Mat>(m, Eigen::EigenvaluesOnly).eigenvalues())
                      : Vec(m.col(0));
}

// The rates at which friction C damps momenta of mass M: the eigenvalues of M^-1/2 C M^-1/2.
Vec damping_rates(const AnyMatrix& friction, const Vec& mass) {
  if (friction.size() == 1) return friction(0, 0) * mass.cwiseInverse();
  if (friction.cols() == 1) return friction.col(0).cwiseQuotient(mass);
  const Vec root = mass.cwiseSqrt().cwiseInverse();
  return eigenvalues_of(root.asDiagonal() * friction * root.asDiagonal());
}

// An explicit friction; else that of the momentum's decay; else by what is known of the posterior.
AnyMatrix friction_for(const Config& config, const StochasticSetup& setup, const Vec& mass) {
  Mat given = any_matrix(config, "friction", mass.size());
  const double decay = config.real("momentum_decay"), step = setup.step.at(1);
  const bool explicit_friction = given.size() > 1 || given(0, 0) != 0;
  if (explicit_friction && decay > 0) throw UsageError("friction and momentum_decay are two words for one thing");
  if (explicit_friction) {
    const Vec rates = damping_rates(given, mass);
    if (rates.minCoeff() <= 0) throw UsageError("friction must be positive");
    if (step * rates.maxCoeff() > 1) {
      throw UsageError(fmt::format(
          "step_size {:.3g} times friction over mass, {:.3g} at most, is more than 1: the momentum would turn round",
          step, rates.maxCoeff()));
    }
    return given;
  }
  const bool by_mode = decay == 0 && setup.step_is_auto;
  const double c =
      by_mode ? setup.local.friction() : (decay > 0 ? decay : default_momentum_decay) * mass.minCoeff() / step;
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

struct SghmcSetup {
  StochasticSetup setup;
  SghmcParams params;
  AnyMatrix friction;
};

SghmcSetup setup_with_friction(Target& target, const Config& config, const Vec& mass) {
  SghmcSetup made{setup_from(target, config, mass.minCoeff()), SghmcParams(), {}};
  made.friction = friction_for(config, made.setup, mass);
  made.params.step = made.setup.step;
  made.params.friction = Friction(mass.size(), made.friction);
  return made;
}

SghmcSetup sghmc_setup(Target& target, const Config& config, const Vec& mass) {
  SghmcSetup made = setup_with_friction(target, config, mass);
  SghmcParams& params = made.params;
  set_noise(config, made.setup, mass.size(), params);
  params.mass = diagonal_mass(mass);
  params.steps = config.integer("leapfrog_steps");
  params.refresh = config.flag("refresh");
  params.hold_batch = config.text("batch") == "per_trajectory";
  params.momentum_first = config.text("first") == "momentum";
  return made;
}

std::string_view obstacle_to_lazy_steps(const SghmcParams& params, const AnyMatrix& friction) {
  const auto& mass = params.mass;
  if (friction.size() > 1) return "friction is not one number";
  if (mass.dim() > 0 && !(mass.inverse_diagonal().array() == 1).all()) return "mass is not 1";
  if (params.noise != SghmcParams::given || params.noise_variance.size() > 1) {
    return "noise_variance is learned, or not one number (0 for instance)";
  }
  if (params.step.size / 2 * params.noise_variance(0, 0) > friction(0, 0)) {
    return "noise_variance is more than the friction takes up";
  }
  if (params.steps > 1 || params.refresh) return "leapfrog_steps is more than 1, or refresh moves all momenta";
  if (params.momentum_first) return "first is not position";
  return {};
}

std::unique_ptr<Chain> make_lazy_or_eager(std::unique_ptr<Target> target, SghmcSetup made, const Config& config,
                                          const ChainSpec& spec) {
  const std::string_view obstacle = obstacle_to_lazy_steps(made.params, made.friction);
  if (takes_lazy_steps(*target, config, made.setup, spec, obstacle)) {
    return make_stochastic<LazySghmc>(std::move(target), made.setup,
                                      {made.params, made.friction(0, 0), made.params.noise_variance(0, 0)}, spec);
  }
  return make_stochastic<Sghmc>(std::move(target), made.setup, std::move(made.params), spec);
}

// With a mass that is learned the friction is a rate: C = rate M.
struct FrictionByRate {
  Vec rates;  // empty: by the mode

  void operator()(Sghmc& kernel, SghmcState& s, const LocalScale& local, const Vec& mass) const {
    if (local.mode.size() > 0) kernel.params().step.size = local.momentum_step();
    s.friction.set(rates.size() > 0 ? Vec(rates.cwiseProduct(mass)) : Vec(local.friction() * mass));
  }
};

std::unique_ptr<Chain> make_with_fisher_mass(std::unique_ptr<Target> target, SghmcSetup made, const Config& config,
                                             const ChainSpec& spec) {
  const Index dim = moving_block(*target).size;
  const AnyMatrix given = friction_for(config, made.setup, Vec::Ones(dim));
  if (given.cols() > 1) throw UsageError("mass=fisher takes a friction of one number, or one for each coordinate");
  const Vec rates = given.size() == 1 ? Vec(Vec::Constant(dim, given(0, 0))) : Vec(given);
  const bool by_mode = made.setup.step_is_auto && config.text("friction") == "0" && config.real("momentum_decay") == 0;
  made.params.friction = Friction(dim, rates);
  return make_fisher<Sghmc>(std::move(target), std::move(made.setup), std::move(made.params), spec,
                            FrictionByRate{by_mode ? Vec() : rates});
}

std::vector<ParamSpec> sghmc_params_and(std::initializer_list<ParamSpec> last) {
  static constexpr std::array<Choice, 2> orders{{{"position"}, {"momentum"}}};
  std::vector<ParamSpec> params = stochastic_params(
      step_doc,
      {friction_param, learnable_mass_param, learning_rate_param, momentum_decay_param,
       ParamSpec{.name = "noise_variance",
                 .doc = "V, the variance of the gradient estimate: learned (for each coordinate), learned_scalar, or "
                        "given as friction is; 0 leaves it uncorrected",
                 .type = ParamSpec::text,
                 .init = "learned"},
       steps_param,
       ParamSpec{.name = "refresh",
                 .doc = "draw a new momentum at the start of every iteration",
                 .type = ParamSpec::boolean,
                 .init = "false"},
       ParamSpec{.name = "first",
                 .doc = "what moves first in a step, position or momentum: the same but for refresh",
                 .type = ParamSpec::choice,
                 .init = "position",
                 .choices = orders},
       batch_param});
  params.insert(params.end(), last);
  return params;
}

}  // namespace

std::span<const ParamSpec> sghmc_params() {
  static const auto params = sghmc_params_and({lazy_param});
  return params;
}

std::unique_ptr<Chain> make_sghmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  SghmcSetup made = sghmc_setup(*target, config, masses(config, moving_block(*target).size));
  if (learns_fisher_mass(config)) {
    refuse_lazy_steps(config, "mass=fisher is not 1");
    return make_with_fisher_mass(std::move(target), std::move(made), config, spec);
  }
  return make_lazy_or_eager(std::move(target), std::move(made), config, spec);
}

std::span<const ParamSpec> sghmc_em_params() {
  static constexpr std::array<Choice, 2> freeze{{{"false"}, {"true", Law::consistent}}};
  static const auto params = mass_em_params(sghmc_params_and({}), freeze,
                                            {{"leapfrog_steps", "10"}, {"refresh", "true"}, {"first", "momentum"}});
  return params;
}

std::unique_ptr<Chain> make_sghmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  MassEmSetup em = mass_em_setup(config, *target, spec.schedule);
  SghmcSetup made = sghmc_setup(*target, config, masses(config, moving_block(*target).size));
  return make_stochastic_em<Sghmc>(std::move(target), made.setup, std::move(made.params), std::move(em), spec);
}

std::span<const ParamSpec> sgd_momentum_params() {
  static const auto params =
      stochastic_params(step_doc, {friction_param, learning_rate_param, momentum_decay_param, lazy_param});
  return params;
}

std::unique_ptr<Chain> make_sgd_momentum(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  SghmcSetup made = setup_with_friction(*target, config, Vec::Ones(moving_block(*target).size));
  made.params.temperature = 0;
  return make_lazy_or_eager(std::move(target), std::move(made), config, spec);
}

}  // namespace quasar
