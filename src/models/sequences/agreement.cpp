#include "models/sequences/agreement.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

double entropy(const Eigen::Ref<const Eigen::ArrayXXd>& counts, double total) {
  double sum = 0;
  for (const double count : counts.reshaped()) {
    if (count > 0) sum -= count / total * std::log(count / total);
  }
  return sum;
}

}  // namespace

double normalized_mutual_information(const Path& a, const Path& b) {
  if (a.empty()) return 0;
  Eigen::ArrayXXd counts =
      Eigen::ArrayXXd::Zero(*std::max_element(a.begin(), a.end()) + 1, *std::max_element(b.begin(), b.end()) + 1);
  for (std::size_t t = 0; t < a.size(); ++t) counts(a[t], b[t]) += 1;
  const auto total = static_cast<double>(a.size());
  const double of_a = entropy(counts.rowwise().sum(), total), of_b = entropy(counts.colwise().sum(), total);
  if (of_a <= 0 || of_b <= 0) return 0;
  return (of_a + of_b - entropy(counts, total)) / std::sqrt(of_a * of_b);
}

}  // namespace quasar
