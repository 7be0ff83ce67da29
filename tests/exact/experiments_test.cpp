// What the experiments are made of: the digits' posterior, draws seen along directions, and the rows whose values are
// known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <quasar/check_gradient.hpp>
#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "diagnostics/projections.hpp"
#include "experiments/bpmf_ratings.hpp"
#include "experiments/digits.hpp"
#include "support/statistics.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

std::shared_ptr<const Digits> three_images() {
  Mat pixels(3, 2);
  pixels << 1, 2, -1, 0.5, 0.5, -1.5;
  return std::make_shared<const Digits>(Digits{pixels.sparseView(), Vec{{1, 0, 1}}});
}

// U and its gradient by an independent implementation.
TEST(Digits, PosteriorAgreesWithKnownValues) {
  DigitsPosterior target(three_images(), 10);
  Vec grad(2);
  const double u = -target.logp_grad(Vec{{0.3, -0.2}}, grad).logp;
  EXPECT_NEAR(u, 1.751310858471, 1e-12);
  EXPECT_NEAR(-grad[0], -1.1179719104, 1e-10);
  EXPECT_NEAR(-grad[1], -0.2672610559, 1e-10);
}

TEST(Digits, GradientBelongsToTheDensity) {
  DigitsPosterior target(three_images(), 2);
  const GradientCheck check = check_gradient_at_random(target, Rng(3), 5);
  EXPECT_TRUE(check.ok) << check.message;
}

TEST(Digits, LargeInputsDoNotOverflow) {
  DigitsPosterior target(three_images(), 1e3);
  Vec grad(2);
  EXPECT_TRUE(std::isfinite(target.logp_grad(Vec{{1e4, -1e4}}, grad).logp));
  EXPECT_TRUE(grad.allFinite());
}

TEST(Digits, SayWhatTheyNeed) {
  EXPECT_THROW(read_digits("", "train", 7, 9), UsageError);
  EXPECT_THROW(read_digits("/nowhere", "train", 7, 9), DataError);
}

TEST(Mnist, SaysWhatItNeeds) {
  ExperimentOptions options;
  options.quick = true;
  EXPECT_THROW(find_experiment("sghmc-mnist").run(options), UsageError);
  options.data_dir = "/nowhere";
  EXPECT_THROW(find_experiment("sghmc-mnist").run(options), DataError);
}

TEST(RatingExperiments, SayWhatTheyNeed) {
  for (const char* name : {"sghmc-bpmf", "qnhmc-bpmf"}) {
    ExperimentOptions options;
    options.quick = true;
    EXPECT_THROW(find_experiment(name).run(options), UsageError);
    options.data_dir = "/nowhere";
    EXPECT_THROW(find_experiment(name).run(options), DataError);
  }
}

// Ratings of 40 users and 20 items, of rank 1, where MovieLens-1M would be.
class SmallRatings : public testing::Test {
 protected:
  SmallRatings() {
    std::filesystem::create_directory(folder_.path() / "movielens-1m");
    std::ofstream out(folder_.path() / "movielens-1m" / "ratings.csv.gz");
    out << "user_id,movie_id,rating\n";
    Stream stream = Rng(6).stream("ratings");
    Vec users(40), items(20);
    stream.uniforms(users);
    stream.uniforms(items);
    for (Index i = 0; i < users.size(); ++i) {
      for (Index j = 0; j < items.size(); ++j) {
        out << 3 * i << ',' << 7 * j << ',' << 3 + 4 * (users[i] - 0.5) * items[j] + 0.5 * stream.normal() << '\n';
      }
    }
    options_.quick = true;
    options_.data_dir = folder_.path();
    options_.work_dir = folder_.path() / "parts";
  }

  std::vector<ExperimentRow> run(const char* name) const { return find_experiment(name).run(options_).rows; }
  static double value(const std::vector<ExperimentRow>& rows, const std::string& method, const std::string& quantity) {
    for (const ExperimentRow& row : rows) {
      if (row.method == method && row.quantity == quantity) return row.value;
    }
    throw std::out_of_range(method + ": " + quantity);
  }

  test::TempFolder folder_;
  ExperimentOptions options_;
};

constexpr double of_the_mean = 0.83;  // the RMSE of a prediction that knows the mean alone

// Step sizes are made for more ratings than these: on a few a chain may run away, and then says so.
TEST_F(SmallRatings, EveryMethodReports) {
  const auto rows = run("sghmc-bpmf");
  for (const char* method : {"Gibbs", "ALS"}) EXPECT_LT(value(rows, method, "RMSE"), of_the_mean) << method;
  for (const char* method : {"SGHMC", "SGLD", "SGD with momentum", "SGD"}) {
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const ExperimentRow& row) {
      return row.method == method && (row.quantity == "RMSE" || row.quantity == "diverged_at");
    })) << method;
  }
  EXPECT_LT(value(rows, "Gibbs", "RMSE"), value(rows, "Gibbs", "RMSE of a single draw"));
  EXPECT_NEAR(value(rows, "Gibbs", "coverage of 90 % intervals"), 0.9, 0.1);
}

// Times tell a part that was kept from one that was run again.
TEST_F(SmallRatings, FinishedPartsAreNotRunAgain) {
  const auto first = run("sghmc-bpmf"), second = run("sghmc-bpmf");
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].value, second[i].value) << first[i].quantity;
  options_.seed = 2;
  EXPECT_NE(value(run("sghmc-bpmf"), "Gibbs", "RMSE"), value(first, "Gibbs", "RMSE"));
}

TEST_F(SmallRatings, EveryTrajectoryLearns) {
  const auto rows = run("qnhmc-bpmf");
  for (const char* method : {"MAP", "HMC", "QNHMC", "HMC-BFGS"}) {
    EXPECT_LT(value(rows, method, "RMSE"), of_the_mean) << method;
  }
}

TEST(RatingExperiments, PartsAreApart) {
  Table table{.source = "memory", .names = {"user", "item", "rating"}, .values = Mat::Zero(13, 3), .lines = {}};
  for (Index i = 0; i < 13; ++i) table.values(i, 2) = static_cast<double>(i);
  std::vector<double> tested;
  for (Index part = 0; part < 5; ++part) {
    const RatingSplit split = split_ratings(table, 5, part, 1);
    std::vector<double> all;
    for (const Table* half : {&split.train, &split.test}) {
      for (Index i = 0; i < half->rows(); ++i) all.push_back(half->values(i, 2));
    }
    for (Index i = 0; i < split.test.rows(); ++i) tested.push_back(split.test.values(i, 2));
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(all[i], static_cast<double>(i));
  }
  std::sort(tested.begin(), tested.end());
  ASSERT_EQ(tested.size(), 13U);
  for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(tested[i], static_cast<double>(i));
}

TEST(Projections, TheSlowestDirectionCounts) {
  constexpr Index draws = 4000;
  std::vector<ChainDraws> chains(2);
  for (std::size_t c = 0; c < 2; ++c) {  // (a - b, a + b) with a white and b slow
    Stream stream = Rng(5, c).stream("draws");
    double slow = 0;
    for (Index i = 0; i < draws; ++i) {
      const double white = 3 * stream.normal();
      slow = 0.9 * slow + std::sqrt(1 - 0.81) * stream.normal();
      chains[c].append(std::vector<double>{white - slow, white + slow}, {});
    }
  }
  const Mat axes = Mat::Identity(2, 2);
  Mat mixtures(2, 2);
  mixtures << 1, -1, 1, 1;
  const auto along = projected(chains, mixtures);
  EXPECT_NEAR(sd(along[0]), 6, 0.3);
  EXPECT_NEAR(sd(along[1]), 2, 0.3);
  EXPECT_EQ(least_ess(chains, mixtures), ess_mean(along[1]));
  EXPECT_LT(least_ess(chains, mixtures), 0.2 * least_ess(chains, axes));
}

TEST(Projections, AChainThatStandsHasNoEffectiveDraws) {
  std::vector<ChainDraws> chains(1);
  for (int i = 0; i < 100; ++i) chains[0].append(std::vector<double>{1, 2}, {});
  EXPECT_EQ(least_ess(chains, Mat::Identity(2, 2)), 0);
  chains[0].append(std::vector<double>{1, std::nan("")}, {});
  EXPECT_EQ(least_ess(chains, Mat::Identity(2, 2)), 0);
}

class Rows {
 public:
  explicit Rows(const char* experiment) : rows_(find_experiment(experiment).run(quick()).rows) {}

  const ExperimentRow& find(const std::string& method, const std::string& quantity) const {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const ExperimentRow& row) {
      return row.method == method && row.quantity == quantity;
    });
    if (at == rows_.end()) throw std::out_of_range(method + ": " + quantity);
    return *at;
  }
  double value(const std::string& method, const std::string& quantity) const { return find(method, quantity).value; }

 private:
  static ExperimentOptions quick() {
    ExperimentOptions options;
    options.quick = true;
    return options;
  }
  std::vector<ExperimentRow> rows_;
};

// By linear algebra elsewhere, to the digits given.
TEST(SghmcBivariate, ExactRowsAreTheKnownOnes) {
  const Rows rows("sghmc-bivariate");
  struct Known {
    double sgld, corrected, sgld_tau, sghmc, sghmc_tau;
  };
  const Known known[] = {{0.4950, 0.4500, 13.4, 0.00735, 3.5707},
                         {0.1414, 0.1286, 21.6, 0.00239, 6.0052},
                         {0.0861, 0.0679, 28.6, 0.00083, 10.0390},
                         {0.0685, 0.0427, 36.8, 0.00029, 16.7494},
                         {0.0545, 0.0292, 46.9, 0.00011, 27.9262}};
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, 30));
  for (std::size_t i = 0; i < std::size(known); ++i) {
    const std::string setting = ", setting " + std::to_string(i);
    const auto exact = [&](const char* method, const char* quantity) {
      return rows.value(method + setting, std::string(quantity) + ", exact");
    };
    EXPECT_NEAR(exact("SGLD", "MAE"), known[i].sgld, 5e-5);
    EXPECT_NEAR(exact("SGLD corrected", "MAE"), known[i].corrected, 5e-5);
    EXPECT_NEAR(exact("SGHMC", "MAE"), known[i].sghmc, 5e-6);
    for (const char* method : {"SGLD", "SGLD corrected"}) {
      EXPECT_NEAR(exact(method, "1 + 2 sum rho"), known[i].sgld_tau, 0.05);
    }
    EXPECT_NEAR(exact("SGHMC", "1 + 2 sum rho"), known[i].sghmc_tau, 5e-5);
    EXPECT_NEAR(exact("SGHMC", "1 + sum rho"), (1 + known[i].sghmc_tau) / 2, 5e-5);
    for (const char* method : {"SGLD", "SGLD corrected", "SGHMC"}) {
      for (const char* quantity : {"variance", "1 + 2 sum rho"}) {
        const ExperimentRow& simulated = rows.find(method + setting, std::string(quantity) + ", simulated");
        EXPECT_LT(std::abs(simulated.value - exact(method, quantity)), z * *simulated.mcse) << simulated.method;
      }
    }
  }
}

TEST(SghmcTrajectories, EnergiesAreTheExpectedOnes) {
  const Rows rows("sghmc-trajectories");
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, 12));
  for (const char* method : {"Hamiltonian", "noisy", "noisy, new momenta", "noisy with friction"}) {
    for (const char* steps : {"1000", "5000", "15000"}) {
      const std::string quantity = "energy after " + std::string(steps) + " steps";
      const ExperimentRow& simulated = rows.find(method, quantity);
      EXPECT_LT(std::abs(simulated.value - rows.value(method, quantity + ", exact")), z * *simulated.mcse)
          << method << ", " << quantity;
    }
  }
  const double growth = 15'000 * 0.01 * 4 / 2;  // n e^2 V/2
  EXPECT_NEAR(rows.value("noisy", "energy after 15000 steps, exact"), growth, 0.01 * growth);
  EXPECT_NEAR(rows.value("noisy with friction", "energy after 15000 steps, exact"), (1.0029499 + 1.1799410) / 2, 1e-7);
}

}  // namespace
}  // namespace quasar
