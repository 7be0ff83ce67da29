// quasar/diagnostics.hpp -- how far the draws of one parameter can be trusted.
//
// Rank-normalised split R-hat, bulk and tail effective sample size (ESS) and Monte Carlo standard errors (MCSE):
// Vehtari, Gelman, Simpson, Carpenter and Buerkner, "Rank-normalization, folding, and localization: an improved R-hat
// for assessing convergence of MCMC", Bayesian Analysis 16 (2021) 667-718. Values agree with ArviZ.
//
// A statistic that the draws do not define is NaN: any draw is NaN, fewer than four draws per chain, R-hat of a single
// chain or of constant draws. As in ArviZ, constant draws (range below 1e-15) have ESS = number of draws and MCSE of
// the mean 0, and what depends on ranks alone survives infinite draws.
//
// Where ArviZ 0.x and 1.x differ: MCSE of the sd comes from the ESS of (x - mean)^2, as in 0.x and R posterior (1.x
// takes that of x); a quantile between equal draws is exactly that draw, as in 1.x and R (0.x may round below it), also
// when they are infinite, as in 0.x (1.x: NaN).
//
// Where R posterior (1.4) differs ArviZ is followed:
//   - constant draws, a quantile that no draw exceeds: NA; infinite draws: NA also for the ESS and MCSE of quantiles;
//   - where the folded draws are constant or the median is infinite R-hat is NA, not that of the bulk alone;
//   - R-hat is also computed for a single chain, and ESS needs six draws per chain, not four; what it says about two or
//     three draws takes the chains for draws;
//   - an odd number of draws is folded before the middle draw is left out, not after;
//   - Geyer's sequence may end one pair before the last; and when it has no pair at all, because the halves of the
//     chains are shorter than six draws or rho_1 <= -1, tau is 2, so the ESS of alternating chains is S / 2 there, not
//     the upper bound S log10(S).
// Elsewhere the two agree, as do the quantiles (type 7). The tests list every case in which they do not.
#pragma once

#include <memory>

#include <quasar/core.hpp>

namespace quasar {

using DrawsByChain = const Eigen::Ref<const Mat>&;  // one parameter: row = draw, column = chain

double mean(DrawsByChain draws);
double sd(DrawsByChain draws);                            // divisor: number of draws - 1
double quantile(DrawsByChain draws, double probability);  // type 7 of Hyndman and Fan (1996): linear interpolation

double rhat(DrawsByChain draws);  // the larger of bulk and folded

double ess_mean(DrawsByChain draws);
double ess_bulk(DrawsByChain draws);
double ess_tail(DrawsByChain draws);  // the smaller of the 5 % and 95 % quantiles' ESS
double ess_quantile(DrawsByChain draws, double probability);

double mcse_mean(DrawsByChain draws);
double mcse_sd(DrawsByChain draws);
double mcse_quantile(DrawsByChain draws, double probability);

Vec autocorrelation(In chain);  // all lags 0 .. n-1, biased (divisor n); NaN when the chain is constant

// How many draws are worth one independent draw: tau = 1 + 2 sum_t rho_t (Sokal 1997), the sum cut by Geyer's initial
// monotone sequence as for the ESS, so that ess_mean = S / tau.
double autocorrelation_time(DrawsByChain draws);
// The same sum counted once: 1 + sum_t rho_t = (1 + tau) / 2, which Chen, Fox and Guestrin (2014) print.
double one_sided_autocorrelation_time(DrawsByChain draws);

// Energy Bayesian fraction of missing information of one chain: sum (E_i - E_{i-1})^2 / sum (E_i - mean)^2, small where
// a new momentum moves the energy little and the tails are reached slowly (Betancourt 2016). The values of ArviZ and
// CmdStan; RStan's are (n - 1) / n of them. NaN for fewer than two draws and for constant energies.
double ebfmi(In energy);

// Kernel Stein discrepancy of weighted points from a law pi known through its score s = grad log pi, normalised or not
// (Gorham and Mackey, "Measuring sample quality with kernels", ICML 2017). With the inverse multiquadric
// k(x, y) = (1 + |x - y|^2)^(-1/2),
//
//   k0(x, y) = s(x)'s(y) k + s(x)'grad_y k + s(y)'grad_x k + sum_i d^2 k / dx_i dy_i
//
// has mean 0 under pi in either argument. sqrt(sum_ij w_i w_j k0(x_i, x_j)) goes to 0 only if the points converge to
// pi, for any pi that is strongly log-concave far out. It sees bias as well as noise, but hardly sees wrong weights of
// modes that are far apart. O(n^2 D) time, O(n D) memory.
struct SteinDiscrepancy {
  double ksd;             // the root of the sum over all pairs (V-statistic), of mean square E k0(x, x) / n under pi
  double u_statistic;     // its square without the pairs (i, i): of mean 0 under pi, so possibly negative. NaN: n = 1
  double standard_error;  // of u_statistic, for independent points; about 1.3 times too large under pi. NaN: n < 5
};

struct SteinOptions {
  Vec scales = {};   // coordinates are divided by these; empty: 1
  Vec weights = {};  // not negative, of any sum; step sizes of a decreasing schedule for instance; empty: equal
};

// Points and scores: D x n. Scores may be unbiased estimates, on minibatches for instance. Where their errors are
// independent from point to point the mean of u_statistic does not change; that of ksd^2 grows by
// sum_i w_i^2 E|error_i|^2, so that ksd compares such runs only at equal batches. std::invalid_argument: sizes, scales
// or weights that do not fit.
SteinDiscrepancy kernel_stein_discrepancy(const Eigen::Ref<const Mat>& points, const Eigen::Ref<const Mat>& scores,
                                          const SteinOptions& options = {});

struct Summary {
  double mean, sd, q5, q50, q95, mcse_mean, ess_bulk, ess_tail, rhat;
};

// Summaries of many parameters of one shape: sorts once per parameter, and keeps the normal scores, the FFT plan and
// the buffers. One per thread.
class Summarizer {
 public:
  Summarizer(Index draws, Index chains);
  ~Summarizer();
  Summarizer(Summarizer&&) noexcept;
  Summarizer& operator=(Summarizer&&) noexcept;

  Summary operator()(DrawsByChain draws);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

Summary summarize(DrawsByChain draws);

}  // namespace quasar
