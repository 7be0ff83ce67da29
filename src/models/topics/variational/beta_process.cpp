#include "models/topics/variational/beta_process.hpp"

#include <algorithm>
#include <cmath>

#include "core/place.hpp"
#include "models/topics/variational/decay.hpp"
#include "models/topics/variational/special_functions.hpp"

namespace quasar {
namespace {

double minus_x_log_x(double x) { return x > 0 ? -x * std::log(x) : 0; }

}  // namespace

BetaProcess::BetaProcess(Index topics, const BetaProcessPrior& prior)
    : V(at(topics)),
      T(V.size()),
      y(topics),
      rounds(prior.rounds, topics),
      prior_(prior),
      log_complements_of_T_(topics) {
  start();
}

void BetaProcess::start() {
  std::fill(V.begin(), V.end(), BetaLaw{1, 1});
  std::fill(T.begin(), T.end(), GammaLaw{2, 2});
  rounds.setConstant(1 / static_cast<double>(prior_.rounds));
  alpha = {prior_.alpha.shape, prior_.alpha.rate};
  gamma = {prior_.gamma.shape, prior_.gamma.rate};
  find_complements_of_T();
  learn_y();
}

void BetaProcess::load(Reader& in) {
  fields(*this, in);
  find_complements_of_T();
}

void BetaProcess::find_complements_of_T() {
  for (Index k = 0; k < y.size(); ++k) log_complements_of_T_[k] = mean_log_complement(T[at(k)]).value;
}

double BetaProcess::mean_T(Index k) const { return later(k) * T[at(k)].mean(); }

double BetaProcess::complement_of_later(Index k) const {
  const BetaLaw& law = V[at(k)];
  return (1 - y[k]) * law.mean_log_complement() + y[k] * (law.mean_log() + log_complements_of_T_[k]) +
         minus_x_log_x(y[k]) + minus_x_log_x(1 - y[k]);
}

Vec BetaProcess::mean_logs() const {
  Vec logs(y.size());
  for (Index k = 0; k < y.size(); ++k) logs[k] = V[at(k)].mean_log() - mean_T(k);
  return logs;
}

Vec BetaProcess::mean_log_complements() const {
  Vec logs(y.size());
  for (Index k = 0; k < y.size(); ++k) {
    logs[k] = rounds(0, k) * V[at(k)].mean_log_complement() + later(k) * complement_of_later(k);
  }
  return logs;
}

Vec BetaProcess::means() const {
  Vec values(y.size());
  for (Index k = 0; k < y.size(); ++k) {
    values[k] = V[at(k)].mean() * (rounds(0, k) + later(k) * T[at(k)].mean_exp_minus());
  }
  return values;
}

void BetaProcess::line(Index i, In included, double documents) {
  switch (i) {
    case 0:
      return learn_y();
    case 1:
      return learn_V(included, documents);
    case 2:
      return learn_T(included, documents);
    case 3:
      return learn_rounds(included, documents);
    case 4:
      return learn_alpha();
    default:
      gamma = {prior_.gamma.shape + static_cast<double>(V.size()),
               prior_.gamma.rate + static_cast<double>(prior_.rounds)};
  }
}

void BetaProcess::learn_y() {
  for (Index k = 0; k < y.size(); ++k) {
    const BetaLaw& law = V[at(k)];
    y[k] = 1 / (1 + std::exp(law.mean_log_complement() - law.mean_log() - log_complements_of_T_[k]));
  }
}

void BetaProcess::learn_V(In included, double documents) {
  for (Index k = 0; k < y.size(); ++k) {
    const double missed = documents - included[k], shared = later(k) * y[k];
    V[at(k)] = {1 + included[k] + missed * shared, alpha.mean() + missed * (1 - shared)};
  }
}

void BetaProcess::learn_T(In included, double documents) {
  const Vec before = Vec::LinSpaced(rounds.rows(), -1, static_cast<double>(rounds.rows() - 2));  // r - 2
  for (Index k = 0; k < y.size(); ++k) {
    if (!(later(k) > 0)) continue;
    const Index rest = rounds.rows() - 1;
    const double power = before.tail(rest).dot(rounds.col(k).tail(rest)) / rounds.col(k).tail(rest).sum();
    T[at(k)] =
        ascended(T[at(k)], DecayOfProbability{{power, alpha.mean() + included[k]}, (documents - included[k]) * y[k]});
  }
  find_complements_of_T();
}

// f_k(1) ~ exp((N - s_k) E log(1 - V_k)); of later rounds, with r - 1 in place of the shape of T_k's prior,
// f_k(r) ~ exp((r-1) E log alpha - log Gamma(r-1) + (r-2) E log T - (E alpha + s_k) E T + H + (N - s_k) complement).
void BetaProcess::learn_rounds(In included, double documents) {
  const double log_alpha = alpha.mean_log();
  for (Index k = 0; k < y.size(); ++k) {
    const GammaLaw& law = T[at(k)];
    const double missed = documents - included[k], log_T = law.mean_log();
    const double all = law.entropy() - (alpha.mean() + included[k]) * law.mean() + missed * complement_of_later(k);
    auto f = rounds.col(k);
    f[0] = missed * V[at(k)].mean_log_complement();
    for (Index r = 1; r < f.size(); ++r) {
      const auto shape = static_cast<double>(r);
      f[r] = shape * log_alpha - log_gamma(shape) + (shape - 1) * log_T + all;
    }
    f = (f.array() - f.maxCoeff()).exp();
    f /= f.sum();
  }
}

void BetaProcess::learn_alpha() {
  const Vec numbers = Vec::LinSpaced(rounds.rows(), 0, static_cast<double>(rounds.rows() - 1));  // r - 1
  alpha = {prior_.alpha.shape + static_cast<double>(V.size()) + (numbers.transpose() * rounds).sum(),
           prior_.alpha.rate};
  for (Index k = 0; k < y.size(); ++k) alpha.rate += mean_T(k) - V[at(k)].mean_log_complement();
}

double BetaProcess::bound() const {
  const auto atoms = static_cast<double>(V.size());
  double sum = bound_of(alpha, prior_.alpha) + bound_of(gamma, prior_.gamma) + atoms * gamma.mean_log() -
               static_cast<double>(prior_.rounds) * gamma.mean() - log_gamma(atoms + 1);
  const double log_alpha = alpha.mean_log();
  for (Index k = 0; k < y.size(); ++k) {
    const double log_T = T[at(k)].mean_log();
    sum += log_alpha + (alpha.mean() - 1) * V[at(k)].mean_log_complement() + V[at(k)].entropy();
    sum += minus_x_log_x(rounds(0, k)) + later(k) * (T[at(k)].entropy() - alpha.mean() * T[at(k)].mean());
    for (Index r = 1; r < rounds.rows(); ++r) {
      const double f = rounds(r, k), shape = static_cast<double>(r);
      sum += f * (shape * log_alpha - log_gamma(shape) + (shape - 1) * log_T) + minus_x_log_x(f);
    }
  }
  return sum;
}

std::vector<NamedNumber> BetaProcess::scalars() const { return {{"alpha", alpha.mean()}, {"gamma", gamma.mean()}}; }

}  // namespace quasar
