// The tables of names. A plain table, not static constructors: linkers drop those.
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "experiments/experiments.hpp"
#include "models/alpha/make_alpha_mf.hpp"
#include "models/factorization/factorization_predictor.hpp"
#include "models/factorization/make_factorization.hpp"
#include "models/factorization/mf.hpp"
#include "models/network/make_network.hpp"
#include "models/regression/linear.hpp"
#include "models/regression/logistic.hpp"
#include "models/regression/negative_binomial.hpp"
#include "models/regression/normal.hpp"
#include "models/regression/poisson.hpp"
#include "models/regression/softmax.hpp"
#include "models/sequences/ihmm.hpp"
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
      {"nuts", "hmc", "no-U-turn sampler: trajectories as long as they need to be", Law::exact,
       "a draw from the points of a trajectory by their weights leaves the posterior invariant", false, nuts_params(),
       make_nuts},
      {"hmc", "hmc", "Hamiltonian Monte Carlo with trajectories of fixed length", Law::exact,
       "a Metropolis test corrects the error of the leapfrog", false, hmc_params(), make_hmc},
      {"qnhmc", "hmc", "quasi-Newton HMC: the inverse mass is a BFGS or L-BFGS approximation of the inverse Hessian",
       Law::exact, "a Metropolis test, and a metric that is frozen after warm-up", false, qnhmc_params(), make_qnhmc},
      {"hmc-bfgs", "hmc", "an ensemble of HMC chains, each with the L-BFGS metric of the others", Law::exact,
       "a Metropolis test, and a metric of the other members alone", false, hmc_bfgs_params(), make_hmc_bfgs},
      {"qnhmc-naive", "hmc", "HMC with quasi-Newton directions in the wrong place: a baseline to learn from",
       Law::exact, "a Metropolis test, though it accepts little", false, qnhmc_naive_params(), make_qnhmc_naive},
      {"rhmc", "hmc", "Riemannian manifold HMC: the metric follows the curvature from place to place", Law::exact,
       "a Metropolis test, and steps that are solved and seen to be reversible", false, rhmc_params(), make_rhmc},
      {"mala", "langevin", "Metropolis-adjusted Langevin algorithm", Law::exact,
       "a Metropolis test corrects the Euler step", false, mala_params(), make_mala},
      {"sgld", "langevin", "stochastic gradient Langevin dynamics: minibatches and small steps", Law::consistent,
       "no Metropolis test: a bias of order step_size, and of the noise of minibatches", true, sgld_params(),
       make_sgld},
      {"psgld", "langevin", "SGLD with steps scaled by a running mean of squared gradients", Law::biased,
       "the drift lacks the derivative of the metric, however small the step", true, psgld_params(), make_psgld},
      {"sgrld", "langevin", "SGLD with the metric of the place: stochastic gradient Riemannian Langevin dynamics",
       Law::consistent, "no Metropolis test: a bias of order step_size, and of the noise of minibatches", true,
       sgrld_params(), make_sgrld},
      {"hamcmc", "langevin", "quasi-Newton SGLD: members that take turns, each with the L-BFGS matrix of the others",
       Law::consistent, "no Metropolis test: a bias of order step_size; the metric is that of other members", true,
       hamcmc_params(), make_hamcmc},
      {"qn-langevin-naive", "langevin", "quasi-Newton SGLD on the chain's own past: a baseline to learn from",
       Law::biased, "the metric depends on the chain's own past, and its derivative is left out", true,
       qn_langevin_naive_params(), make_qn_langevin_naive},
      {"sghmc", "hmc", "stochastic gradient HMC: friction takes up the noise of minibatches", Law::consistent,
       "no Metropolis test: a bias of order step_size^2 where the noise of minibatches is known, else of order "
       "step_size",
       true, sghmc_params(), make_sghmc},
      {"sghmc-naive", "hmc", "HMC on minibatches without friction: a baseline to learn from", Law::biased,
       "the noise of minibatches heats, and nothing takes it up", true, sghmc_naive_params(), make_sghmc_naive},
      {"sgnht", "thermostat", "stochastic gradient HMC whose friction adapts to the noise by a Nose-Hoover thermostat",
       Law::consistent,
       "no Metropolis test: a bias of order step_size where the noise of minibatches has the shape of the mass", true,
       sgnht_params(), make_sgnht},
      {"nh-hmc", "thermostat", "HMC along the orbits of a Nose-Hoover thermostat", Law::exact,
       "a Metropolis test corrects the error of the integrator and the change of volume", false, nh_hmc_params(),
       make_nh_hmc},
      {"np-hmc", "thermostat", "HMC along the orbits of Nose-Poincare dynamics", Law::exact,
       "a Metropolis test on the law that has the energy offset as a variable of its own", false, np_hmc_params(),
       make_np_hmc},
      {"sg-nphmc-canonical", "thermostat", "Langevin dynamics on minibatches, its noise taken up by a thermostat",
       Law::consistent,
       "no Metropolis test: a bias of order step_size where the noise of minibatches is known or has the shape of the "
       "mass",
       true, sg_nphmc_canonical_params(), make_sg_nphmc_canonical},
      {"sg-nphmc", "thermostat", "Nose-Poincare dynamics on minibatches with friction, as published", Law::biased,
       "friction without the noise that belongs to it, and an energy whose law is not the posterior", true,
       sg_nphmc_params(), make_sg_nphmc},
      {"hmc-em", "mass-learning", "HMC that learns its mass from its own momenta by Monte Carlo EM", Law::biased,
       "the mass depends on the chain's own past, and goes on changing", false, hmc_em_params(), make_hmc_em},
      {"sghmc-em", "mass-learning", "SGHMC that learns its mass from its own momenta by Monte Carlo EM", Law::biased,
       "the mass depends on the chain's own past, and goes on changing", true, sghmc_em_params(), make_sghmc_em},
      {"sgnht-em", "mass-learning", "SGNHT that learns its mass from its own momenta by Monte Carlo EM", Law::biased,
       "the mass depends on the chain's own past, and goes on changing", true, sgnht_em_params(), make_sgnht_em},
      {"sg-nphmc-em", "mass-learning", "sg-nphmc that learns its masses from its own momenta by Monte Carlo EM",
       Law::biased, "the law of sg-nphmc, and masses that go on changing with the chain's own past", true,
       sg_nphmc_em_params(), make_sg_nphmc_em},
      {"rnp-hmc", "thermostat", "Riemannian Nose-Poincare HMC: a metric of the place, and a thermostat", Law::exact,
       "a Metropolis test on an energy with a random offset, which makes the steps reversible", false, rnp_hmc_params(),
       make_rnp_hmc},
      {"rnp-hmc-printed", "thermostat", "Riemannian Nose-Poincare HMC with the Metropolis test that was published",
       Law::biased, "exp(-H) is not the law of an energy that is to be 0: positions are tempered by the thermostat",
       false, rnp_hmc_printed_params(), make_rnp_hmc_printed},
      {"sgr-nphmc-canonical", "thermostat",
       "Riemannian Langevin dynamics on minibatches, their noise taken up by a thermostat", Law::consistent,
       "no Metropolis test: a bias of order step_size where the noise of minibatches has the shape of the metric", true,
       sgr_nphmc_canonical_params(), make_sgr_nphmc_canonical},
      {"sgr-nphmc", "thermostat", "Riemannian Nose-Poincare dynamics on minibatches with friction, as published",
       Law::biased, "friction without the noise that belongs to it, and an energy whose law is not the posterior", true,
       sgr_nphmc_params(), make_sgr_nphmc},
      {"dsgld", "blocked", "SGLD on a factorization in blocks, which many processes may share", Law::consistent,
       "no Metropolis test: a bias of order step_size, and of the noise of parts of the data", true, dsgld_params(),
       make_dsgld, true},
      {"dpsgld", "blocked", "PSGLD on a factorization in blocks, which many processes may share", Law::biased,
       "the drift lacks the derivative of the metric, however small the step", true, dpsgld_params(), make_dpsgld,
       true},
      {"dsghmc", "blocked", "SGHMC on a factorization in blocks, which many processes may share", Law::consistent,
       "no Metropolis test: a bias of order step_size, and of the noise of parts of the data", true, dsghmc_params(),
       make_dsghmc, true},
      {"dhamcmc", "blocked", "HAMCMC on a factorization in blocks, which many processes may share", Law::consistent,
       "no Metropolis test: a bias of order step_size; the metric is that of other members", true, dhamcmc_params(),
       make_dhamcmc, true},
      {"sgd", "optimizer", "stochastic gradient descent: SGLD without noise, to compare with", Law::biased,
       "an optimiser: without noise there is no posterior", true, sgd_params(), make_sgd},
      {"sgd-momentum", "optimizer", "gradient descent with momentum: SGHMC without noise, to compare with", Law::biased,
       "an optimiser: without noise there is no posterior", true, sgd_momentum_params(), make_sgd_momentum},
      {"rmsprop", "optimizer", "RMSprop: PSGLD without noise, to compare with", Law::biased,
       "an optimiser: without noise there is no posterior", true, rmsprop_params(), make_rmsprop},
      {"als", "optimizer", "alternating least squares: Gibbs sampling without noise, to compare with", Law::biased,
       "an optimiser: without noise there is no posterior", false, als_params(), make_als},
      {"gibbs", "gibbs", "Gibbs sampling of models that can draw all of their parameters, block by block", Law::exact,
       "every block is drawn from its conditional law", false, gibbs_params(), make_gibbs},
      {"ihmm-beam", "gibbs", "beam sampling of ihmm: whole paths through as many states as the data ask for",
       Law::exact, "all is drawn from its conditional law; slices make the states finite without cutting any off",
       false, ihmm_beam_params(), make_ihmm_beam},
      {"rwm", "metropolis", "random-walk Metropolis", Law::exact, "a Metropolis test", false, rwm_params(), make_rwm},
  };
  return table;
}

std::span<const ModelEntry> models() {
  static const ModelEntry table[] = {
      {"logistic", "regression", "logistic regression of a 0/1 column", true, regression_params, make_logistic,
       predict_logistic},
      {"linear", "regression", "linear regression with unknown noise", true, regression_params, make_linear,
       predict_linear},
      {"softmax", "regression", "regression of a column of classes", true, regression_params, make_softmax,
       predict_softmax},
      {"poisson", "regression", "regression of counts", true, regression_params, make_poisson, predict_poisson},
      {"negative-binomial", "regression", "regression of counts that spread wider than Poisson's", true,
       regression_params, make_negative_binomial, predict_negative_binomial},
      {"normal", "regression", "mean and precision of a column", true, normal_params, make_normal},
      {"network", "network", "Bayesian neural network: classes or a number from any columns, or from images", true,
       network_params(), make_network, make_network_predictor},
      {"bpmf", "factorization", "Bayesian matrix factorization: what users make of items, from some of their ratings",
       true, bpmf_params(), make_bpmf, make_bpmf_predictor},
      {"mf", "factorization", "matrix factorization with noise and priors that are given, also in blocks over ranks",
       true, mf_params(), make_mf, make_bpmf_predictor},
      {"alpha-mf", "factorization", "factorization of a matrix of complex numbers with heavy tails, spectra of sound",
       true, alpha_mf_params(), make_alpha_mf},
      {"ihmm", "sequences", "infinite hidden Markov model: the regimes of a series, their number learned", true,
       ihmm_params(), make_ihmm},
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
       in_one_go<run_hamcmc_linear_gaussian>},
      {"hamcmc-alpha-stable",
       "Simsekli, Badeau, Cemgil and Richard (2016), Stochastic quasi-Newton Langevin Monte Carlo, Figure 3",
       "speech out of noise by alpha-stable matrix factorization: samplers, Gibbs sampling and plain filters",
       run_hamcmc_alpha_stable},
      {"hamcmc-distributed-mf",
       "Simsekli, Badeau, Cemgil and Richard (2016), Stochastic quasi-Newton Langevin Monte Carlo, section 4.3",
       "matrix factorization of MovieLens-1M in blocks: as published, and at equal effective steps",
       run_hamcmc_distributed_mf},
      {"nphmc-normal",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, "
       "Tables 4.1 and 4.2, Figures 4.1 and 4.2",
       "mean and precision of a column by Riemannian Nose-Poincare and Nose-Hoover thermostats on minibatches",
       in_one_go<run_nphmc_normal>},
      {"nphmc-logistic",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, "
       "Tables 4.4 and 4.5, Figure 4.3",
       "two weights of a logistic regression by the same samplers", in_one_go<run_nphmc_logistic>},
      {"mcem-normal",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Table 6.1",
       "mean and precision of a column, with and without a mass learned by Monte Carlo EM", in_one_go<run_mcem_normal>},
      {"mcem-logistic",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, "
       "Tables 6.2 and 6.3",
       "two weights of a logistic regression by the same samplers, and the time of an iteration",
       in_one_go<run_mcem_logistic>},
      {"qnhmc-gaussian", "Fu, Luo and Zhang (2016), Quasi-Newton Hamiltonian Monte Carlo, Table 1",
       "a Gaussian with one long direction: autocorrelation along it, and along all others",
       in_one_go<run_qnhmc_gaussian>},
      {"qnhmc-logistic", "Fu, Luo and Zhang (2016), Quasi-Newton Hamiltonian Monte Carlo, Table 2",
       "digits 7 and 9 told apart by 784 pixels: every method with the same number of gradients",
       in_one_go<run_qnhmc_logistic>},
      {"sghmc-double-well", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 1",
       "what a sampler makes of U = theta^4 - 2 theta^2, against quadrature", in_one_go<run_sghmc_double_well>},
      {"sghmc-trajectories", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 2",
       "paths on U = theta^2/2: noise without friction carries the energy away", in_one_go<run_sghmc_trajectories>},
      {"sghmc-bivariate", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 3",
       "a Gaussian with correlation 0.9: error of the covariance and autocorrelation, exact and simulated",
       in_one_go<run_sghmc_bivariate>},
      {"sghmc-mnist", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Figure 4",
       "a Bayesian neural network on MNIST: test error of averaged predictions, pass by pass",
       in_one_go<run_sghmc_mnist>},
      {"sghmc-bpmf", "Chen, Fox and Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, Table 1",
       "matrix factorization of MovieLens-1M: RMSE of averaged predictions, Gibbs sampling beside", run_sghmc_bpmf},
      {"qnhmc-bpmf", "Fu, Luo and Zhang (2016), Quasi-Newton Hamiltonian Monte Carlo, Table 3",
       "matrix factorization of MovieLens-1M: every sampler with the same number of gradients", run_qnhmc_bpmf},
      {"sva-hmm-lambda",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 2.1",
       "what lambda does to the asymp-HMM: agreement with the true states and error of prediction",
       in_one_go<run_sva_hmm_lambda>},
      {"sva-ihmm-synthetic",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 2.2",
       "5 to 10 states found by the asymp-iHMM, the beam sampler, EM and the asymp-HMM: agreement and time",
       in_one_go<run_sva_ihmm_synthetic>},
      {"sva-sp500",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 2.3",
       "the next close of the S&P 500 index from the 500 before it, by hidden Markov models and without any",
       in_one_go<run_sva_sp500>},
      {"sva-well-log",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 2.5",
       "strata of rock and outliers in 4050 responses of a well log", in_one_go<run_sva_well_log>},
      {"gamma-process-synthetic",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 3.1a",
       "documents drawn from a gamma process: how well its methods tell the words that were kept back",
       in_one_go<run_gamma_process_synthetic>},
      {"gamma-process-corpora",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 3.1b-f",
       "held-out words of KOS and NIPS by gamma and beta processes, and the time of an iteration",
       in_one_go<run_gamma_process_corpora>},
      {"nphmc-topics",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Table 4.3",
       "topics of 20 Newsgroups by Gibbs sampling and by Riemannian thermostats on minibatches",
       in_one_go<run_nphmc_topics>},
      {"mcem-topics",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Table 6.4",
       "topics of 20 Newsgroups by samplers on minibatches, with and without learned masses",
       in_one_go<run_mcem_topics>},
      {"rlbfgs-karcher",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 5.1",
       "the Karcher mean of positive definite matrices by stochastic quasi-Newton steps: error over passes and time",
       run_rlbfgs_karcher},
      {"rlbfgs-eigen",
       "Roychowdhury (2017), Robust and scalable algorithms for Bayesian nonparametric machine learning, Figure 5.2",
       "the leading eigenvector by stochastic quasi-Newton steps, rSVRG and VR-PCA, for four gaps", run_rlbfgs_eigen},
  };
  return table;
}

const SamplerEntry& find_sampler(std::string_view name) { return find("sampler", name, samplers()); }
const ModelEntry& find_model(std::string_view name) { return find("model", name, models()); }
const ExperimentEntry& find_experiment(std::string_view name) { return find("experiment", name, experiments()); }

}  // namespace quasar
