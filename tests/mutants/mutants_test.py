"""Every test must be able to fail: plants one bug at a time into a copy of the sources and expects a test to catch it.

A mutant is (file, what stands there, what a hasty hand could have written, the test programs of which one must fail). All
mutated files are headers or are compiled into the test program, so that nothing else has to be rebuilt. One in twelve is
planted, the same ones every time; QUASAR_MUTANTS=2 plants every second, QUASAR_MUTANTS=1 all of them.
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import manifolds
import sound
import topics

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["QUASAR_BIN"]).resolve().parent

KERNELS = ("exact/kernels", "invariance/kernels")
LEAPFROG = ("exact/leapfrog",)
HMC, NUTS, TRAJECTORY = "kernels/hmc/hmc.hpp", "kernels/hmc/nuts.hpp", "kernels/hmc/trajectory.hpp"
RHMC, IMPLICIT = "kernels/hmc/implicit_trajectory.hpp", "integrators/generalized_leapfrog.cpp"
NOSE_POINCARE, NP_HMC = "integrators/nose_poincare.hpp", "kernels/thermostat/np_hmc.hpp"
CANONICAL = "kernels/thermostat/sg_nphmc_canonical.cpp"
POINCARE, RNP_HMC = "integrators/riemannian_nose_poincare.cpp", "kernels/thermostat/rnp_hmc.cpp"
RIEMANNIAN, RIEMANNIAN_LAWS = ("exact/riemannian_nose_poincare",), ("oracle/riemannian_thermostats",)
SGR, SGR_CANONICAL = "kernels/thermostat/riemannian_stochastic.hpp", "kernels/thermostat/sgr_nphmc_canonical.cpp"

REGRESSION, PREDICTOR = ("exact/regression",), ("exact/regression_predictor",)
PRIOR, ROW_BLOCKS = "models/regression/coefficient_prior.cpp", "models/regression/row_blocks.cpp"

MF = ("exact/mf",)
ALPHA, ALPHA_CHAINS, ALPHA_STEPS = ("exact/alpha_mf",), ("exact/alpha_mf_chains",), ("invariance/alpha_mf",)
ALPHA_LAWS, ALPHA_MIXTURE, ALPHA_MADE = ("oracle/alpha_mf",), "models/alpha/alpha_mixture.cpp", "models/alpha/make_alpha_mf.cpp"
ALPHA_GIBBS, ALPHA_DENSITY = "models/alpha/alpha_components.cpp", "models/alpha/alpha_mixture_density.cpp"
FACTORIZATION, GIBBS_BPMF = ("exact/factorization",), ("joint/factorization",)

SHARDED, SHARDED_SUM = "estimators/sharded_sum.cpp", ("exact/sharded_sum",)
PACKED_RATINGS = ("exact/packed_ratings",)
REPORT = ("exact/report_data",)
COMPARE = ("exact/compare",)

STAN_MODEL, STAN_PROGRAM = "targets/stan_model.cpp", "targets/stan_program.cpp"
LOADED_LIBRARY = "targets/loaded_library.cpp"
SVG = ("exact/svg",)
VITERBI, ASYMP_HMM, HMM_EM = ("exact/viterbi",), ("exact/asymp_hmm",), ("exact/hmm_em",)
ASYMP_IHMM = ("exact/asymp_ihmm",)
BEAM, BEAM_EMISSIONS = "models/sequences/beam_sampler.cpp", "models/sequences/beam_emissions.cpp"
SEGMENT = ("exact/segment",)

MUTANTS = {
    "acceptance ratio inverted": (TRAJECTORY, "const double log_ratio = before - after;", "const double log_ratio = after - before;", KERNELS),
    "always accept": (TRAJECTORY, "choice.uniform() < info.accept_prob", "std::isfinite(after)", KERNELS),
    "kinetic energy missing at the end": (HMC, "return s.z.energy();", "return s.z.u;", KERNELS),
    "gradient cache stale after acceptance": ("kernels/hmc/hamiltonian.hpp", "    s.g.swap(s.z.g);\n", "", KERNELS),
    "potential cache stale after acceptance": ("kernels/hmc/hamiltonian.hpp", "    s.u = s.z.u;\n  }", "  }", KERNELS),
    "momentum drawn with H, not its inverse": ("integrators/leapfrog.hpp", "metric.solve(z.v, z.p);", "metric.apply(z.v, z.p);", KERNELS),
    "a little friction": ("integrators/leapfrog.hpp", "x[i] += step * v[i];", "x[i] += step * (v[i] *= 0.999);", LEAPFROG),
    "last half-kick short": ("integrators/leapfrog.hpp", "p[i] -= half * g[i];\n    v[i] -= half * hg[i];\n  }\n}", "p[i] -= 0.9 * half * g[i];\n    v[i] -= 0.9 * half * hg[i];\n  }\n}", LEAPFROG),
    "kicks twice too large": ("integrators/leapfrog.hpp", "const double half = 0.5 * step;", "const double half = step;", LEAPFROG),
    "sign of the gradient": ("integrators/potential.hpp", "  gradient = -gradient;\n", "", LEAPFROG),
    "support not looked at": ("integrators/potential.hpp", "if (!inside(target.support(), x)) return rejected;", "", LEAPFROG),
    "NUTS: newest half always taken": (NUTS, "choice.uniform() < std::exp(s.grown.log_weight - s.trajectory.log_weight)", "choice.uniform() < 2", KERNELS),
    "NUTS: halves taken without weights": (NUTS, "choice.uniform() < std::exp(right.log_weight - both)", "choice.uniform() < 0.5", KERNELS),
    "NUTS: a half that turned is used": (NUTS, "if (!build(info.tree_depth, s.grown)) return false;", "build(info.tree_depth, s.grown);", KERNELS),
    "NUTS: turns inside a half ignored": (NUTS, "      return straight;\n    }\n\n    bool leaf", "      return straight || true;\n    }\n\n    bool leaf", KERNELS),
    "NUTS: first half not checked with its neighbour": ("kernels/hmc/nuts.cpp", "start_a + start.dot(b.first.p) > 0 &&", "", ("exact/kernels",)),
    "NUTS: second half not checked with its neighbour": ("kernels/hmc/nuts.cpp", "end_b + end.dot(a.last.p) > 0", "true", ("exact/kernels",)),
    "NUTS: momenta of the new half not added": ("kernels/hmc/nuts.cpp", "  a.rho += b.rho;\n", "", ("exact/kernels",)),
    "calibration error: bins of a tenth": ("predict/scorer.cpp", "bin_of(confidence, bins)", "bin_of(confidence, bins - 5)", ("exact/scores",)),
    "Brier score: of the class that was observed alone": ("predict/scorer.cpp", "probabilities.squaredNorm() - p * p + (p - 1) * (p - 1)", "(p - 1) * (p - 1)", ("exact/scores",)),
    "coverage: an end of the interval is outside": ("predict/scorer.cpp", "row.below <= 1 - tail", "row.not_above <= 1 - tail", ("exact/scores",)),
    "predictions: the largest density instead of their mean": ("predict/row_averages.cpp", "log_add(log_density_[i], draw.log_density[i])", "std::max(log_density_[i], draw.log_density[i])", ("exact/predictive_average",)),
    "predictions: variance of the means alone": ("predict/row_averages.cpp", "    variance += variance_ / static_cast<double>(draws());\n", "", ("exact/predictive_average",)),
    "predictions: every draw has the same replicates": ("predict/posterior_predictions.cpp", "rng.at(static_cast<std::uint64_t>(chosen.number(first + c)))", "rng", ("exact/posterior_predictions",)),
    "predictions: draws of the first chains alone": ("predict/chosen_draws.hpp", "(2 * i + 1) * total_ / (2 * size_)", "i", ("exact/posterior_predictions",)),
    "moments: deviation from the old mean, squared": ("core/running_moments.hpp", "squares_[i] += before * (x[i] - mean_[i]);", "squares_[i] += before * before;", ("exact/moments",)),
    "moments: chains merged as if their means agreed": ("core/running_moments.hpp", " + apart.cwiseAbs2() * (static_cast<double>(count_) * share)", "", ("exact/moments",)),
    "moments: warm-up takes part": ("core/recorder.cpp", "!draw.warmup && !moments_.empty()", "!moments_.empty()", ("exact/moments",)),
    "thinned draws: one more than a hundred": ("core/recorder.cpp", "(schedule.kept(schedule.draws) + thinned_draws - 1) / thinned_draws", "schedule.kept(schedule.draws) / thinned_draws", ("exact/moments",)),
    "averages: one NaN is swallowed": ("predict/row_averages.cpp", "  if (std::isnan(a) || std::isnan(b)) return unknown;\n", "", ("exact/predictive_average",)),
    "averages: what overflows spoils the moments": ("predict/row_averages.cpp", "const bool fits = std::abs(value) < largest;", "const bool fits = largest > 0;", ("exact/predictive_average",)),
    "averages: rows without a response are scored": ("predict/row_averages.cpp", "    if (std::isnan(observed)) continue;\n", "", ("exact/predictive_average",)),
    "divergences: a share of the stored draws": ("diagnostics/check_steps.cpp", "run.made * run.thin", "run.draws * run.chains * run.thin", ("exact/problems",)),
    "a metric is advised where trajectories diverge": ("diagnostics/advice.cpp", " && run.divergences == 0", "", ("exact/problems",)),
    "E-BFMI of draws that stand apart": ("diagnostics/check_steps.cpp", "run.thin * run.stored_every > 1", "run.thin > 1", ("exact/problems",)),
    "held-out rows: warm-up takes part": ("predict/held_out.cpp", "  if (draw.warmup) return;\n", "", ("exact/held_out",)),
    "held-out rows: passes of the step itself not counted": ("predict/held_out.cpp", "  passes_ += info.data_passes;\n  if (!std::exchange(drawn_, false)) return;\n", "  if (!std::exchange(drawn_, false)) return;\n  passes_ += info.data_passes;\n", ("exact/held_out",)),
    "RHMC: acceptance ratio inverted": (RHMC, "probability(before - after)", "probability(after - before)", ("invariance/rhmc",)),
    "RHMC: a failed solve can be accepted": (RHMC, "const double after = info.solver_failed ? infinity : dynamics().energy(s)", "const double after = dynamics().energy(s)", ("exact/rhmc",)),
    "RHMC: gradient cache stale after acceptance": (RHMC, "      s.g.swap(s.z.g);\n", "", ("exact/rhmc",)),
    "RHMC: energy without the log determinant": ("integrators/generalized_leapfrog.hpp", "0.5 * (z.p.dot(z.v) + temperature_ * z.metric.log_det())", "0.5 * z.p.dot(z.v)", ("exact/generalized_leapfrog",)),
    "RHMC: gradients of the metric not counted": ("integrators/generalized_leapfrog.hpp", "grad_evals_ + geometry_->grad_evals()", "grad_evals_", ("exact/generalized_leapfrog",)),
    "RHMC: force without the trace term": (IMPLICIT, "z.slope = z.g + 0.5 * temperature_ * z.slope;", "z.slope = z.g;", ("exact/generalized_leapfrog",)),
    "RHMC: drift with the metric of the end alone": (IMPLICIT, "half * (start_v_ + z.v)", "half * 2 * z.v", ("exact/generalized_leapfrog",)),
    "RHMC: reversal not checked": (IMPLICIT, "solver_.settings().reversal_checked() && !drifts_back(half, z)", "false", ("exact/generalized_leapfrog",)),
    "RHMC: momentum drawn with the inverse metric": ("metrics/mass_matrix.cpp", "p.array() *= root_diagonal_.array();", "p.array() /= root_diagonal_.array();", ("exact/geometry",)),
    "closed form: the other root": ("integrators/reciprocal_metric.hpp", "2 * c / (b + std::sqrt(b * b + 2 * k * c))", "2 * c / (b - std::sqrt(b * b + 2 * k * c))", RIEMANNIAN),
    "closed form: drift of a constant metric": ("integrators/reciprocal_metric.hpp", "x[i] *= numerator / denominator;", "x[i] *= 1 + (forth + back) * p[i];", RIEMANNIAN),
    "thermostat: weight of the log determinant as published": ("integrators/riemannian_nose_poincare.hpp", "return temperature * (1 + exponent) / 2;", "return (1 + temperature) / 2;", RIEMANNIAN_LAWS),
    "thermostat: mass that does not follow the metric": (POINCARE, "return std::exp(-thermostat_.exponent * z.metric.log_det()) / thermostat_.mass;", "return 1 / thermostat_.mass;", RIEMANNIAN),
    "thermostat: force without the change of its mass": (POINCARE, "- 0.5 * lift * z.q * z.q * z.t + damping", "+ damping", RIEMANNIAN),
    "thermostat: q without its own energy": (POINCARE, "half * (kinetic - 0.5 * light * z.q * z.q - thermostat_friction)", "half * (kinetic - thermostat_friction)", RIEMANNIAN),
    "thermostat: friction in the first half alone": (POINCARE, " - friction * z.v);", ");", RIEMANNIAN),
    "thermostat: volume not accounted for": (RNP_HMC, "canonical + s.z.log_s + 0.5 * offset * offset", "canonical + 0.5 * offset * offset", RIEMANNIAN_LAWS),
    "thermostat: law of the offset left out": (RNP_HMC, "canonical + s.z.log_s + 0.5 * offset * offset", "canonical + s.z.log_s", RIEMANNIAN_LAWS),
    "thermostat: settling for ever": (RNP_HMC, "return params_.settling ?", "return !params_.settling ?", RIEMANNIAN_LAWS),
    "SGR canonical: noise without the temperature": (SGR_CANONICAL, "-std::expm1(-2 * decay) * params_.thermostat.temperature", "-std::expm1(-2 * decay)", RIEMANNIAN_LAWS),
    "SGR canonical: friction for a whole step, twice": (SGR_CANONICAL, "decay = params_.friction * e / 2;", "decay = params_.friction * e / 4;\n  s.z.p *= std::exp(-decay);", RIEMANNIAN_LAWS),
    "SGR canonical: the thermostat's friction once": (SGR_CANONICAL, "    mix(normals, s);\n    damp(s);\n    push(s);", "    mix(normals, s);\n    push(s);", RIEMANNIAN_LAWS),
    "SGR: a batch for a trajectory is drawn at every step": (SGR, "this->params_.batch != Params::per_trajectory", "true", RIEMANNIAN_LAWS),
    "SGR: a step that failed is kept": (SGR, "    s.z = s.before;\n    s.z.turn();", "    s.z.turn();", ("exact/riemannian_thermostats",)),
    "SoftAbs: derivative of each eigenvalue alone": ("integrators/softabs_geometry.cpp", "(values_[i] - values_[j]) / gap", "0.0", ("exact/geometry",)),
    "SoftAbs: eigenvalues without a scale": ("integrators/softabs_geometry.cpp", "scale = largest > 0 ? largest : 1", "scale = 1", ("exact/geometry",)),
    "SoftAbs: directions without the divided differences": ("integrators/softabs_geometry.cpp", "divided_.col(a).cwiseProduct(rotated_u_)", "rotated_u_", ("exact/geometry",)),
    "funnel: a mixed third derivative counted once": ("targets/funnel.cpp", "b(0, 0) * rest - 2 * cross", "b(0, 0) * rest - cross", ("exact/hessian",)),
    "observed metric used where it is indefinite": ("models/regression/normal_geometry.cpp", "e.mu * e.tau > e.cross * e.cross", "true", ("exact/geometry",)),
    "regression: all classes have the group effects of the first": (ROW_BLOCKS, "+= at.effects[k * groups + group[i]]", "+= at.effects[group[i]]", REGRESSION),
    "regression: Student's prior without its degrees of freedom": (PRIOR, "spread = settings_.df * sd * sd", "spread = sd * sd", REGRESSION),
    "regression: a horseshoe's width that follows its scale without the slab": (PRIOR, "1 / (1 + ratio));", "1.0);", ("exact/models",)),
    "regression: half-Cauchy without its Jacobian": ("models/regression/scale_prior.hpp", "logp += s - softplus(log_r);", "logp -= softplus(log_r);", REGRESSION),
    "regression: groups do not move their spread": ("models/regression/group_effects.cpp", "    grad[k] += by_effect.dot(effect.segment(k * groups_, groups_));\n", "", ("exact/models",)),
    "softmax: coefficients reported for another class": ("models/regression/coefficient_values.cpp", "counts.outputs + k * counts.columns", "counts.outputs + (counts.outputs - 1 - k) * counts.columns", REGRESSION),
    "softmax: the first class is impossible": ("models/regression/softmax.cpp", "total = (-top).exp();", "total.setZero(y.size());", REGRESSION),
    "negative binomial: spread that grows with the dispersion": ("models/regression/negative_binomial.cpp", "1 + mean / law.dispersion()", "1 + mean * law.dispersion()", PREDICTOR),
    "negative binomial: Stirling's series where they do not hold": ("models/regression/gamma_functions.cpp", "large = 16", "large = 4", REGRESSION),
    "predictor: all rows have the same random numbers": ("models/regression/regression_predictor.hpp", "2 * static_cast<std::uint64_t>(begin + i)", "0", PREDICTOR),
    "predictor: all new groups are the same": ("models/regression/regression_predictor.cpp", "names.stream(labels[static_cast<std::size_t>(g)])", 'names.stream("new")', PREDICTOR),
    "predictor: effects of groups in the unit of the response": ("models/regression/regression_predictor.cpp", "effects.segment(k * fitted, fitted) / response_scale().sd", "effects.segment(k * fitted, fitted)", PREDICTOR),
    "Nose-Poincare: a branch that the step back does not find": (NOSE_POINCARE, "if (!(std::abs(x) < 1)) return false;", "", ("exact/nose_poincare",)),
    "Nose-Poincare: the thermostat feels twice the kinetic energy": (NOSE_POINCARE, "return 0.5 * twice_kinetic *", "return twice_kinetic *", ("exact/nose_poincare",)),
    "Nose-Poincare: drift with the s of the start alone": (NOSE_POINCARE, "(1 / s + 1 / end_s)", "(2 / s)", ("exact/nose_poincare",)),
    "Nose-Poincare: friction in the first half alone": (NOSE_POINCARE, " + np.friction / std::sqrt(end_s) * z.v", "", ("exact/thermostat_kernels",)),
    "Nose-Hoover: half of log s": ("integrators/nose_hoover.hpp", "t.log_s += step *", "t.log_s += half *", ("exact/nose_poincare",)),
    "Nose-Hoover: momenta damped once": ("integrators/nose_hoover.hpp", "  z.p *= damping;\n  z.v *= damping;\n  t.log_s", "  t.log_s", ("exact/nose_poincare",)),
    "np-hmc: volume without that of the offset": (NP_HMC, "canonical + s.bath.log_s + 0.5 * off * off", "canonical + 0.5 * off * off", KERNELS + ("exact/thermostat_kernels",)),
    "np-hmc: offset not compared": (NP_HMC, "canonical + s.bath.log_s + 0.5 * off * off", "canonical + s.bath.log_s", KERNELS),
    "np-hmc: divergence by h, which the flow does not keep": (NP_HMC, "std::exp(s.bath.log_s) * h(s);", "h(s);", ("exact/thermostat_kernels",)),
    "np-hmc: step size learned from acceptance": (NP_HMC, "s.start_h * std::exp(-s.bath.log_s)", "s.start_h", ("exact/thermostat_kernels",)),
    "np-hmc: warm-up never ends": ("adapt/warmup.hpp", "settle(kernel, false);", "", ("exact/thermostat_kernels",)),
    "nh-hmc: volume not compared": ("kernels/thermostat/nh_hmc.hpp", "static_cast<double>(this->block_.size) * s.bath.log_s", "0.0", KERNELS),
    "sg-nphmc: H0 not reset": ("kernels/thermostat/sg_nphmc.cpp", "s.dynamics.offset = s.dynamics.energy(s.z.u, s.z.p.dot(s.z.v), s.bath);", "s.dynamics.offset = 0;", ("exact/thermostat_kernels",)),
    "sg-nphmc: canonical momentum kept for the real one": ("kernels/thermostat/sg_nphmc.cpp", "s.p = std::exp(-s.bath.log_s) * s.z.p;", "s.p = s.z.p;", ("exact/thermostat_kernels",)),
    "sg-nphmc: half kicks share a batch": ("kernels/thermostat/sg_nphmc.cpp", "i > 0 && params_.batch == Params::per_half_kick", "false", ("exact/thermostat_kernels",)),
    "sg-nphmc: a step too long is skipped": ("kernels/thermostat/sg_nphmc.cpp", "  s.z.p = -s.z.p;\n", "", ("exact/thermostat_kernels",)),
    "sg-nphmc: a half step that failed is kept": ("kernels/thermostat/sg_nphmc.cpp", "    s.z = s.start_z;\n", "    s.z.p = s.start_z.p;\n", ("exact/thermostat_kernels",)),
    "canonical: noise of the gradient added twice": (CANONICAL, "- s.variance.segment(begin, size)", "+ s.variance.segment(begin, size)", ("exact/thermostat_kernels",)),
    "canonical: thermostat takes no part": (CANONICAL, "const double damping = nh.damping(half, s.bath);", "const double damping = 1;", ("exact/thermostat_kernels",)),
    "estimator: value without that of the anchor": ("estimators/gradient_estimator.cpp", "    at.logp += s.anchor_value;\n", "", ("exact/estimators",)),
    "Gibbs: cache not renewed": ("core/kernel_chain.hpp", "    kernel_.rebase(x_, state_);\n", "", ("exact/gibbs",)),
    "Gibbs: turns by the length of trajectories": ("core/kernel_chain.hpp", "info.data_passes > 0 ? info.data_passes : 1", "info.data_passes > 0 ? info.data_passes : static_cast<double>(info.grad_evals)", ("exact/gibbs",)),
    "Gibbs: a pass in hundredths is never full": ("core/gibbs.cpp", "passes_since + rounding >=", "passes_since >=", ("exact/gibbs",)),
    "Gibbs: the rest of a pass forgotten": ("core/gibbs.cpp", "std::max(0.0, since - every * std::floor((since + rounding) / every))", "0", ("exact/gibbs",)),
    "Gibbs: the member that was moved keeps its old value": ("kernels/langevin/hamcmc.cpp", "  s.positions.col((s.turn + params_.memory - 1) % params_.memory) = x;\n", "", ("exact/gibbs",)),
    "bpmf: slopes of users by users": ("simd/row_pairs.cpp", "add(slope, x + b, rank, slopes + a);", "add(slope, x + a, rank, slopes + a);", FACTORIZATION),
    "bpmf: the ratings of a batch counted as one": ("models/factorization/factorization.cpp", "{0, 0}, static_cast<double>(count), squares", "{0, 0}, 1.0, squares", FACTORIZATION),
    "bpmf: every rating counted twice": ("models/factorization/factorization.cpp", "{0, 0}, static_cast<double>(count), squares", "{0, 0}, 2 * static_cast<double>(count), squares", FACTORIZATION),
    "bpmf: the noise without its prior": ("models/factorization/factorization.cpp", "const PrecisionTerm term(x[log_tau()], noise_prior(settings_));", "const PrecisionTerm term(x[log_tau()], {0, 0});", FACTORIZATION),
    "bpmf: the noise with the prior of rows": ("models/factorization/make_factorization.cpp", 'config.real("noise_shape")', 'config.real("shape")', (*FACTORIZATION, *GIBBS_BPMF)),
    "bpmf: the noise is never drawn": ("models/factorization/factorization.cpp", "  out[0] = draw_log_precision(noise_prior(settings_), static_cast<double>(terms()), all_squares(x), stream);\n", "  out[0] = x[log_tau()];\n", ("exact/gibbs_sampler",)),
    "bpmf: items taken for users in rows_of": ("models/factorization/factorization.cpp", "touch(ratings_->by_user.rows() + ratings_->all[at(id)].item);", "touch(ratings_->all[at(id)].item);", FACTORIZATION),
    "bpmf: factors beyond whole vectors without slopes": ("simd/row_pairs.cpp", "  for (; k < size; ++k) to[k] += factor * from[k];\n", "", FACTORIZATION),
    "bpmf: squares of the first vector of rows left out": ("simd/outer_products.cpp", "row = column / tile_rows * tile_rows;", "row = (column / tile_rows + 1) * tile_rows;", FACTORIZATION),
    "bpmf: noise drawn twice too small": ("models/factorization/factorization.cpp", "static_cast<double>(terms()), all_squares(x)", "static_cast<double>(terms()), 2 * all_squares(x)", GIBBS_BPMF),
    "bpmf: the bias of the other side not taken off": ("models/factorization/row_conditional.cpp", "(biases_ ? others(rank_, other) : 0)", "0", (*FACTORIZATION, *GIBBS_BPMF)),
    "bpmf: the prior mean left out of a row's": ("models/factorization/row_conditional.cpp", "    linear_.noalias() += law.precision * law.mean;\n", "", FACTORIZATION),
    "bpmf: Jacobian of a Wishart matrix in the order of its transpose": ("models/factorization/wishart_prior.cpp", "static_cast<double>(width_ - i + 1)", "static_cast<double>(i + 2)", FACTORIZATION),
    "bpmf: Bartlett's degrees in reverse": ("models/factorization/wishart_prior.cpp", "(degrees - static_cast<double>(i)) / 2", "(degrees - static_cast<double>(width_ - 1 - i)) / 2", GIBBS_BPMF),
    "bpmf: the pull of the prior mean 0 left out": ("models/factorization/wishart_prior.cpp", "  spread_.selfadjointView<Eigen::Lower>().rankUpdate(mean, strength_ * n / (strength_ + n));\n", "", GIBBS_BPMF),
    "bpmf: a mean with the sd of a single row": ("models/factorization/diagonal_prior.cpp", " / std::sqrt(strength_ + n)", "", GIBBS_BPMF),
    "mf: the sd of items for users": ("models/factorization/mf.cpp", "prior(settings.user_sd),", "prior(settings.item_sd),", MF),
    "mf: a sd for a precision": ("models/factorization/mf.cpp", "1 / (settings.noise_sd * settings.noise_sd)", "1 / settings.noise_sd", MF),
    "mf: a straddling user in the block before": ("models/factorization/load_blocks.cpp", "place_of_rating(k * ratings / blocks), begin", "place_of_rating(k * ratings / blocks) + 1, begin", MF),
    "mf: the most ratings of an item from one rank alone": ("models/factorization/load_blocks.cpp", "    exchange_.sum(ends);\n    loaded_->largest[1]", "    loaded_->largest[1]", MF),
    "mf: ratings of one pair in the order of the file": ("models/factorization/sorted_ratings.cpp", "items[static_cast<std::size_t>(one.item)], one.value);", "items[static_cast<std::size_t>(one.item)], 0.0);", MF),
    "mf: ratings of blocks not centred": ("models/factorization/load_blocks.cpp", "one.value - center_", "one.value", MF),
    "block slopes: a fused product": ("simd/block_slopes.cpp", "hn::Add(sum.part[p], hn::Mul(a.part[p], b.part[p]))", "hn::MulAdd(a.part[p], b.part[p], sum.part[p])", MF),
    "block slopes: the tail of a row not written": ("simd/block_slopes.cpp", "    for (int k = 0; k < tail; ++k) gw[whole + k] = tail_slopes[k];\n", "", MF),
    "bpmf: pairs of two users taken for duplicates": ("models/factorization/ratings.cpp", "before >= 0 && ratings.all[at(before)].user == static_cast<std::int32_t>(user)", "before >= 0", ("exact/ratings",)),
    "alpha-mf: half of the intensity left out of a slope": ("simd/stable_variances.cpp", "hn::Sub(half, constant(1.0))", "hn::Sub(half, constant(0.5))", ALPHA),
    "alpha-mf: the power of a dispersion left out of its slope": (ALPHA_DENSITY, "power * by_phi[e] / dispersion[e]", "by_phi[e] / dispersion[e]", ALPHA),
    "alpha-mf: entries that were not seen count": ("simd/stable_variances.cpp", "hn::And(hn::Ge(s, hn::Zero(d)), hn::FirstN(d, n))", "hn::FirstN(d, n)", ALPHA),
    "alpha-mf: a prior without its Jacobian": ("simd/generalized_gamma.cpp", "hn::MulSub(constant(power * law.shape), at, t)", "hn::MulSub(constant(power * law.shape - 1), at, t)", ALPHA),
    "alpha-mf: columns of W with slopes of H": ("simd/column_products.cpp", "add(slope[i], b + place_b, rank, slopes_a + place_a);", "add(slope[i], a + place_a, rank, slopes_a + place_a);", ALPHA),
    "alpha-mf: Phi by the ratio upside down": ("simd/stable_variances.cpp", "hn::Add(rest, now), hn::Add(rest, proposed),", "hn::Add(rest, proposed), hn::Add(rest, now),", ALPHA_STEPS),
    "alpha-mf: Phi of one source by the data alone": ("models/alpha/alpha_mixture_phi.cpp", "if (other != c)", "if (other > c)", ALPHA_STEPS),
    "alpha-mf: the other exponent of a stable variable": ("simd/stable_variances.cpp", "const Kanter kanter(a, shift);", "const Kanter kanter(1 - a, shift);", ALPHA),
    "alpha-mf: a component among its own others": (ALPHA_GIBBS, "room.later.col(k + 1).data(),", "room.later.col(k).data(),", ALPHA_STEPS),
    "alpha-mf: parts that do not add up to x": ("simd/stable_components.cpp", "hn::MulAdd(share, load(in.rest_re + i, n), load(re + i, n))", "load(re + i, n)", ALPHA_STEPS),
    "alpha-mf: H drawn without its data's count": (ALPHA_GIBBS, "gammas.gamma(one.h.shape + seen_in_column_[j])", "gammas.gamma(one.h.shape + static_cast<double>(rows()))", ALPHA_STEPS),
    "alpha-mf: W by the H of the sweep before": (ALPHA_GIBBS, "rates[c].col(own) += precision * room.re.col(k);", "rates[c].col(own) += room.re.col(k) / room.h[k];", ALPHA_STEPS),
    "alpha-mf: numbers of a thread": (ALPHA_GIBBS, "rng.child(\"column\", static_cast<std::uint64_t>(j))", "rng.child(\"column\", static_cast<std::uint64_t>(j) + 1000 * thread)", ALPHA_CHAINS),
    "alpha-mf: what is held out taken for seen": ("models/alpha/held_out_entries.cpp", "std::exchange(square, std::numeric_limits<double>::quiet_NaN())", "square", ALPHA),
    "alpha-mf: a density by sigma and not its square": (ALPHA_MIXTURE, "- 2 * std::log(sigma)", "- std::log(sigma)", ALPHA),
    "alpha-mf: Phi that was not recorded is the same everywhere": (ALPHA_MIXTURE, "  draw_prior_phi(x, Rng(0).child(\"not recorded\"));\n  for (std::size_t c = 0; c < count(); ++c) raise_phi(c, dispersion_of(c, x), x);\n", "  x.tail(dim_ - data_->moving).setConstant(std::numbers::ln2);\n", ALPHA_CHAINS),
    "alpha-mf: entries far outside of their laws at a start": (ALPHA_MIXTURE, "    phi = std::max(phi, least);\n", "", ALPHA),
    "alpha-mf: components of a point that are all alike": (ALPHA_GIBBS, "  draw_prior_phi(x, Rng(0).child(\"not recorded\"));  // the same whenever points are read\n  raise_phi(x);\n", "  x.tail(x.size() - moving_).setConstant(2);\n", ALPHA),
    "alpha-mf: proposals that are no numbers": ("simd/stable_inl.hpp", "return hn::And(wanted, hn::IsFinite(w));", "return wanted;", ALPHA),
    "alpha-mf: knots of a density too far apart": ("models/alpha/stable_density.cpp", "alpha < 1.8 ? 0x1p-5 : 0x1p-7", "0x1p-5", ALPHA),
    "alpha-mf: a component without a column": (ALPHA_MADE, "if (w.col(k).isZero(0))", "if (w.isZero(0))", ALPHA_CHAINS),
    "alpha-mf: a scale by what is held out": (ALPHA_MADE, "alpha_source(config, intensities, dictionary_of", "alpha_source(config, squares_of(table), dictionary_of", ALPHA_CHAINS),
    "alpha-mf: mirrored steps with a little less noise": ("kernels/langevin/euler.hpp", "std::sqrt(2 * step * temperature)", "std::sqrt(1.7 * step * temperature)", ALPHA_LAWS),
    "alpha-mf: what leaves its domain stays at the end": ("kernels/stochastic.cpp", "x[block.begin + i] = at.x;", "x[block.begin + i] = at.turned ? 1e-3 : at.x;", ALPHA_LAWS),
    "alpha-mf: mirrored steps beside a Phi of the wrong law": ("simd/stable_inl.hpp", "hn::Mul(uniform, hn::Div(w, v))", "uniform", ALPHA_LAWS),
    "psgld: a probe of what others move": ("kernels/langevin/psgld.cpp", "for (double& one : own(s.probe)) {", "for (double& one : s.probe) {", ("exact/gibbs",)),
    "hamcmc: a pair that ends outside of the support": ("kernels/langevin/hamcmc.cpp", "    into_support(s.displaced);\n", "", ALPHA_CHAINS),
    "network: a conditional that counts each weight twice": ("models/gamma_precision.hpp", "stream.gamma(prior.shape + count / 2)", "stream.gamma(prior.shape + count)", ("oracle/network",)),
    "network: a conditional of exp(-lambda w^2)": ("models/gamma_precision.hpp", "/ (prior.rate + squares / 2)", "/ (prior.rate + squares)", ("oracle/network",)),
    "network: half of a sigmoid's slope": ("models/network/feed_forward.cpp", "slope *= z * (1 - z);", "slope *= 1 - z;", ("exact/network",)),
    "network: slopes of the last block alone": ("models/network/feed_forward.cpp", "slopes_.segment(b.begin, b.size) +=", "slopes_.segment(b.begin, b.size) =", ("exact/network",)),
    "network: slopes kept from call to call": ("models/network/feed_forward.cpp", "  slopes_.setZero();\n", "", ("exact/network",)),
    "network: probabilities not compared with what was observed": ("models/network/network.cpp", "observed(row) += static_cast<Real>(weight);", "(void)observed(row);", ("exact/network",)),
    "network: slopes of sparse inputs kept": ("models/network/sparse_layer.hpp", "    slopes_.setZero();\n", "", ("exact/network",)),
    "network: units beyond whole strips left out": ("simd/sparse_rows.cpp", "  if (left == 2) use(std::integral_constant<int, 2>(), at);\n", "", ("exact/sparse_rows",)),
    "network: noise with the prior of the weights": ("models/network/network.cpp", "draw_log_precision(noise_prior_,", "draw_log_precision(prior_,", ("oracle/network",)),
    "network: weights that have run away run on": ("models/network/network.cpp", "if (!(out[g] > least_log_precision(prior_)))", "if (false)", ("exact/network",)),
    "network: an image by its first column": ("models/network/images.cpp", "for (std::size_t i = 0; i < predictors.size(); ++i)", "for (std::size_t i = 0; i < 1; ++i)", ("exact/make_network",)),
    "network: labels as bytes": ("models/regression/feature_scales.cpp", "if (features.column(j) >= 0) scales", "scales", ("exact/make_network",)),
    "network: replicates named by their block": ("models/network/network_predictor.cpp", "    stream.seek(static_cast<std::uint64_t>(begin + done));\n", "", ("exact/network",)),
    "network: log density on the fitted scale": ("models/network/network_predictor.cpp", "data_->scale.sd * (y - scores(i, 0)) / sigma_", "(y - scores(i, 0)) / sigma_", ("exact/network",)),
    "MALA: noise of half the variance": ("kernels/langevin/mala.hpp", "std::sqrt(2 * step_size)", "std::sqrt(step_size)", KERNELS),
    "RWM: acceptance inverted": ("kernels/metropolis/rwm.hpp", "return s.u - s.proposal_u;", "return s.proposal_u - s.u;", KERNELS),
    "RWM: cache stale": ("kernels/metropolis/rwm.hpp", "      s.g.swap(s.proposal_g);\n", "", KERNELS),
    "dense draw with the wrong factor": ("metrics/dense.hpp", "upper_.col(i).head(i + 1).dot(out.head(i + 1))", "covariance_.col(i).head(i + 1).dot(out.head(i + 1))", ("exact/metrics",)),
    "diagonal draw with variance for sd": ("metrics/diagonal.hpp", "out.array() *= sd_.array();", "out.array() *= variance_.array();", ("exact/metrics",)),
    "variance with divisor n": ("adapt/mass.hpp", "return squares_ / (count_ - 1);", "return squares_ / count_;", ("exact/metrics",)),
    "Fisher metric without the root": ("adapt/mass.hpp", "g_.variance().array()).sqrt()", "g_.variance().array())", ("exact/metrics",)),
    "L-BFGS: pairs not rotated to oldest first": ("metrics/lbfgs.cpp", "oldest_ = slot(1);", "oldest_ = 0;", ("exact/lbfgs",)),
    "L-BFGS: noise of a pair without its curvature": ("metrics/lbfgs_coefficients.cpp", "c = curvatures().sqrt() * zeta.array()", "c = curvatures() * zeta.array()", ("exact/lbfgs",)),
    "L-BFGS: newer steps left out of the inverse": ("metrics/lbfgs_coefficients.cpp", "a = sv / scale_;\n  a.noalias() += kept(sy_).triangularView<Eigen::StrictlyLower>() * b;\n", "a = sv / scale_;\n", ("exact/lbfgs",)),
    "L-BFGS: products kept after another start": ("metrics/lbfgs.cpp", "if (!was_uniform) renew_products();", "", ("exact/lbfgs",)),
    "L-BFGS: damping without its limit": ("metrics/lbfgs.cpp", "const double weight = 0.8 * initial", "const double weight = initial", ("exact/lbfgs",)),
    "curvature not looked at": ("metrics/curvature_pair.hpp", "p.sy > min_curvature * p.ss", "p.sy > 0", ("exact/lbfgs",)),
    "line search without its second condition": ("solvers/line_search.cpp", "flat = std::abs(t.slope) <= c2 * std::abs(start.slope)", "flat = true", ("exact/optimize",)),
    "line search goes to the wrong side": ("solvers/line_search.cpp", "if (t.slope * towards_high >= 0) high = low;", "if (t.slope * towards_high < 0) high = low;", ("exact/optimize",)),
    "dual averaging pushes the wrong way": ("adapt/dual_averaging.hpp", "mu - std::sqrt(count)", "mu + std::sqrt(count)", ("exact/adapt",)),
    "step size search counts too few gradients": ("adapt/warmup.hpp", "} while (accepted() == grow);\n  return spent;", "} while (accepted() == grow);\n  return spent - 1;", ("exact/chain",)),
    "warm-up ends without the averaged step size": ("adapt/warmup.hpp", "if (!fixed_ && averaging_.count > 0)", "if (false)", ("exact/adapt", "exact/chain")),
    "adapter state forgotten when saving": ("core/kernel_chain.hpp", '    visit("adapter", self.adapter_);\n', "", ("exact/chain",)),
    "thinning off by one": ("core/kernel_chain.hpp", "in_phase % spec_.schedule.thin == 0", "(in_phase + 1) % spec_.schedule.thin == 0", ("exact/chain",)),
    "low-rank draw with eigenvalues for their roots": ("metrics/low_rank.hpp", "return std::sqrt(eigenvalue);", "return eigenvalue;", ("exact/metrics",)),
    "low-rank metric of the covariance alone": ("adapt/fisher_low_rank.cpp", "covariance(basis.transpose() * g)", "covariance(basis.transpose() * x)", ("exact/low_rank_learning",)),
    "estimator: weight of a batch forgotten": ("estimators/gradient_estimator.cpp", "terms() / static_cast<double>(settings_.batch_size)", "1.0", ("exact/estimators",)),
    "estimator: anchor's terms added": ("estimators/gradient_estimator.cpp", "add_terms(s.anchor, ids, -weight,", "add_terms(s.anchor, ids, weight,", ("exact/estimators",)),
    "estimator: variance without the finite population": ("estimators/batches.cpp", "order_ == with_replacement ? 1 : 1 - static_cast<double>(size_) / static_cast<double>(terms_)", "1", ("exact/estimators",)),
    "estimator: anchor never renewed": ("estimators/gradient_estimator.cpp", "s.anchor_age >= settings_.anchor_every", "false", ("exact/estimators",)),
    "batches: one shuffle for all passes": ("estimators/batches.cpp", "if (pass != shuffle.pass)", "if (shuffle.pass < 0)", ("exact/estimators",)),
    "SGLD: noise of half the variance": ("kernels/langevin/euler.hpp", "std::sqrt(2 * step * temperature)", "std::sqrt(step * temperature)", ("exact/langevin",)),
    "als: draws instead of means": ("samplers/gibbs.cpp", "make_sweeps(std::move(target), sweep, 0, config, spec)", "make_sweeps(std::move(target), sweep, 1, config, spec)", ("exact/gibbs_sampler",)),
    "als: drawn precisions not refused": ("samplers/gibbs.cpp", "if (!target->conditionals().empty()) {", "if (false) {", ("exact/gibbs_sampler",)),
    "gibbs: means instead of draws": ("samplers/gibbs.cpp", "make_sweeps(std::move(target), sweep, 1, config, spec)", "make_sweeps(std::move(target), sweep, 0, config, spec)", ("exact/gibbs_sampler",)),
    "gibbs: the same noise in every sweep": ("kernels/gibbs/row_gibbs.hpp", 'rng.child("sweep")', 'Rng(1).child("sweep")', ("exact/gibbs_sampler",)),
    "gibbs: a sweep is no pass over the data": ("kernels/gibbs/row_gibbs.hpp", "    info.data_passes = 1;\n", "", ("exact/gibbs_sampler",)),
    "lazy steps: one step too few in a jump": ("kernels/lazy/lazy_sghmc.cpp", "law.after(gap.steps)", "law.after(gap.steps - 1)", ("exact/lazy",)),
    "lazy steps: position and momentum without their covariance": ("kernels/lazy/free_steps.cpp", "spread_x > 0 ? covariance(1, 0) / spread_x : 0", "0", ("exact/lazy",)),
    "lazy steps: one normal for position and momentum": ("kernels/lazy/lazy_sghmc.cpp", "gap.steps > 1 ? z + width_ : z", "z", ("exact/lazy",)),
    "lazy steps: the prior's mean forgotten": ("kernels/lazy/lazy_sghmc.cpp", "y = at[i] - mean[i]", "y = at[i]", ("exact/lazy",)),
    "lazy steps: the clock not set": ("kernels/lazy/lazy.hpp", "s.clock[static_cast<std::size_t>(row)] = until;", "", ("exact/lazy",)),
    "lazy steps: the last noise drawn twice": ("kernels/lazy/lazy.hpp", "Motion::noise_waits && clock > s.settled", "Motion::noise_waits", ("exact/lazy",)),
    "lazy steps: laws of precisions that are no more": ("kernels/lazy/lazy.hpp", ".any()) renew_laws(x, s);", ".any()) s.given = x.tail(s.given.size());", ("exact/lazy",)),
    "lazy steps: rows that lag behind are recorded": ("core/kernel_chain.hpp", "if (recorded || gibbs_due) catch_up", "if (gibbs_due) catch_up", ("exact/lazy",)),
    "lazy steps: precisions drawn while rows lag behind": ("core/kernel_chain.hpp", "if (recorded || gibbs_due) catch_up", "if (recorded) catch_up", ("exact/lazy",)),
    "lazy steps: the noise that waits lost before a long gap": ("kernels/lazy/lazy.hpp", "longest_jump + gap.noises - gap.steps", "longest_jump", ("exact/lazy",)),
    "lazy steps: narrow rows cost what wide ones do": ("samplers/lazy.cpp", "moved * (width + cost_of_a_gap)", "moved * width", ("exact/lazy",)),
    "lazy steps: Gibbs steps look at no row": ("samplers/lazy.cpp", "return gibbs + static_cast<double>(recorded)", "return static_cast<double>(recorded)", ("exact/lazy",)),
    "lazy sgld: the gradient taken a step too late": ("kernels/lazy/lazy_sgld.cpp", "touch(x, s, s.t - 1,", "touch(x, s, s.t,", ("exact/lazy",)),
    "lazy steps: looks at all rows cost nothing": ("samplers/lazy.cpp", "looks_for_each_step(sum, estimator, spec) * rows", "0 * looks_for_each_step(sum, estimator, spec) * rows", ("exact/lazy",)),
    "PSGLD: v renewed at the wrong time": ("kernels/langevin/psgld.cpp", "if (params_.update_first) update_average(s);", "update_average(s);", ("exact/langevin",)),
    "PSGLD: sign of the divergence": ("kernels/langevin/psgld.cpp", "s.grad[i] -= share", "s.grad[i] += share", ("exact/langevin",)),
    "HAMCMC: a refused pair makes room for a member's own": ("kernels/langevin/hamcmc.cpp", "if (full && !kept) s.h.drop_oldest();", "", ("exact/langevin",)),
    "HAMCMC: an old pair stays when the memory is not full": ("kernels/langevin/hamcmc.cpp", "if (falls && !full) s.h.drop_oldest();", "", ("exact/langevin",)),
    "HAMCMC: learns on when frozen": ("kernels/langevin/hamcmc.cpp", "const bool learning = !params_.frozen;", "const bool learning = true;", ("exact/langevin",)),
    "mirror: momentum goes on into the wall": ("kernels/stochastic.cpp", "(*momentum)[i] = -(*momentum)[i]", "(*momentum)[i] = (*momentum)[i]", ("exact/langevin",)),
    "mirror: only once": ("kernels/stochastic.cpp", "std::remainder(x - in.lo, 2 * (in.hi - in.lo))", "x - in.lo", ("exact/langevin",)),
    "schedule: blocks begin one step late": ("kernels/step_schedule.hpp", "static_cast<double>((t - 1) % period)", "static_cast<double>(t % period)", ("exact/langevin",)),
    "tuning: the worse go on": ("samplers/tune.cpp", "return a->trial.ksd < b->trial.ksd;", "return a->trial.ksd > b->trial.ksd;", ("exact/tune",)),
    "probing without scales": ("adapt/lanczos.cpp", "y = scale.cwiseProduct(y - gradient.here) / length;", "y = (y - gradient.here) / length;", ("exact/low_rank_learning",)),
    "the last metric tried is taken": ("adapt/curvature_mass.cpp", "if (!(score < best)) return;", "best = score;", ("exact/low_rank_learning",)),
    "printed QNHMC keeps its matrix after a rejection": ("kernels/hmc/qnhmc_printed.hpp", "    s.proposed = s.curvature;\n", "", ("exact/quasi_newton",)),
    "printed QNHMC changes its matrix within a trajectory": ("kernels/hmc/qnhmc_printed.hpp", "s.proposed.add_pair(s.s, s.y);", "s.curvature.add_pair(s.s, s.y);", ("exact/quasi_newton",)),
    "ensemble metric from the member itself": ("kernels/hmc/hmc_bfgs.cpp", "for (Index i = 1; i + 1 < members; ++i)", "for (Index i = 1; i < members; ++i)", ("exact/quasi_newton",)),
    "ensemble gradients stale": ("kernels/hmc/hmc_bfgs.cpp", "s.gradients.col(s.turn) = s.g = s.member.g;", "s.g = s.member.g;", ("exact/quasi_newton",)),
    "naive QNHMC with the energy that is kept": ("kernels/hmc/qnhmc_naive.hpp", "return s.z.u + 0.5 * s.z.v.squaredNorm();", "return s.z.energy();", ("invariance/kernels",)),
    "Stan: values in the order of the program": (STAN_MODEL, "values[i] = values_[shared_->layout.source[static_cast<std::size_t>(i)]];", "values[i] = values_[i];", ("exact/stan_model",)),
    "Stan: the first index fastest": ("targets/stan_names.cpp", "for (std::size_t axis = 0; axis < shape.size(); ++axis) offset =", "for (std::size_t axis = shape.size(); axis-- > 0;) offset =", ("exact/stan_names",)),
    "Stan: an element that comes twice": ("targets/stan_names.cpp", "if (from != none) return std::nullopt;", "", ("exact/stan_names",)),
    "Stan: density without the Jacobian": (STAN_PROGRAM, "with_jacobian = true", "with_jacobian = false", ("exact/stan_model",)),
    "Stan: one generator for all draws": (STAN_MODEL, "rng.stream(\"stan\").index(seeds)", "seeds - 1", ("exact/stan_model",)),
    "Stan: parameters lost with generated quantities": (STAN_MODEL, "{parts, StanParts{parts.transformed, false}, parameters_only}", "{parts}", ("exact/stan_model",)),
    "Stan: densities that are not finite not told": (STAN_MODEL, "rejected(not_finite(logp), logp)", "Eval{logp, false}", ("exact/stan_model",)),
    "Stan: two threads where there may be one": (STAN_PROGRAM, "return threaded_ ?", "return true ?", ("exact/stan_threads",)),
    "Stan: both kinds of threads in a process": (STAN_PROGRAM, "programs_here().threaded.value_or(threaded) != threaded", "false", ("exact/stan_threads",)),
    "Stan: a function taken for the tape": ("targets/library_file.cpp", "symbol.starts_with(\"_ZN4stan4math22AutodiffStackSingleton\")", "symbol.find(\"AutodiffStackSingleton\") != symbol.npos", ("exact/stan_library",)),
    "Stan: a text not given back": ("targets/stan_library.cpp", "if (error != nullptr) library.free_error_msg(error);", "", ("exact/stan_library",)),
    "Stan: a library that is refused forgotten": (STAN_PROGRAM, "= load_library(file);\n", "= load_library(file);\n  const StanLibrary library(loaded);\n", ("exact/stan_threads",)),
    "Stan: a library that breaks off is loaded": (LOADED_LIBRARY, "if (is_cut_off(path))", "if (path.empty())", ("exact/stan_library",)),
    "Stan: a library that was compiled again is not": (LOADED_LIBRARY, "if (loaded.file != now.file) continue;", "if (loaded.file != now.file) return {file, handle};", ("exact/stan_library",)),
    "Stan: a library that was written over is used": (LOADED_LIBRARY, "loaded.content == now.content", "loaded.file == now.file", ("exact/stan_library",)),
    "threads as asked for, not as the target allows": ("core/sample.cpp", "threads_for(target, options)", "options.threads", ("exact/threads",)),
    "durable runs: threads as asked for": ("io/durable_run.cpp", "threads_for(job_.target, job_.options)", "job_.options.threads", ("exact/threads",)),
    "names longer than a run file holds": ("core/layout.cpp", "if (name.size() <= longest_name) return;", "return;", ("exact/names",)),
    "records not cut back when resuming": ("io/record_file.cpp", "  file_->resize(offset_of(records, width_));\n", "", ("exact/record_file",)),
    "a torn record is taken for a sound one": ("io/record_file.cpp", "if (!same_bits(", "if (false && !same_bits(", ("exact/record_file",)),
    "counts start from zero when resuming": ("io/durable_run.cpp", "    recorder(i).go_on_from(saved.checkpoint.counts);\n", "", ("exact/durable_run",)),
    "lengths of records not saved": ("io/durable_run.cpp", "    return saved.checkpoint;\n", "    return {};\n", ("exact/durable_run",)),
    "what is read is written over": ("io/durable_run.cpp", "if (!fs::equivalent(written, input, ignored)) continue;", "if (written != input || fs::equivalent(written, input, ignored)) continue;", ("exact/durable_run",)),
    "resumed with another configuration": ("io/durable_run.cpp", "if (found.empty()) return;", "if (found.size() < 9) return;", ("exact/durable_run",)),
    "checksum of a run file not compared": ("io/seal.cpp", "found != seal_of(file, size)", "found.empty()", ("exact/bad_run_files",)),
    "EM: inverse covariance corrected by one too few": ("adapt/mass_em.cpp", "(s - static_cast<double>(dim) - 1) / s", "(s - static_cast<double>(dim)) / s", ("exact/mass_em",)),
    "EM: weights 1/k": ("adapt/mass_em.cpp", ": 1 / (k + 1);", ": 1 / k;", ("exact/mass_em",)),
    "EM: masses may grow without limit": ("adapt/mass_em.cpp", "return std::min(kappa, 1 - 1 / c);", "return kappa;", ("exact/mass_em",)),
    "EM: masses may shrink without limit": ("adapt/mass_em.cpp", "if (ratio > 1) kappa", "if (ratio < 1) kappa", ("exact/mass_em",)),
    "EM: squares of the thermostat never forgotten": ("adapt/mass_em.cpp", "  thermostat_squares_ = 0;\n", "", ("exact/mass_em",)),
    "EM: interval of deviations, not of standard errors": ("adapt/test_vector.cpp", "* n / (n - 1));", "* n * n / (n - 1));", ("exact/mass_em",)),
    "EM: the mean square is not looked at": ("adapt/test_vector.cpp", "    thermostat_ = true;\n", "", ("exact/mass_em",)),
    "EM: an accepted momentum is not seen": ("kernels/hmc/mass_hmc.hpp", "    Base::accept(x, s);\n    s.p = s.z.p;\n", "    Base::accept(x, s);\n", ("exact/mass_em",)),
    "SGHMC: friction without the mass": ("kernels/hmc/friction.cpp", "c_.col(0).array() * mass.inverse_diagonal().array()", "c_.col(0).array()", ("exact/mass_em",)),
    "SGHMC: drift without the mass": ("kernels/hmc/sghmc.cpp", "own(x) += s.step_size * s.velocity;", "own(x) += s.step_size * s.p;", ("exact/mass_em",)),
    "SGNHT: noise without the mass": ("kernels/thermostat/sgnht.cpp", "params_.mass.draw(normals, s.noise);", "normals.normals(s.noise);", ("exact/mass_em",)),
    "a mass that is loaded but not factorised": ("metrics/mass_matrix.hpp", "self.factorise();\n  }", ";\n  }", ("exact/stochastic_hmc",)),
    "Fisher mass: step size not tuned again": ("adapt/fisher_mass.hpp", "    retune_(kernel, s, learned);\n", "", ("oracle/fisher_mass",)),
    "Fisher mass: learned for all coordinates alike": ("adapt/fisher_mass.hpp", "Mat learned = share_ * variance;", "Mat learned = Vec::Constant(variance.size(), share_ * variance.mean());", ("oracle/fisher_mass",)),
    "labels numbered as they come": ("io/csv_labels.cpp", "value = numbers[static_cast<std::size_t>(value)];", "value += 0 * numbers[0];", ("exact/csv",)),
    "labels of rows that are left out": ("io/csv_rows.cpp", "    if (drop_missing_ && lacks_a_value()) {", "    if (drop_missing_ && any_ && lacks_a_value()) {", ("exact/csv",)),
    "numbers that are labels in the order of the alphabet": ("io/csv_labels.cpp", "return numbers && a.value != b.value ? a.value < b.value : a.label < b.label;", "return a.label < b.label;", ("exact/csv",)),
    "a number among labels is a label": ("io/csv_rows.cpp", "column.holds == Holds::labels && is_number(text)", "false", ("exact/csv",)),
    "design: the first level has an indicator too": ("models/regression/features.cpp", "subspan(whole ? 0 : 1)", "subspan(0)", ("exact/features",)),
    "design: interactions of numbers alone": ("models/regression/features.cpp", "value *= factor.indicator ? (at == factor.value ? 1.0 : 0.0) : at;", "value *= factor.indicator ? 1.0 : at;", ("exact/features",)),
    "design: levels of new rows by their place": ("models/regression/levels.cpp", "numbers_.emplace_back(found.values[i], place->second);", "numbers_.emplace_back(found.values[i], static_cast<Index>(i));", ("exact/features",)),
    "design: unseen levels pass": ("models/regression/levels.cpp", "if (levels.unseen().empty()) return levels;", "return levels;", ("exact/features",)),
    "design: columns of new rows by their place": ("models/regression/features.cpp", "places.of(column.name)", "std::ssize(factors)", ("exact/features",)),
    "images: labels not renumbered": ("io/idx_table.cpp", "label = numbers[label];", "label = label;", ("exact/idx",)),
    "ratings: a first line with a bad rating is a header": ("io/ratings.cpp", "!is_number(field(2)) && !(user && item)", "!is_number(field(2))", ("exact/ratings_reader",)),
    "ratings: titles tell the separator": ("io/ratings.cpp", "  if (count_of(line, \"::\") >= 2) return \"::\";\n", "", ("exact/ratings_reader",)),
    "ratings: quoted separators count": ("io/ratings.cpp", "if (ends_field(end)) at = end;", "(void)end;", ("exact/ratings_reader",)),
    "ratings: new files without a header have invented names": ("io/ratings.cpp", "use == RatingsFor::predicting && !wanted.user.empty() ? wanted : default_names", "use == RatingsFor::predicting && wanted.user.empty() ? wanted : default_names", ("exact/ratings_reader",)),
    "ratings: the third column is the rating whatever it is called": ("io/ratings.cpp", "place_of(header, wanted_.rating, default_names.rating, 2)", "place_of(header, wanted_.rating, \"\", 2)", ("exact/ratings_reader",)),
    "ratings: a scale that overflows": ("models/factorization/ratings.cpp", "std::isfinite(center) && std::isfinite(scale) && ", "std::isfinite(center) && ", ("exact/ratings",)),
    "fold-in: the mean of duplicates is the last": ("models/factorization/newcomers.cpp", "merged + (value - merged) / static_cast<double>(++earlier.count) : value", "value : value", ("exact/factorization_predictor",)),
    "predicted pairs: draws in any order": ("models/factorization/drawn_rows.cpp", "return a.name == b.name && a.shape == b.shape;", "return true || a.name == b.name;", ("exact/factorization_predictor",)),
    "recommendations: new items have no scores": ("models/factorization/drawn_rows.cpp", "  for (Index item = items_.known(); item < out.size(); ++item) out[item] = expected(user, item);\n", "", ("exact/factorization_predictor",)),
    "ratings: the first separator that is there": ("io/ratings.cpp", "if (count > most) {", "if (count > most && most == 0) {", ("exact/ratings_reader",)),
    "MatrixMarket: places from 0": ("io/matrix_market.cpp", "place < 1 ||", "place < 0 ||", ("exact/ratings_reader",)),
    "newcomers: the row of the last draw": ("models/factorization/drawn_rows.cpp", "  std::fill(side.is_drawn.begin(), side.is_drawn.end(), 0);\n", "", ("exact/factorization_predictor",)),
    "fold-in: precision on the scale of the file": ("models/factorization/drawn_rows.cpp", "std::pow(rows_->kept.scale / sigma_, 2)", "std::pow(1 / sigma_, 2)", ("exact/factorization_predictor",)),
    "predicted pairs: replicates of every block alike": ("models/factorization/factorization_predictor.cpp", "  stream.seek(static_cast<std::uint64_t>(begin));\n", "", ("exact/factorization_predictor",)),
    "recommendations: one place too many": ("predict/recommend.cpp", "std::min(top, size()) - 1", "std::min(top, size() - 1)", ("exact/recommend",)),
    "new rows: labels as numbers": ("front/read_data.cpp", "column.levels.empty() ? Hold::numbers", "!column.levels.empty() ? Hold::numbers", ("exact/new_columns",)),
    "new rows: the response is required": ("front/read_data.cpp", "if (there_.contains(name)) require(name, hold);", "require(name, hold);", ("exact/new_columns",)),
    "new rows: items before users": ("front/read_data.cpp", "  columns.require(ratings->user, Hold::labels);\n  columns.require(ratings->item, Hold::labels);\n", "  columns.require(ratings->item, Hold::labels);\n  columns.require(ratings->user, Hold::labels);\n", ("exact/new_columns",)),
    "predictions: scores although a row has none": ("front/prediction_report.cpp", "scores.rows == 0 || scores.unpredicted > 0", "scores.rows == 0", ("exact/new_columns",)),
    "predictions: rows counted from 1 everywhere": ("front/prediction_report.cpp", "counts_from_0 ? 1 : 0", "0", ("exact/new_columns",)),
    "problems: every divergence behind energies": ("diagnostics/problems.cpp", "static_cast<double>(run.divergences) < rare_divergences * static_cast<double>(run.made)", "true", ("exact/problems",)),
    "problems: rare divergences behind any R-hat": ("diagnostics/problems.cpp", "problem.parameters.front().value > rhat_far_off", "true", ("exact/problems",)),
    "predictions: rows counted without those that are left out": ("io/predictions_csv.cpp", "names_.number(block.begin + i)", "block.begin + i + 1", ("exact/posterior_predictions",)),
    "predictions: rows left out are not counted while a table is read": ("io/csv.cpp", "csv.dropped() + std::ssize(table.lines)", "std::ssize(table.lines)", ("exact/csv",)),
    "experiments: the training ratings are predicted": ("../experiments/bpmf_ratings.cpp", "target.constant_data(), split.test)", "target.constant_data(), split.train)", ("exact/experiments",)),
    "experiments: no end of gradients": ("../experiments/bpmf_ratings.cpp", "    if (outcome_.gradients >= method_->gradients) stop_.request_stop();\n", "", ("exact/experiments",)),
    "experiments: one fold again and again": ("../experiments/bpmf_ratings.cpp", "split_ratings(ratings, parts, fold, seed)", "split_ratings(ratings, parts, 0 * fold, seed)", ("exact/experiments",)),
    "experiments: members start at one point": ("../experiments/bpmf_ratings.cpp", "x.head(rows_.size()) += rows_;", "x.head(rows_.size()) = rows_;", ("exact/experiments",)),
    "experiments: PSGLD at a fifth of its step": ("../experiments/hamcmc_distributed_mf.cpp", "text(regularization * e)", "text(e)", ("exact/experiments",)),
    "experiments: the errors of one iteration later": ("../experiments/hamcmc_distributed_mf.cpp", "/ predicted_every - 1)", "/ predicted_every)", ("exact/experiments",)),
    "experiments: simulated points at the exact error": ("../experiments/sghmc_bivariate.cpp", "simulated.time, simulated.error, errors", "simulated.time, exact.error, errors", ("exact/experiments",)),
    "experiments: places of one path, momenta of another": ("../experiments/sghmc_trajectories.cpp", "note(x[0], (*momenta_)[0])", "note(x[1], (*momenta_)[0])", ("exact/experiments",)),
    "experiments: paths in each other's panels": ("../experiments/nphmc.cpp", "figure.panels[method.riemannian() ? 0 : 1].series.push_back(std::move(path))", "figure.panels[method.riemannian() ? 1 : 0].series.push_back(std::move(path))", ("exact/experiments",)),
    "experiments: densities of the other batches": ("../experiments/nphmc.cpp", "method.batch == &batch_policies[0] ? 0 : 3", "method.batch == &batch_policies[0] ? 3 : 0", ("exact/experiments",)),
    "experiments: transitions backwards where the last state is wanted": ("../experiments/known_states.cpp", "(transition.colwise() + cost).colwise()", "(transition.transpose().colwise() + cost).colwise()", ("exact/experiments",)),
    "experiments: states of the training part for the rest": ("../experiments/sva_hmm_lambda.cpp", "Path(all.states.begin() + training, all.states.end())", "Path(all.states.begin(), all.states.end() - training)", ("exact/experiments",)),
    "experiments: true centres not moved with the data": ("../experiments/sva_ihmm_synthetic.cpp", "  made.model.centres.array() -= mean;\n", "", ("exact/experiments",)),
    "experiments: errors in per cent of the prediction": ("../experiments/sva_sp500.cpp", "/ all.actual.array())", "/ all.predicted.array())", ("exact/experiments",)),
    "experiments: the end of the well log is a change": ("../experiments/sva_well_log.cpp", "if (t < path.size()) ++found.changes;", "++found.changes;", ("exact/experiments",)),
    "experiments: parts of all settings under one name": ("../experiments/finished_parts.cpp", "fnv1a(settings)", "fnv1a(part)", ("exact/experiments",)),
    "NDCG: the best list is always full": ("predict/ranking_scores.cpp", "std::min(top_, total)", "top_", ("exact/recommend",)),
    "shards: the first half added twice": (SHARDED, "add_tree(first + count / 2, count / 2, level + 1", "add_tree(first, count / 2, level + 1", SHARDED_SUM),
    "shards: what fails stays unknown": (SHARDED, "sum[dim() + 1] = eval.ok ? 0 : 1;", "sum[dim() + 1] = 0;", SHARDED_SUM),
    "shards: the gradient overwritten": (SHARDED, "grad += partial_.col(0)", "grad = partial_.col(0)", SHARDED_SUM),
    "shards: a range from the beginning of its shards": (SHARDED, "Index at = std::max(begin, range.begin);", "Index at = range.begin;", SHARDED_SUM),
    "shards: a batch in the order of its terms": (SHARDED, "  grouped_.resize(ids.size());\n  each_own", "  grouped_.resize(ids.size());\n  std::vector<Index> sorted(ids.begin(), ids.end());\n  std::ranges::sort(sorted);\n  ids = sorted;\n  each_own", SHARDED_SUM),
    "packed ratings: not sorted by places": ("front/pack_ratings.cpp", "  sort_by_places(ratings);\n", "", PACKED_RATINGS),
    "packed ratings: items that are not there": ("io/packed_ratings.cpp", "one.item < head_.items &&", "", PACKED_RATINGS),
    "synthetic ratings: any of a user's items below the next": ("models/factorization/synthetic_ratings.cpp", "const Index low = k * sizes_.items / ratings,", "const Index low = 0,", PACKED_RATINGS),
    "synthetic ratings: noise of another variance": ("models/factorization/synthetic_ratings.cpp", "centred(draws.uniform(), noise_sd)", "noise_sd * (draws.uniform() - 0.5)", PACKED_RATINGS),
    "parts: all as likely, whatever their size": ("kernels/blocked/parts.hpp", "const std::int64_t rating = stream.index(ends_.back());\n", "const std::int64_t rating = ends_[static_cast<std::size_t>(stream.index(std::ssize(ends_)))] - 1;\n", ("exact/blocked",)),
    "parts: every one weighs the same": ("kernels/blocked/blocked_work.cpp", "1 / (parts_.share(held_.part()) * settings_.noise_sd", "static_cast<double>(held_.blocks()) / (settings_.noise_sd", ("exact/blocked",)),
    "blocks: what stays with a rank is taken for its neighbour": ("kernels/blocked/held_blocks.cpp", "next_items_[at(slot(b))] = items_[at(slot(now_with))];", "next_items_[at(slot(b))] = items_[at(slot(b))];", ("exact/blocked",)),
    "blocks: a state is read as if no block had moved": ("kernels/blocked/blocked_chain.hpp", "    work_.held().place(work_.parts().at(names_of(iteration_ * members())));\n", "", ("exact/blocked",)),
    "blocks: the same noise in all": ("kernels/blocked/dsgld.hpp", "piece.name(step.names).stream", "step.names.stream", ("exact/blocked", "oracle/blocked")),
    "blocks: a step by what ratings tell, the prior forgotten": ("samplers/blocked.cpp", "told * sd / other + 1 / (1 / (sd", "told * sd / other + 0 / (1 / (sd", ("exact/blocked",)),
    "dsghmc: noise of the gradient added, not taken off": ("kernels/blocked/dsghmc.hpp", "params_.friction - step / 2 * params_.noise_variance", "params_.friction + step / 2 * params_.noise_variance", ("oracle/blocked",)),
    "dhamcmc: the pair that falls out stays in H": ("kernels/blocked/dhamcmc.cpp", "    usable_ &= ~(std::int64_t{1} << next_);\n", "", ("exact/blocked",)),
    "dhamcmc: gamma of another pair when frozen": ("kernels/blocked/dhamcmc.cpp", "  h_.set_scale(scale());\n}\n\n// H^-1", "  if (!params_.frozen) h_.set_scale(scale());\n}\n\n// H^-1", ("exact/blocked",)),
    "dhamcmc: draws of N(0, H) without the pairs' own noise": ("kernels/blocked/dhamcmc.cpp", "(step.size * b_[pair] + spread * c_[pair])", "(step.size * b_[pair])", ("oracle/blocked",)),
    "ranks: draws that differ go unnoticed": ("core/in_step.cpp", "!witness_.has_seen() || said[5] == said[4] * drawn", "said[5] >= 0 || drawn > 0", ("exact/in_step",)),
    "ranks: places that differ go unnoticed": ("core/in_step.cpp", "said[3] == exchange_.size() * place", "said[3] >= 0 || place > 0", ("exact/in_step",)),
    "ranks: everybody tells of an error": ("core/together.cpp", "if (first == exchange.rank()) std::rethrow_exception(error);", "if (error) std::rethrow_exception(error);", ("exact/in_step",)),
    "ranks: tuning of the other ranks' chains is lost": ("io/durable_run.cpp", "      all[i].step_size = known[numbers * i];\n", "", ("exact/in_step",)),
    "ranks: saved before draws are compared": ("core/in_step.cpp", "      agree_on(i);  // nothing is saved or ends unproven\n", "", ("exact/in_step",)),
    "packed ratings: two users of one label": ("io/packed_ratings.cpp", "    check_labels();\n", "", PACKED_RATINGS),
    "ranks: only rank 0 goes on from a checkpoint": ("io/durable_run.cpp", "    if (crew_.in_step()) saved.bytes = of_rank_0(crew_.exchange(), std::move(saved.bytes));\n", "", ("exact/in_step",)),
    "report: a rank among its own chain's ties is the first": ("report/rank_counts.cpp", "(begin + 1 + end);  // the first rank", "(2 * begin + 2);  // the first rank", REPORT),
    "report: a bound is not reflected": ("report/densities.cpp", "return grid.low.bound ? -place : -1;", "return -1;", REPORT),
    "report: kernels twice as wide": ("report/densities.cpp", "0.9 * scale * std::pow(n, -0.2)", "1.8 * scale * std::pow(n, -0.2)", REPORT),
    "report: divergent draws among the others only": ("report/pairs.cpp", "evenly(std::ssize(found), most_divergent)", "evenly(std::ssize(found), 10)", REPORT),
    "report: a part is filled again": ("report/page.cpp", "    page.remove_prefix(end + close.size());\n", "    page.remove_prefix(end + close.size());\n    if (part->second.starts_with(\"{{\")) return fill_page(filled + std::string(page), parts);\n", REPORT),
    "report: only the first < is escaped": ("report/page.cpp", "if (end < text.size()) safe +=", "if (end < text.size()) safe += safe.find(\"u003c\") != std::string::npos ? \"<\" :", REPORT),
    "a logarithmic axis is linear": ("plot/scale.cpp", "return axis.log ? std::log10(value) : value / 2;", "return value / 2;", SVG),
    "the extremes of a long curve are lost": ("plot/marks.cpp", "seen{begin, std::min(low, high), std::max(low, high), std::prev(end)}", "seen{begin, std::prev(end)}", SVG),
    "a line runs over its gaps": ("plot/marks.cpp", "gap = !(px && py);", "gap = false;", SVG),
    "a note lies over the axis": ("plot/svg.cpp", "foot = look.note.empty() ? 0 : line_height;", "foot = 0;", SVG),
    "names are not escaped": ("plot/svg_text.cpp", "result += \"&lt;\";", "result += '<';", SVG),
    "bars of a group stand on each other": ("plot/field.cpp", "(static_cast<double>(at - names.begin()) + 0.5) - all / 2", "0", SVG),
    "labels with a digit too few": ("plot/ticks.cpp", "return fixed(value, -of_step);", "return fixed(value, -of_step - 1);", SVG),
    "a point reaches over its neighbour": ("plot/segmented_panel.cpp", "(x[i + 1] - x[i]) / 2 : 0.5", "(x[i + 1] - x[i]) : 0.5", SVG),
    "a stretch goes on in the next sequence": ("plot/segmented_panel.cpp", "if (starts || all.empty() ||", "if (all.empty() ||", SVG),
    "states seven and fourteen in one colour": ("plot/styles.cpp", "colours_ = large_palette;", "colours_ = palette;", SVG),
    "the forecast takes the colour of a state": ("plot/styles.cpp", "  if (series.plain) return {.colour = \"currentColor\", .dashes = \"\"};\n", "", SVG),
    "names of sequences run into each other": ("plot/marks.cpp", "if (text_width(borders[i].name, small_font) + 6 <= end - *at)", "if (end > *at)", SVG),
    "segment: variances in units of their own": ("front/column_units.cpp", "distances_back(distances_back(model.variances))", "distances_back(model.variances)", SEGMENT),
    "segment: states keep the numbers of the fit": ("front/segment.cpp", "  for (const int state : model.states) take(state);\n", "", SEGMENT),
    "segment: lambda of clusters, not of states": ("models/sequences/asymp_hmm.cpp", "return twice_the_variance(fit_asymp_hmm(data, options, clusters.centres, clusters.transition));", "return options.lambda;", ("exact/asymp_hmm",)),
    "segment: draws agree on their forecasts": ("models/sequences/beam_summary.cpp", "    if (levels_.count() > 1) variance += forecasts_.variance();\n", "", ("exact/ihmm",)),
    "segment: errors relative to the forecast": ("front/segment_windows.cpp", "relative += std::abs(off / x);", "relative += std::abs(off / predicted(row, i));", SEGMENT),
    "segment: the first value of a window for its last": ("front/segment_windows.cpp", "        last = data.values(row, t);\n        sum += last;\n", "        if (n == 0) last = data.values(row, t);\n        sum += data.values(row, t);\n", SEGMENT),
    "compare: errors added instead of their squares": ("compare/comparison.cpp", "std::hypot(mcse, mcse_of_reference)", "mcse + mcse_of_reference", COMPARE),
    "compare: the error of the mean for the sd": ("compare/comparison.cpp", "difference(run.sd, of.sd, run.mcse_sd, of.mcse_sd)", "difference(run.sd, of.sd, run.mcse_mean, of.mcse_mean)", COMPARE),
    "compare: minibatches counted as gradients": ("compare/comparison.cpp", 'Mat spent = statistic(run, "data_passes");', "Mat spent;", COMPARE),
    "compare: thinned draws not counted": ("compare/comparison.cpp", "return spent.sum() * (made / stored);", "return spent.sum();", COMPARE),
    "compare: a run that has not converged is the reference": ("compare/comparison.cpp", "of.rhat.value > diagnostics::kRhatLimit", "of.rhat.value > 100", COMPARE),
    "compare: a frozen or infinite parameter is no doubt": ("compare/comparison.cpp", "} else if (unknown > 0) {", "} else if (unknown < 0) {", COMPARE),
    "compare: what could not be compared agrees": ("compare/comparison.cpp", "beyond_chance(r) > 0 || not_compared(r) > 0", "beyond_chance(r) > 0", COMPARE),
    "a check of any shape is believed": ("io/kept_check.cpp", 'missing_or(json, "ksd", is_stein)', 'missing_or(json, "ksd", [](const Json&) { return true; })', ("exact/bad_run_files",)),
    "report: pairs of parameters that never move": ("report/report_data.cpp", "rows[static_cast<std::size_t>(parameter)].sd > 0;", "rows[static_cast<std::size_t>(parameter)].sd >= 0;", REPORT),
    "asymp-iHMM: the first kind of transition is charged too": ("models/sequences/path_objective.cpp", "std::max<Index>(followers - 1, 0)", "followers", ASYMP_IHMM),
    "asymp-iHMM: a union changes no row but its own": ("models/sequences/local_moves.cpp", "if (!is_one) change -= ", "if (!is_one) change -= 0 * ", ASYMP_IHMM),
    "asymp-iHMM: a union counts its own rows twice": ("models/sequences/local_moves.cpp", "if (!is_one) change", "if (!is_one || r >= 0) change", ASYMP_IHMM),
    "asymp-iHMM: unions of two only": ("models/sequences/local_moves.cpp", "most_in_union = 4;", "most_in_union = 2;", ASYMP_IHMM),
    "asymp-iHMM: no state is divided by its values": ("models/sequences/asymp_ihmm.cpp", "if (!options_.divide ||", "if (options_.divide ||", (*ASYMP_IHMM, "exact/penalties")),
    "asymp-iHMM: a state is divided beside itself": ("models/sequences/divided_state.cpp", "static_cast<std::size_t>(visits.points[i])", "i", ASYMP_IHMM),
    "asymp-iHMM: beginning in a new state is free": ("models/sequences/proposed_path.cpp", "is_old(state) ? 0 : penalties_.lambda2", "is_old(state) ? 0 : 0 * penalties_.lambda2", ASYMP_IHMM),
    "asymp-iHMM: what new transitions take from the others is no cost": ("models/sequences/proposed_path.cpp", "(is_old(from) ? 1 : 0)", "0", ASYMP_IHMM),
    "asymp-iHMM: every proposed path is taken": ("models/sequences/asymp_ihmm.cpp", "if (!(value <= fit_.objective)) return false;", "", ASYMP_IHMM),
    "asymp-iHMM: an opened state is entered from the first": ("models/sequences/proposed_path.cpp", "runs_.back().opened_from = from;", "", ASYMP_IHMM),
    "penalties: lambda is the variance, not twice": ("models/sequences/path_criterion.cpp", "2 * squares(stats) / values_", "squares(stats) / values_", ("exact/penalties",)),
    "penalties: outliers hide the step of rounding": ("models/sequences/path_criterion.cpp", "static_cast<std::size_t>((1 - bulk) * static_cast<double>(sorted.size()))", "std::size_t{0}", ("exact/penalties",)),
    "penalties: every category has a number of its own": ("models/sequences/path_criterion.cpp", "? data.dim() - 1 :", "? data.dim() :", ("exact/penalties",)),
    "penalties: no floor for rounded values": ("models/sequences/path_criterion.cpp", "std::isfinite(step) ? step * step / 12 : 0", "0 * step", ("exact/penalties",)),
    "windows: the path before is not moved on": ("models/sequences/windows.cpp", "before.states.begin() + 1, before.states.end()", "before.states.begin(), before.states.end() - 1", ("exact/windows",)),
    "forecasts: against the direction of time": ("models/sequences/fitted_hmm.cpp", "model.transition.transpose() * now", "model.transition * now", ("exact/windows",)),
    "forecasts: the spread of the path is taken for the model's": ("models/sequences/fitted_hmm.cpp", "model.variances = variances_of(fit.model, options.covariance);", "model.variances *= 1;", ("exact/windows",)),
    "compare: parameters matched by their places": ("compare/comparison.cpp", "runs[k].of[places[k].at(name)]", "runs[k].of[comparison.parameters.size()]", COMPARE),
    "Viterbi: ties go to the highest state": ("simd/min_plus.cpp", "hn::Lt(other, cost[g])", "hn::Le(other, cost[g])", VITERBI),
    "Viterbi: blocks not run once more": ("models/sequences/viterbi.cpp", "if (b + 1 < std::ssize(checkpoints)) pass.run(", "if (b + 1 < 0) pass.run(", VITERBI),
    "Viterbi: 0 log 0 is not 0": ("models/sequences/viterbi.cpp", "    if (x <= 0) return;\n", "", VITERBI),
    "Viterbi: missing values squared": ("simd/squared_distances.cpp", "    if (std::isnan(point[i])) continue;\n", "", VITERBI),
    "transitions counted across sequences": ("models/sequences/transitions.cpp", "data.starts[static_cast<std::size_t>(s)] + 1; t <", "std::max<Index>(1, data.starts[static_cast<std::size_t>(s)]); t <", VITERBI),
    "asymp-HMM: counts not smoothed": ("models/sequences/asymp_hmm.cpp", "frequencies(counts + added, ", "frequencies(counts, ", ASYMP_HMM),
    "asymp-HMM: starts at the edge": ("models/sequences/starts.cpp", "return inside(emission, centres, mean, half_way);", "return centres;", ASYMP_HMM),
    "hmm-em: missing values taken for certain": ("models/sequences/partial_normals.cpp", "total * (covariance(group.missing, group.missing) -", "0 * (covariance(group.missing, group.missing) -", HMM_EM),
    "hmm-em: sequences not apart on the way back": ("models/sequences/forward_backward.cpp", "    behind.setOnes();", "    if (s == 0) behind.setOnes();", HMM_EM),
    "hmm-em: a path is believed": ("models/sequences/hmm_em.cpp", "doubt = 0.01", "doubt = 0", HMM_EM),
    "hmm-em: starts from k-means alone": ("models/sequences/hmm_em.cpp", "if (first) hard.lambda = ", "if (!first) hard.lambda = ", HMM_EM),
    "hmm-em: missing values have a density": ("models/sequences/state_laws.cpp", "all.noalias() -= log_scales * seen_.colwise().sum();", "all.colwise() -= log_scales * static_cast<double>(data_.dim());", HMM_EM),
    "beam: alpha's auxiliary turned round": (BEAM, "shape -= draws.uniform() * (n + state.alpha) < n;", "shape -= draws.uniform() * (n + state.alpha) < state.alpha;", ("joint/beam",)),
    "beam: gamma's mixture turned round": (BEAM, "prior.shape + states - (one_more ? 0 : 1)", "prior.shape + states - (one_more ? 1 : 0)", ("joint/beam",)),
    "beam: points instead of tables": (BEAM, "shapes << opened, state.gamma;", "shapes << counts.colwise().sum().transpose(), state.gamma;", ("oracle/beam",)),
    "beam: sticks broken at the wrong end": (BEAM, "const double part = draws.beta(1, state.gamma);", "const double part = draws.beta(state.gamma, 1);", ("oracle/beam",)),
    "beam: shares of dropped states are lost": (BEAM, "shares[count] = std::max(0.0, 1 - shares.head(count).sum());", "shares[count] = state.shares[state.shares.size() - 1];", ("joint/beam",)),
    "beam: variance counts values twice": (BEAM_EMISSIONS, "draws.gamma(prior.shape + values / 2)", "draws.gamma(prior.shape + values)", ("joint/beam",)),
}

# Headers whose code is instantiated in the library's samplers: the test program compiles those sources itself.
RECOMPILED = {
    "exact/blocked": ["samplers/blocked.cpp", "samplers/blocked_hamcmc.cpp", "samplers/blocked_langevin.cpp", "samplers/blocked_sghmc.cpp"],
    "oracle/blocked": ["samplers/blocked_hamcmc.cpp", "samplers/blocked_langevin.cpp", "samplers/blocked_sghmc.cpp"],
    "exact/chain": ["samplers/nuts.cpp"],
    "exact/durable_run": ["io/durable_run.cpp"],
    "exact/karcher_mean_task": ["solvers/manifold/svrg.cpp"],
    "exact/kernels": ["kernels/hmc/nuts.cpp"],
    "exact/low_rank_learning": ["adapt/curvature_mass.cpp", "adapt/fisher_low_rank.cpp", "adapt/lanczos.cpp"],
    "exact/quasi_newton": ["kernels/hmc/hmc_bfgs.cpp"],
    "exact/lbfgs": ["metrics/lbfgs.cpp", "metrics/lbfgs_coefficients.cpp"],
    "exact/optimize": ["solvers/line_search.cpp", "solvers/optimize.cpp"],
    "exact/generalized_leapfrog": ["integrators/generalized_leapfrog.cpp"],
    "exact/geometry": ["integrators/softabs_geometry.cpp", "metrics/mass_matrix.cpp", "models/regression/normal_geometry.cpp"],
    "exact/estimators": ["estimators/batches.cpp", "estimators/gradient_estimator.cpp"],
    "exact/hessian": ["targets/funnel.cpp"],
    "exact/alpha_mf": ["simd/stable_variances.cpp"],
    "oracle/alpha_mf": ["simd/stable_variances.cpp"],
    "exact/gibbs": ["samplers/hmc.cpp", "samplers/nuts.cpp"],
    "exact/gibbs_sampler": ["samplers/gibbs.cpp"],
    "exact/network": ["models/network/feed_forward.cpp"],
    "oracle/network": ["models/network/network.cpp"],
    "exact/lazy": ["kernels/lazy/free_steps.cpp", "kernels/lazy/lazy_sghmc.cpp", "kernels/lazy/lazy_sgld.cpp", "samplers/lazy.cpp", "samplers/sghmc.cpp", "samplers/sgld.cpp"],
    "exact/langevin": ["kernels/langevin/hamcmc.cpp", "kernels/langevin/psgld.cpp", "kernels/stochastic.cpp"],
    "exact/thermostat_kernels": ["kernels/thermostat/sg_nphmc.cpp", "kernels/thermostat/sg_nphmc_canonical.cpp"],
    "exact/stochastic_hmc": ["samplers/sghmc.cpp"],
    "oracle/fisher_mass": ["samplers/sghmc.cpp", "samplers/sgnht.cpp"],
    "exact/tune": ["samplers/tune.cpp"],
    "exact/record_file": ["io/record_file.cpp"],
    "exact/regression": ["models/regression/coefficient_prior.cpp"],
    "exact/regression_predictor": ["models/regression/linear.cpp"],
    "exact/rhmc": ["samplers/rhmc.cpp"],
    "exact/riemannian_nose_poincare": ["integrators/generalized_leapfrog.cpp", "integrators/riemannian_nose_poincare.cpp"],
    "exact/riemannian_thermostats": ["kernels/thermostat/sgr_nphmc.cpp", "kernels/thermostat/sgr_nphmc_canonical.cpp"],
    "exact/bad_run_files": ["io/seal.cpp"],
    "invariance/kernels": ["kernels/hmc/nuts.cpp"],
    "oracle/riemannian_thermostats": ["integrators/riemannian_nose_poincare.cpp", "kernels/thermostat/rnp_hmc.cpp", "samplers/rnp_hmc.cpp", "samplers/sgr_nphmc.cpp", "kernels/thermostat/sgr_nphmc.cpp", "kernels/thermostat/sgr_nphmc_canonical.cpp"],
    "invariance/rhmc": ["samplers/rhmc.cpp"],
}

MUTANTS |= manifolds.MUTANTS | sound.MUTANTS | topics.MUTANTS
RECOMPILED |= topics.RECOMPILED


@functools.cache
def commands():
    """How each source is compiled, by its path."""
    return {entry["file"]: shlex.split(entry["command"]) for entry in json.loads((BUILD / "compile_commands.json").read_text())}


@functools.cache
def joined():
    """The source that the library compiles a file with, together with its neighbours, by the file's path."""
    units = (pathlib.Path(file) for file in commands() if file.startswith(str(BUILD / "src")))
    return {file: unit for unit in units for file in re.findall(r'^#include "(.*)"', unit.read_text(), re.MULTILINE)}


def compile_command(test):
    kind, name = test.split("/")
    return commands()[str(ROOT / "tests" / kind / f"{name}_test.cpp")]


def object_of(test):
    """The test program's own code, as the build has compiled it."""
    command = compile_command(test)
    return str(BUILD / command[command.index("-o") + 1])


class Copy:
    """A copy of the sources to plant a bug into."""

    def __init__(self, folder):
        self.folder, self.src = pathlib.Path(folder), pathlib.Path(folder) / "src"
        shutil.copytree(ROOT / "src", self.src)
        shutil.copytree(ROOT / "experiments", self.folder / "experiments")

    def plant(self, file, old, new):
        text = (self.src / file).read_text()
        (self.src / file).write_text(text.replace(old, new))

    def forms_of(self, file):
        """The file by itself, which is soon compiled; then with its neighbours, as the library has it: what calls it there may
        have it inlined, and would not notice the first."""
        yield str(self.src / file)
        unit = joined().get(str(ROOT / "src" / file))
        if unit:
            copy = self.folder / "unit.cpp"
            copy.write_text(unit.read_text().replace(str(ROOT / "src"), str(self.src)))
            yield str(copy)

    def build(self, test, sources):
        """The test program with these files of the copy, which the linker finds first; all others come from the library."""
        command = [a.replace(f"-I{ROOT}/src", f"-I{self.src}") for a in compile_command(test)]
        program = self.folder / "program"
        run([*flags_of(command), *sources, "-o", str(program), "-Wl,--allow-multiple-definition", *libraries()])
        return program

    def passes(self, test, planted=None):
        """A bug in a source file leaves the test's own object as it is; one in a header may be anywhere."""
        if planted and planted.endswith(".cpp"):
            return all(self.succeeds(test, [object_of(test), form]) for form in self.forms_of(planted))
        recompiled = [str(self.src / s) for s in RECOMPILED.get(test, [])]
        return self.succeeds(test, [compile_command(test)[-1], *recompiled])

    def succeeds(self, test, sources):
        return subprocess.run([self.build(test, sources)], capture_output=True).returncode == 0


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stderr)


def flags_of(command):
    flags = [a for a in command[: command.index("-o")] if a != "-O3"]
    return [*flags, "-O1", "-w", '-DQUASAR_VERSION="mutant"', f"-I{ROOT}", *headers_of_others()]


@functools.cache
def headers_of_others():
    """Where the library finds them; the tests need few of them."""
    library = next(command for file, command in commands().items() if file.startswith(str(BUILD / "src")))
    return [argument for i, argument in enumerate(library) if "-isystem" in library[max(i - 1, 0) : i + 1]]


def libraries():
    hdf5 = subprocess.run(["pkg-config", "--libs-only-L", "hdf5"], capture_output=True, text=True).stdout.split()
    return [str(BUILD / "src" / "libquasar.a"), *hdf5, *"-lgtest_main -lgtest -lfmt -lhwy -lnetcdf -lhdf5 -lz -lopenblas -lfftw3 -lsndfile -ltomlplusplus".split()]


def survives(mutant):
    file, old, new, tests = mutant
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        copy.plant(file, old, new)
        return all(copy.passes(test, file) for test in tests)


def planted():
    names = list(MUTANTS)
    return names[:: int(os.environ.get("QUASAR_MUTANTS", 12))]


class Mutants(unittest.TestCase):
    def test_every_mutant_has_one_place(self):
        """Planted or not: a text that is gone, or stands there twice, plants another bug or none."""
        for name, (file, old, _, _) in MUTANTS.items():
            with self.subTest(name):
                self.assertEqual((ROOT / "src" / file).read_text().count(old), 1, f"in {file}: {old}")

    def test_every_mutant_is_caught(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            futures = {name: pool.submit(survives, MUTANTS[name]) for name in planted()}
        for name, future in futures.items():
            with self.subTest(name):
                self.assertFalse(future.result(), f"survived: {name}")

    def test_without_a_mutant_all_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Copy(folder)
            for test in ("exact/leapfrog", "exact/chain", "exact/durable_run", "exact/record_file", "exact/bad_run_files"):
                self.assertTrue(copy.passes(test), test)


if __name__ == "__main__":
    unittest.main()
