// Every sampler's parameters and how to make a chain of it: what the registry lists.
#pragma once

#include <memory>
#include <span>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

namespace quasar {

std::span<const ParamSpec> rwm_params();
std::unique_ptr<Chain> make_rwm(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> mala_params();
std::unique_ptr<Chain> make_mala(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> hmc_params();
std::unique_ptr<Chain> make_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> nuts_params();
std::unique_ptr<Chain> make_nuts(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> qnhmc_params();
std::unique_ptr<Chain> make_qnhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> hmc_bfgs_params();
std::unique_ptr<Chain> make_hmc_bfgs(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> qnhmc_naive_params();
std::unique_ptr<Chain> make_qnhmc_naive(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> rhmc_params();
std::unique_ptr<Chain> make_rhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> rnp_hmc_params();
std::unique_ptr<Chain> make_rnp_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> rnp_hmc_printed_params();
std::unique_ptr<Chain> make_rnp_hmc_printed(std::unique_ptr<Target> target, const Config& config,
                                            const ChainSpec& spec);

std::span<const ParamSpec> sgld_params();
std::unique_ptr<Chain> make_sgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgd_params();
std::unique_ptr<Chain> make_sgd(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> psgld_params();
std::unique_ptr<Chain> make_psgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> rmsprop_params();
std::unique_ptr<Chain> make_rmsprop(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgrld_params();
std::unique_ptr<Chain> make_sgrld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> hamcmc_params();
std::unique_ptr<Chain> make_hamcmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> qn_langevin_naive_params();
std::unique_ptr<Chain> make_qn_langevin_naive(std::unique_ptr<Target> target, const Config& config,
                                              const ChainSpec& spec);

std::span<const ParamSpec> sghmc_params();
std::unique_ptr<Chain> make_sghmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgd_momentum_params();
std::unique_ptr<Chain> make_sgd_momentum(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sghmc_naive_params();
std::unique_ptr<Chain> make_sghmc_naive(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgnht_params();
std::unique_ptr<Chain> make_sgnht(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> np_hmc_params();
std::unique_ptr<Chain> make_np_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> nh_hmc_params();
std::unique_ptr<Chain> make_nh_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sg_nphmc_params();
std::unique_ptr<Chain> make_sg_nphmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sg_nphmc_canonical_params();
std::unique_ptr<Chain> make_sg_nphmc_canonical(std::unique_ptr<Target> target, const Config& config,
                                               const ChainSpec& spec);

std::span<const ParamSpec> hmc_em_params();
std::unique_ptr<Chain> make_hmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sghmc_em_params();
std::unique_ptr<Chain> make_sghmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgnht_em_params();
std::unique_ptr<Chain> make_sgnht_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sg_nphmc_em_params();
std::unique_ptr<Chain> make_sg_nphmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgr_nphmc_params();
std::unique_ptr<Chain> make_sgr_nphmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> sgr_nphmc_canonical_params();
std::unique_ptr<Chain> make_sgr_nphmc_canonical(std::unique_ptr<Target> target, const Config& config,
                                                const ChainSpec& spec);

std::span<const ParamSpec> gibbs_params();
std::unique_ptr<Chain> make_gibbs(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> als_params();
std::unique_ptr<Chain> make_als(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> ihmm_beam_params();
std::unique_ptr<Chain> make_ihmm_beam(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> dsgld_params();
std::unique_ptr<Chain> make_dsgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> dpsgld_params();
std::unique_ptr<Chain> make_dpsgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> dsghmc_params();
std::unique_ptr<Chain> make_dsghmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

std::span<const ParamSpec> dhamcmc_params();
std::unique_ptr<Chain> make_dhamcmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

}  // namespace quasar
