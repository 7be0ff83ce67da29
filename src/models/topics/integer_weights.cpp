#include "models/topics/integer_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace quasar {
namespace {

constexpr double negligible = 40;  // below the largest log probability

const std::array<double, 4096> small_logs = [] {
  std::array<double, 4096> logs{};
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(static_cast<double>(i));
  return logs;
}();

double log_of(std::uint32_t z) { return z < small_logs.size() ? small_logs[z] : std::log(static_cast<double>(z)); }

}  // namespace

double IntegerWeights::tabulate(std::uint32_t x, double g, std::uint32_t near) {
  const double log_rate = std::log(g) - 1;
  const auto rise = [&](std::uint32_t z) {  // log p(z + 1) - log p(z), which falls with z
    return log_rate + x * (log_of(z + 1) - log_of(z)) - log_of(z + 1);
  };
  std::uint32_t mode = std::max(near, 1U);
  while (mode > 1 && rise(mode - 1) <= 0) --mode;
  while (rise(mode) > 0) ++mode;
  double log_p = 0;
  for (first_ = mode; first_ > 1 && log_p > -negligible; --first_) log_p -= rise(first_ - 1);
  probabilities_.clear();
  double sum = 0;
  for (std::uint32_t z = first_; z <= mode || log_p > -negligible; ++z) {
    probabilities_.push_back(std::exp(log_p));
    sum += probabilities_.back();
    log_p += rise(z);
  }
  return sum;
}

std::uint32_t IntegerWeights::draw(std::uint32_t x, double g, std::uint32_t near, double u) {
  double rest = u * tabulate(x, g, near);
  std::uint32_t place = 0;
  while (place + 1 < probabilities_.size() && (rest -= probabilities_[place]) >= 0) ++place;
  return first_ + place;
}

double IntegerWeights::mean(std::uint32_t x, double g) {
  if (x == 0) return g / std::numbers::e;
  const double sum = tabulate(x, g, x);
  double mean = 0;
  for (std::size_t i = 0; i < probabilities_.size(); ++i) {
    mean += probabilities_[i] / sum * (static_cast<double>(first_) + static_cast<double>(i));
  }
  return mean;
}

}  // namespace quasar
