// The beam sampler against the exact posterior of all 15 partitions of four points: the law of a path through the
// infinite hidden Markov model by summing over all ways to open tables in a Chinese restaurant franchise, times the
// evidence of each state. False-positive rate: family_alpha over the 15 partitions, by batch means.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "models/sequences/beam_sampler.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr double alpha = 1, gamma_ = 1.5, variance = 0.5, centre_variance = 4;
constexpr std::array<double, 4> series{0.3, 2.5, 0.1, 2.2};

using Tables = std::map<int, std::vector<std::pair<int, int>>>;  // of the row of each state: dish and customers

// Adds the probability of every path that goes on from here.
void add_paths(const std::string& path, const Tables& rows, const std::vector<int>& dishes, double p,
               std::map<std::string, double>& prior) {
  if (path.size() == series.size()) {
    prior[path] += p;
    return;
  }
  const int from = path.empty() ? -1 : path.back() - '0';
  const auto found = rows.find(from);
  const std::vector<std::pair<int, int>> tables =
      found == rows.end() ? std::vector<std::pair<int, int>>{} : found->second;
  int seated = 0, opened = 0;
  for (const auto& table : tables) seated += table.second;
  for (const int n : dishes) opened += n;
  const auto go_on = [&](int dish, const std::vector<std::pair<int, int>>& after, const std::vector<int>& served,
                         double probability) {
    Tables next = rows;
    next[from] = after;
    add_paths(path + static_cast<char>('0' + dish), next, served, p * probability, prior);
  };
  for (std::size_t i = 0; i < tables.size(); ++i) {
    auto after = tables;
    ++after[i].second;
    go_on(tables[i].first, after, dishes, tables[i].second / (seated + alpha));
  }
  for (std::size_t dish = 0; dish <= dishes.size(); ++dish) {
    auto served = dishes;
    const bool is_new = dish == dishes.size();
    if (is_new) served.push_back(0);
    ++served[dish];
    auto after = tables;
    after.emplace_back(static_cast<int>(dish), 1);
    go_on(static_cast<int>(dish), after, served,
          alpha / (seated + alpha) * (is_new ? gamma_ : dishes[dish]) / (opened + gamma_));
  }
}

double evidence(const std::string& path, char state) {
  double n = 0, sum = 0, squares = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (path[t] != state) continue;
    n += 1, sum += series[t], squares += series[t] * series[t];
  }
  if (n == 0) return 1;
  const double together = variance + n * centre_variance;
  return std::exp(-(squares - sum * sum * centre_variance / together) / (2 * variance)) *
         std::pow(2 * std::numbers::pi * variance, -n / 2) * std::sqrt(variance / together);
}

std::map<std::string, double> exact_posterior() {
  std::map<std::string, double> posterior;
  add_paths("", {}, {}, 1, posterior);
  double sum = 0;
  for (auto& [path, p] : posterior) {
    for (char state = '0'; state < '4'; ++state) p *= evidence(path, state);
    sum += p;
  }
  for (auto& [path, p] : posterior) p /= sum;
  return posterior;
}

TEST(BeamSampler, VisitsAllPartitionsOfFourPointsAsOftenAsTheyAreProbable) {
  const std::map<std::string, double> exact = exact_posterior();
  ASSERT_EQ(exact.size(), 15);
  EXPECT_NEAR(exact.at("0101"), 0.566, 1e-3);  // by importance sampling, elsewhere
  Sequences data{Mat(1, 4)};
  data.values << series[0], series[1], series[2], series[3];
  BeamOptions options{.centre_variance = centre_variance, .learn_concentrations = false};
  BeamState state = initial_beam_state(data, options, 3, variance, Rng(1));
  state.alpha = alpha, state.gamma = gamma_;

  constexpr int batches = 40, sweeps = 2500;  // a batch is about 100 times as long as the sampler remembers
  std::map<std::string, std::array<double, batches>> share;
  for (int i = 0; i < batches * sweeps; ++i) {
    beam_sweep(data, options, Rng(7).at(static_cast<std::uint64_t>(i)), state);
    BeamState used = state;
    drop_unused(used);
    std::string path;
    for (const int z : used.states) path += static_cast<char>('0' + z);
    share[path][static_cast<std::size_t>(i / sweeps)] += 1.0 / sweeps;
  }
  const double threshold =
      test::t_threshold(test::per_assertion(test::family_alpha, static_cast<int>(exact.size())), batches - 1);
  for (const auto& [path, p] : exact) {
    double mean = 0, squares = 0;
    for (const double one : share[path]) mean += one / batches;
    for (const double one : share[path]) squares += (one - mean) * (one - mean);
    const double error = std::sqrt(squares / (batches - 1) / batches);
    EXPECT_LT(std::abs(mean - p), threshold * error) << path << ": " << mean << " instead of " << p;
  }
}

}  // namespace
}  // namespace quasar
