// The kernels under test, each with each metric, at a coarse step: acceptance 0.5 to 0.85 on SkewedTarget, where an
// exact-start test sees bugs that hide at acceptance near 1.
#pragma once

#include <quasar/core.hpp>

#include "kernels/hmc/hmc.hpp"
#include "kernels/hmc/nuts.hpp"
#include "kernels/hmc/qnhmc_naive.hpp"
#include "kernels/langevin/mala.hpp"
#include "kernels/metropolis/rwm.hpp"
#include "kernels/thermostat/nh_hmc.hpp"
#include "kernels/thermostat/np_hmc.hpp"
#include "metrics/dense.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"
#include "metrics/lbfgs.hpp"
#include "metrics/low_rank.hpp"
#include "metrics/squared.hpp"

namespace quasar::test {

inline Diagonal coarse_diagonal() {
  Diagonal metric(3);
  metric.set_variance(Vec{{0.7, 1.5, 1.2}});
  return metric;
}

inline Dense coarse_dense() {
  Dense metric(3);
  metric.set_covariance(Mat{{1.2, 0.5, -0.3}, {0.5, 1.4, 0.2}, {-0.3, 0.2, 1.0}});
  return metric;
}

inline LowRank coarse_low_rank() {
  LowRank metric(3, 2);
  Mat direction(3, 1);
  direction << 0.6, 0.64, -0.48;
  metric.set(Vec{{0.9, 1.1, 1.0}}, direction, Vec{{2.5}});
  return metric;
}

inline Lbfgs coarse_lbfgs() {
  Lbfgs metric(3, 2);
  metric.set_initial(Vec{{0.8, 1.2, 1.0}});
  metric.add_pair(Vec{{1.0, 0.6, -0.2}}, Vec{{0.9, 0.3, 0.1}});
  metric.add_pair(Vec{{-0.3, 0.8, 0.9}}, Vec{{-0.4, 0.5, 0.8}});
  return metric;
}

template <class P>
Hmc<P> coarse_hmc(Target& target, const P& metric) {
  HmcParams<P> params;
  params.step_size = 0.8;
  params.leapfrog_steps = 5;
  params.metric = metric;
  return {target, {0, target.dim()}, params};
}

template <class P>
NhHmc<P> coarse_nh(Target& target, const P& metric) {
  NhHmcParams<P> params;
  params.step_size = 0.8;
  params.leapfrog_steps = 3;
  params.metric = metric;
  params.thermostat.thermostat_mass = 3;
  return {target, {0, target.dim()}, params};
}

template <class P>
NpHmc<P> coarse_np(Target& target, const P& metric) {
  NpHmcParams<P> params;
  params.step_size = 0.6;
  params.leapfrog_steps = 3;
  params.metric = metric;
  params.dynamics.degrees = 3;
  params.dynamics.thermostat_mass = 3;
  return {target, {0, target.dim()}, params};
}

// Its energy is not kept by the flow, so that even small steps are not accepted more often.
template <class P>
NaiveQnhmc<P> coarse_naive(Target& target, const P& metric) {
  HmcParams<P> params;
  params.step_size = 0.5;
  params.leapfrog_steps = 3;
  params.metric = metric;
  return {target, {0, target.dim()}, params};
}

template <class P>
Nuts<P> coarse_nuts(Target& target, const P& metric) {
  NutsParams<P> params;
  params.step_size = 0.8;
  params.metric = metric;
  return {target, {0, target.dim()}, params};
}

template <class P>
Mala<P> coarse_mala(Target& target, const P& metric) {
  MalaParams<P> params;
  params.step_size = 0.35;
  params.metric = metric;
  return {target, {0, target.dim()}, params};
}

template <class P>
Rwm<P> coarse_rwm(Target& target, const P& metric) {
  typename Rwm<P>::Params params;
  params.step_size = 0.5;
  params.metric = metric;
  return {target, {0, target.dim()}, params};
}

template <class P, class F>
void with_each_kernel(Target& target, const P& metric, const std::string& metric_name, F& f) {
  f("hmc, " + metric_name, coarse_hmc(target, metric));
  f("nuts, " + metric_name, coarse_nuts(target, metric));
  f("mala, " + metric_name, coarse_mala(target, metric));
  f("rwm, " + metric_name, coarse_rwm(target, metric));
}

template <class F>
void with_each_kernel_and_metric(Target& target, F&& f) {
  with_each_kernel(target, Identity(3), "identity", f);
  with_each_kernel(target, coarse_diagonal(), "diagonal", f);
  with_each_kernel(target, coarse_dense(), "dense", f);
  with_each_kernel(target, coarse_low_rank(), "low rank", f);
  with_each_kernel(target, coarse_lbfgs(), "L-BFGS", f);
  f("hmc, squared", coarse_hmc(target, Squared<Diagonal>(coarse_diagonal(), 3)));
  f("naive, diagonal", coarse_naive(target, coarse_diagonal()));
  f("nh, diagonal", coarse_nh(target, coarse_diagonal()));
  f("nh, dense", coarse_nh(target, coarse_dense()));
  f("np, diagonal", coarse_np(target, coarse_diagonal()));
  f("np, dense", coarse_np(target, coarse_dense()));
}

}  // namespace quasar::test
