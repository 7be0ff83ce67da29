#include "diagnostics/effective_sample_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnostics/chains.hpp"

namespace quasar::diagnostics {
namespace {

constexpr double kConstantRange = 1e-15;  // absolute, as in ArviZ

// rho_t = 1 - (W - gamma_t) / V, where W is the variance within chains and V = (n-1)/n W + B/n adds that between them:
// chains that disagree look like one slow chain.
Vec combined_autocorrelation(const Mat& chains, Autocovariance& autocovariance) {
  const auto n = static_cast<double>(chains.rows());
  const Eigen::Ref<const Vec> gamma = autocovariance(chains);
  const double within = gamma[0] * n / (n - 1);
  const double between = chains.cols() > 1 ? variance_of_means(chains) : 0;
  Vec rho = 1 - (within - gamma.array()) / (gamma[0] + between);
  rho[0] = 1;
  return rho;
}

// Geyer (1992): for a reversible chain the sums of pairs rho_2k + rho_2k+1 are positive and decrease. So sum them while
// positive (initial positive sequence), none above its predecessor (initial monotone sequence). The even member of the
// pair where the sum stops still counts once when it is positive, or its pair is not negative: this lowers the variance
// for antithetic chains, whose odd autocorrelations are negative.
double initial_monotone_sum(const Vec& rho) {
  const auto pair = [&rho](Index lag) { return rho[lag] + rho[lag + 1]; };
  Index stop = 0;
  while (stop + 4 < rho.size() && pair(stop) > 0) stop += 2;

  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index lag = 0; lag < stop; lag += 2) {
    smallest = std::min(smallest, pair(lag));
    sum += smallest;
  }
  const bool keep_even = rho[stop] > 0 || pair(stop) >= 0;
  return -1 + 2 * sum + (keep_even ? rho[stop] : 0);
}

}  // namespace

double integrated_time(const Mat& chains, Autocovariance& autocovariance) {
  if (chains.maxCoeff() - chains.minCoeff() < kConstantRange) return 1;
  const Vec rho = combined_autocorrelation(chains, autocovariance);
  if (std::isnan(rho[1])) return rho[1];  // a draw is infinite, or the variance overflows
  // The bound caps the ESS at S log10(S): for antithetic chains tau may come out near zero or negative.
  return std::max(initial_monotone_sum(rho), 1 / std::log10(static_cast<double>(chains.size())));
}

double effective_sample_size(const Mat& chains, Autocovariance& autocovariance) {
  return static_cast<double>(chains.size()) / integrated_time(chains, autocovariance);
}

double effective_sample_size(const Mat& chains) {
  Autocovariance autocovariance(chains.rows());
  return effective_sample_size(chains, autocovariance);
}

}  // namespace quasar::diagnostics
