// The tables of names. A plain table, not static constructors: linkers drop those.
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "experiments/experiments.hpp"
#include "models/regression/linear.hpp"
#include "models/regression/logistic.hpp"
#include "models/regression/normal.hpp"
#include "samplers/samplers.hpp"
#include "targets/banana.hpp"
#include "targets/eight_schools.hpp"
#include "targets/funnel.hpp"
#include "targets/gamma.hpp"
#include "targets/gaussian.hpp"
#include "targets/linear_gaussian.hpp"
#include "targets/normal_loggamma.hpp"
#include "targets/quartic.hpp"

namespace quasar {
namespace {

template <class Entry>
const Entry& find(std::string_view kind, std::string_view name, std::span<const Entry> entries) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UsageError(unknown_name(kind, name, names));
}

}  // namespace

std::span<const SamplerEntry> samplers() {
  static const SamplerEntry table[] = {
      {"nuts", "hmc", "no-U-turn sampler: trajectories as long as they need to be", Law::exact, false, nuts_params(),
       make_nuts},
      {"hmc", "hmc", "Hamiltonian Monte Carlo with trajectories of fixed length", Law::exact, false, hmc_params(),
       make_hmc},
      {"qnhmc", "hmc", "quasi-Newton HMC: the inverse mass is a BFGS or L-BFGS approximation of the inverse Hessian",
       Law::exact, false, qnhmc_params(), make_qnhmc},
      {"hmc-bfgs", "hmc", "an ensemble of HMC chains, each with the L-BFGS metric of the others", Law::exact, false,
       hmc_bfgs_params(), make_hmc_bfgs},
      {"qnhmc-naive", "hmc", "HMC with quasi-Newton directions in the wrong place: a baseline to learn from",
       Law::exact, false, qnhmc_naive_params(), make_qnhmc_naive},
      {"rhmc", "hmc", "Riemannian manifold HMC: the metric follows the curvature from place to place", Law::exact,
       false, rhmc_params(), make_rhmc},
      {"mala", "langevin", "Metropolis-adjusted Langevin algorithm", Law::exact, false, mala_params(), make_mala},
      {"sgld", "langevin", "stochastic gradient Langevin dynamics: minibatches and small steps", Law::consistent, true,
       sgld_params(), make_sgld},
      {"psgld", "langevin", "SGLD with steps scaled by a running mean of squared gradients", Law::biased, true,
       psgld_params(), make_psgld},
      {"sgrld", "langevin", "SGLD with the metric of the place: stochastic gradient Riemannian Langevin dynamics",
       Law::consistent, true, sgrld_params(), make_sgrld},
      {"hamcmc", "langevin", "quasi-Newton SGLD: members that take turns, each with the L-BFGS matrix of the others",
       Law::consistent, true, hamcmc_params(), make_hamcmc},
      {"qn-langevin-naive", "langevin", "quasi-Newton SGLD on the chain's own past: a baseline to learn from",
       Law::biased, true, qn_langevin_naive_params(), make_qn_langevin_naive},
      {"sghmc", "hmc", "stochastic gradient HMC: friction takes up the noise of minibatches", Law::consistent, true,
       sghmc_params(), make_sghmc},
      {"sghmc-naive", "hmc", "HMC on minibatches without friction: a baseline to learn from", Law::biased, true,
       sghmc_naive_params(), make_sghmc_naive},
      {"sgnht", "thermostat", "stochastic gradient HMC whose friction adapts to the noise by a Nose-Hoover thermostat",
       Law::consistent, true, sgnht_params(), make_sgnht},
      {"sgd", "optimizer", "stochastic gradient descent: SGLD without noise, to compare with", Law::biased, true,
       sgd_params(), make_sgd},
      {"sgd-momentum", "optimizer", "gradient descent with momentum: SGHMC without noise, to compare with", Law::biased,
       true, sgd_momentum_params(), make_sgd_momentum},
      {"rmsprop", "optimizer", "RMSprop: PSGLD without noise, to compare with", Law::biased, true, rmsprop_params(),
       make_rmsprop},
      {"rwm", "metropolis", "random-walk Metropolis", Law::exact, false, rwm_params(), make_rwm},
  };
  return table;
}

std::span<const ModelEntry> models() {
  static const ModelEntry table[] = {
      {"logistic", "regression", "logistic regression of a 0/1 column", true, logistic_params, make_logistic},
      {"linear", "regression", "linear regression with unknown noise", true, linear_params, make_linear},
      {"normal", "regression", "mean and precision of a column", true, normal_params, make_normal},
      {"eight-schools", "hierarchical", "effects of coaching in eight schools (Rubin 1981)", false,
       eight_schools_params, make_eight_schools},
      {"gaussian", "target", "normal distribution of any dimension and conditioning", false, gaussian_params,
       make_gaussian},
      {"linear-gaussian", "target", "linear regression on synthetic data, its posterior known exactly", false,
       linear_gaussian_params, make_linear_gaussian},
      {"banana", "target", "a curved ridge", false, banana_params, make_banana},
      {"funnel", "target", "Neal's funnel", false, funnel_params, make_funnel},
      {"gamma", "target", "positive parameters: independent Gamma laws", false, gamma_params, make_gamma},
      {"double-well", "target", "two modes: U = theta^4 - 2 theta^2", false, double_well_params, make_double_well},
      {"quartic", "target", "light tails: U = sum t^2/2 + t^4/4", false, quartic_params, make_quartic},
      {"normal-loggamma", "target", "a skewed pair: U = x^2/2 + e^y - y", false, {}, make_normal_loggamma},
  };
  return table;
}

std::span<const ExperimentEntry> experiments() {
  static const ExperimentEntry table[] = {
      {"hamcmc-linear-gaussian",
       "Simsekli, Badeau, Cemgil and Richard (2016), Stochastic quasi-Newton Langevin Monte Carlo, section 4.1",
       "a linear Gaussian model on minibatches: error of the mean, and the spread beside it",
       run_hamcmc_linear_gaussian},
      {"qnhmc-gaussian", "Fu, Luo and Zhang (2016), Quasi-Newton Hamiltonian Monte Carlo, Table 1",
       "a Gaussian with one long direction: autocorrelation along it, and along all others", run_qnhmc_gaussian},
      {"qnhmc-logistic", "Fu, Luo and Zhang (2016), Quasi-Newton Hamiltonian Monte Carlo, Table 2",
       "digits 7 and 9 told apart by 784 pixels: every method with the same number of gradients", run_qnhmc_logistic},
      {"sghmc-double-well", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 1",
       "what a sampler makes of U = theta^4 - 2 theta^2, against quadrature", run_sghmc_double_well},
      {"sghmc-trajectories", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 2",
       "paths on U = theta^2/2: noise without friction carries the energy away", run_sghmc_trajectories},
      {"sghmc-bivariate", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 3",
       "a Gaussian with correlation 0.9: error of the covariance and autocorrelation, exact and simulated",
       run_sghmc_bivariate},
  };
  return table;
}

const SamplerEntry& find_sampler(std::string_view name) { return find("sampler", name, samplers()); }
const ModelEntry& find_model(std::string_view name) { return find("model", name, models()); }
const ExperimentEntry& find_experiment(std::string_view name) { return find("experiment", name, experiments()); }

}  // namespace quasar
