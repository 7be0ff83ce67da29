#include "models/topics/variational/indian_buffet.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

template <class Of>
Vec of_each(const std::vector<BetaLaw>& laws, const Of& of) {
  Vec values(std::ssize(laws));
  std::transform(laws.begin(), laws.end(), values.begin(), of);
  return values;
}

Vec logs(const std::vector<BetaLaw>& laws) {
  return of_each(laws, [](const BetaLaw& law) { return law.mean_log(); });
}
Vec log_complements(const std::vector<BetaLaw>& laws) {
  return of_each(laws, [](const BetaLaw& law) { return law.mean_log_complement(); });
}
Vec means_of(const std::vector<BetaLaw>& laws) {
  return of_each(laws, [](const BetaLaw& law) { return law.mean(); });
}
double entropies(const std::vector<BetaLaw>& laws) {
  return of_each(laws, [](const BetaLaw& law) { return law.entropy(); }).sum();
}

}  // namespace

FiniteBuffet::FiniteBuffet(Index topics, const GammaPrior& prior)
    : pi(static_cast<std::size_t>(topics)), prior_(prior) {
  start();
}

void FiniteBuffet::start() {
  std::fill(pi.begin(), pi.end(), BetaLaw{1, 1});
  alpha = {prior_.shape, prior_.rate};
}

Vec FiniteBuffet::mean_logs() const { return logs(pi); }
Vec FiniteBuffet::mean_log_complements() const { return log_complements(pi); }
Vec FiniteBuffet::means() const { return means_of(pi); }

void FiniteBuffet::line(Index i, In included, double documents) {
  const auto topics = static_cast<double>(pi.size());
  if (i == 0) {
    for (std::size_t k = 0; k < pi.size(); ++k) {
      const double s = included[static_cast<Index>(k)];
      pi[k] = {alpha.mean() / topics + s, 1 + documents - s};
    }
    return;
  }
  alpha = {prior_.shape + topics, prior_.rate - logs(pi).sum() / topics};
}

double FiniteBuffet::bound() const {
  const auto topics = static_cast<double>(pi.size());
  return topics * (alpha.mean_log() - std::log(topics)) + (alpha.mean() / topics - 1) * logs(pi).sum() + entropies(pi) +
         bound_of(alpha, prior_);
}

StickBuffet::StickBuffet(Index topics, const GammaPrior& prior)
    : v(static_cast<std::size_t>(topics)), q(topics, topics), prior_(prior) {
  start();
}

// All topics in most documents to begin with, so that none is at a disadvantage for its place.
void StickBuffet::start() {
  std::fill(v.begin(), v.end(), BetaLaw{static_cast<double>(v.size()), 1});
  alpha = {prior_.shape, prior_.rate};
  learn_q();
}

Vec StickBuffet::mean_logs() const {
  Vec sums = logs(v);
  for (Index k = 1; k < sums.size(); ++k) sums[k] += sums[k - 1];
  return sums;
}

Vec StickBuffet::breaking_logs() const {
  Vec values = log_complements(v);
  const Vec before = mean_logs();
  values.tail(values.size() - 1) += before.head(values.size() - 1);
  return values;
}

Vec StickBuffet::mean_log_complements() const {
  const Vec breaking = breaking_logs();
  Vec sums(q.cols());
  for (Index k = 0; k < q.cols(); ++k) {
    sums[k] = 0;
    for (Index y = 0; y <= k; ++y) {
      if (q(y, k) > 0) sums[k] += q(y, k) * (breaking[y] - std::log(q(y, k)));
    }
  }
  return sums;
}

Vec StickBuffet::means() const {
  Vec products = means_of(v);
  for (Index k = 1; k < products.size(); ++k) products[k] *= products[k - 1];
  return products;
}

void StickBuffet::line(Index i, In included, double documents) {
  if (i == 0) return learn_q();
  if (i == 1) return learn_v(included, documents);
  alpha = {prior_.shape + static_cast<double>(v.size()), prior_.rate - logs(v).sum()};
}

void StickBuffet::learn_q() {
  const Vec breaking = breaking_logs();
  q.setZero();
  for (Index k = 0; k < q.cols(); ++k) {
    auto head = q.col(k).head(k + 1);
    head = (breaking.head(k + 1).array() - breaking.head(k + 1).maxCoeff()).exp();
    head /= head.sum();
  }
}

// Beta(a + sum_{m>=k} s_m + sum_{m>k} (N - s_m) sum_{k<i<=m} q_mi, 1 + sum_{m>=k} (N - s_m) q_mk)
void StickBuffet::learn_v(In included, double documents) {
  Vec passed = Vec::Zero(q.cols());  // sum_{k<i<=m} q_mi
  double taken = 0;
  for (std::size_t k = v.size(); k-- > 0;) {
    const auto at = static_cast<Index>(k), behind = q.cols() - at - 1;
    taken += included[at];
    const auto missed = (documents - included.tail(behind + 1).array()).matrix();
    v[k] = {alpha.mean() + taken + missed.tail(behind).dot(passed.tail(behind)),
            1 + missed.dot(q.row(at).tail(behind + 1))};
    passed.tail(behind + 1) += q.row(at).tail(behind + 1).transpose();
  }
}

double StickBuffet::bound() const {
  return static_cast<double>(v.size()) * alpha.mean_log() + (alpha.mean() - 1) * logs(v).sum() + entropies(v) +
         bound_of(alpha, prior_);
}

}  // namespace quasar
