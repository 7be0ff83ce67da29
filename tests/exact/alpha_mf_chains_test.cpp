// alpha-mf in chains: which samplers take it, the same bits for any threads and after cuts, members that stay where the
// density is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "models/alpha/alpha_components.hpp"
#include "support/alpha_mixtures.hpp"
#include "support/error_message.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::Collect;

Table magnitudes(Index rows = 6, Index columns = 9) {
  Table table{.source = "memory", .names = {}, .values = {}, .lines = {}};
  table.values = test::some_intensities(rows, columns).squares.cwiseSqrt();
  for (Index j = 0; j < columns; ++j) table.names.push_back("t" + std::to_string(j));
  return table;
}

std::unique_ptr<Target> alpha_mf(Settings settings = {}, const Table& table = magnitudes()) {
  settings.insert({"rank", "2"});
  const ModelEntry& model = find_model("alpha-mf");
  return model.make(Config(model.name, model.params, settings), &table);
}

std::unique_ptr<Chain> chain(const char* name, std::unique_ptr<Target> target, const Schedule& schedule,
                             const Settings& settings) {
  const SamplerEntry& sampler = find_sampler(name);
  ChainSpec spec;
  spec.schedule = schedule;
  return sampler.make(std::move(target), Config(sampler.name, sampler.params, settings), spec);
}

const Settings batches{{"step_size", "1e-4"}, {"batch_size", "7"}};
const Settings components{{"augmentation", "components"}};

TEST(AlphaMfChains, ContinueBitForBit) {
  for (const char* name : {"sgld", "psgld", "hamcmc", "sghmc"}) {
    for (const char* coordinates : {"log", "natural"}) {
      SCOPED_TRACE(std::string(name) + " " + coordinates);
      const auto make = [&] {
        return chain(name, alpha_mf({{"coordinates", coordinates}, {"record_phi", "true"}}), {10, 30, 1}, batches);
      };
      test::expect_resumes_bit_for_bit(make, 40, {1, 9, 10, 27});
    }
  }
  test::expect_resumes_bit_for_bit([] { return chain("nuts", alpha_mf(), {10, 30, 1}, {}); }, 40, {4, 27});
  test::expect_resumes_bit_for_bit([] { return chain("gibbs", alpha_mf(components), {5, 15, 1}, {}); }, 20, {4, 13});
}

TEST(AlphaMfChains, SweepsDoNotDependOnThreads) {
  const auto draws = [](const char* threads) {
    Collect seen;
    chain("gibbs", alpha_mf(components, magnitudes(5, 40)), {2, 4, 1}, {{"threads", threads}})->run_to(6, seen, {});
    return seen.values;
  };
  const std::vector<double> one = draws("1");
  ASSERT_FALSE(one.empty());
  for (const char* threads : {"2", "3", "4"}) EXPECT_EQ(one, draws(threads)) << threads;
}

// A normal law cut off at 0, of curvature 1 wherever it is.
struct CutNormal final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<CutNormal>(*this); }
  Index dim() const override { return 2; }
  std::span<const Interval> support() const override { return positive; }
  Eval logp_grad(In x, Out grad) override {
    grad = 0.3 - x.array();
    return {-grad.squaredNorm() / 2, x.minCoeff() >= 0};
  }
  std::vector<Interval> positive{2, {0, std::numeric_limits<double>::infinity()}};
};

// A pair with an end outside would be refused.
TEST(AlphaMfChains, PairsOfHamcmcEndInsideOfTheSupport) {
  for (const char* pairs : {"random", "printed"}) {
    SCOPED_TRACE(pairs);
    const auto run = chain("hamcmc", std::make_unique<CutNormal>(), {0, 2000, 1},
                           {{"step_size", "0.3"}, {"pairs", pairs}, {"freeze", "false"}});
    Collect seen;
    run->run_to(2000, seen, {});
    const auto specs = run->stats();
    const auto refused = std::ranges::find_if(specs, [](const StatSpec& s) { return s.name == "refused_pairs"; });
    ASSERT_NE(refused, specs.end());
    EXPECT_EQ(seen.stats[seen.stats.size() - specs.size() + static_cast<std::size_t>(refused - specs.begin())], 0);
    EXPECT_GE(*std::ranges::min_element(seen.values), 0);
  }
}

// W and H of every sampler that takes the model are positive.
TEST(AlphaMfChains, SamplersThatTakeIt) {
  for (const char* name : {"nuts", "hmc", "mala", "rwm", "qnhmc", "sgld", "psgld", "sghmc", "sgnht", "hamcmc"}) {
    for (const char* coordinates : {"log", "natural"}) {
      for (const char* power : {"1", "auto"}) {
        SCOPED_TRACE(std::string(name) + " " + coordinates + " " + power);
        const bool stochastic = find_sampler(name).stochastic;
        Collect seen;
        chain(name, alpha_mf({{"coordinates", coordinates}, {"power", power}}), {20, 20, 1},
              stochastic ? batches : Settings{})
            ->run_to(40, seen, {});
        ASSERT_FALSE(seen.values.empty());
        EXPECT_GT(*std::ranges::min_element(seen.values), 0);
        EXPECT_TRUE(std::ranges::all_of(seen.values, [](double v) { return std::isfinite(v); }));
      }
    }
  }
}

// Dispersions are |x|^alpha, and are not taken to be below 1e-12.
TEST(AlphaMfChains, NumbersOfOtherUnitsAreToldFrom) {
  const auto refusal = [](double factor, const char* alpha) {
    Table table = magnitudes();
    table.source = "tones.csv";
    table.values *= factor;
    return test::error_message<DataError>([&] { alpha_mf({{"alpha", alpha}}, table); });
  };
  EXPECT_NE(refusal(1e-8, "2").find("tones.csv: the numbers are too small"), std::string::npos);
  EXPECT_NE(refusal(1e-8, "2").find("multiply the data by "), std::string::npos);
  EXPECT_NE(refusal(1e-200, "2").find("too small"), std::string::npos);  // squares are 0
  EXPECT_NE(refusal(1e60, "2").find("tones.csv: the numbers are too large"), std::string::npos);
  EXPECT_NE(refusal(1e60, "2").find("multiply the data by "), std::string::npos);
  for (const double factor : {1e-3, 1.0, 1e40}) {
    Table table = magnitudes();
    table.values *= factor;
    EXPECT_NO_THROW(alpha_mf({{"alpha", "2"}}, table)) << factor;
  }
}

// W and H of a run's last draw are where another run begins; Phi is not there.
TEST(AlphaMfChains, GoOnFromWAndHAlone) {
  const Table table = magnitudes(20, 30);
  const std::unique_ptr<Target> model = alpha_mf({{"alpha", "0.8"}}, table);
  Collect seen;
  chain("nuts", model->fork(), {200, 1, 1}, {})->run_to(201, seen, {});
  ChainSpec spec;
  spec.schedule = {0, 200, 1};
  spec.initial.resize(model->dim());
  model->unconstrain(Eigen::Map<const Vec>(seen.values.data(), std::ssize(seen.values)), spec.initial);
  for (const auto& [name, step] : {std::pair{"sgld", "1e-4"}, {"hamcmc", "1e-2"}}) {
    SCOPED_TRACE(name);
    const SamplerEntry& sampler = find_sampler(name);
    const Config config(sampler.name, sampler.params, {{"step_size", step}, {"batch_size", "60"}});
    EXPECT_NO_THROW(sampler.make(model->fork(), config, spec)->run_to(200, seen, {}));
  }
}

Table named_matrix(const Mat& matrix, const char* source) {
  return {.source = source,
          .names = std::vector<std::string>(static_cast<std::size_t>(matrix.cols())),
          .values = matrix,
          .lines = {}};
}

// With W of a file only H is sampled, and W H is the same model.
TEST(AlphaMfChains, AGivenDictionary) {
  const Mat w = test::some_intensities(6, 2).squares;
  const auto with = [&](const Mat& matrix) {
    Table table = magnitudes();
    table.dictionary = std::make_shared<Table>(named_matrix(matrix, "w.npy"));
    return alpha_mf({{"dictionary", "w.npy"}}, table);
  };
  const auto model = with(w);
  const auto* mixture = dynamic_cast<const AlphaMixture*>(model.get());
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->sources()[0].dictionary, w);
  EXPECT_EQ(mixture->moving(), 2 * 9);
  const auto refusal = [&](const Mat& matrix) { return test::error_message<DataError>([&] { with(matrix); }); };
  const auto at = [&](Index i, Index k, double value) {
    Mat changed = w;
    changed(i, k) = value;
    return refusal(changed);
  };
  EXPECT_NE(refusal(w.topRows(5)).find("w.npy: has 5 rows, the data 6"), std::string::npos);
  EXPECT_NE(refusal(w.leftCols(1)).find("w.npy: has 1 columns, and rank is 2: give rank=1"), std::string::npos);
  EXPECT_NE(at(2, 1, -0.5).find("w.npy: row 3, column 2: -0.5 stands where"), std::string::npos);
  EXPECT_NE(at(0, 0, NAN).find("w.npy: row 1, column 1: nan"), std::string::npos);
  EXPECT_NE(at(5, 1, INFINITY).find("w.npy: row 6, column 2: inf"), std::string::npos);
  EXPECT_NE(refusal(w * Mat{{1, 0}, {0, 0}}).find("w.npy: column 2 is 0 from top to bottom"), std::string::npos);
  EXPECT_NE(test::error_message<UsageError>([&] {
              alpha_mf({{"dictionary", "w.npy"}});
            }).find("was not read"),
            std::string::npos);
}

// Not of what is kept back, which may be much louder.
TEST(AlphaMfChains, ScalesAreThoseOfWhatIsLeft) {
  const auto scale = [](double factor) {
    Table table = magnitudes();
    const auto first = alpha_mf({{"held_out", "0.3"}}, table);
    for (const Index place : dynamic_cast<const AlphaMixture&>(*first).settings().held_out.places)
      table.values.data()[place] *= factor;
    const auto model = alpha_mf({{"held_out", "0.3"}}, table);
    return dynamic_cast<const AlphaMixture&>(*model).sources()[0].h.scale;
  };
  EXPECT_EQ(scale(100), scale(1));
}

// They are written to a file of draws at the very end.
TEST(AlphaMfChains, NamesOfDimensionsThatCannotBe) {
  const auto refusal = [](const char* row, const char* column) {
    return test::error_message<UsageError>([&] { alpha_mf({{"row_dim", row}, {"column_dim", column}}); });
  };
  for (const char* name : {"", "a/b", "two words", "1st", "W", "factor", "draw"}) {
    EXPECT_NE(refusal(name, "column").find("alpha-mf: row_dim = '" + std::string(name) + "'"), std::string::npos);
    EXPECT_NE(refusal("row", name).find("alpha-mf: column_dim = '" + std::string(name) + "'"), std::string::npos);
  }
  EXPECT_NE(refusal("x", "x").find("row_dim and column_dim are both 'x'"), std::string::npos);
  EXPECT_NO_THROW(alpha_mf({{"row_dim", "bin_2"}, {"column_dim", "Frame"}}));
}

TEST(AlphaMfChains, WhatIsRefused) {
  const auto refusal = [](const char* name, const Settings& settings) {
    return test::error_message<UsageError>([&] { chain(name, alpha_mf(settings), {0, 1, 1}, {}); });
  };
  EXPECT_NE(refusal("gibbs", {}).find("gibbs needs a model that can draw all"), std::string::npos);
  EXPECT_NE(refusal("gibbs", {}).find("augmentation=components"), std::string::npos);
  EXPECT_NE(refusal("gibbs", {{"augmentation", "components"}, {"power", "1"}}).find("leave power=auto"),
            std::string::npos);
  EXPECT_NE(refusal("gibbs", {{"augmentation", "components"}, {"record_phi", "true"}}).find("record_phi"),
            std::string::npos);
  EXPECT_NE(refusal("als", components).find("als"), std::string::npos);
  EXPECT_NE(refusal("nuts", {{"power", "0"}}).find("power of a prior must be 0.1 or more"), std::string::npos);
  EXPECT_NE(refusal("nuts", {{"power", "1e-300"}}).find("power of a prior must be 0.1 or more"), std::string::npos);
  EXPECT_NE(refusal("nuts", {{"power", "two"}}).find("power must be a number or auto, not 'two'"), std::string::npos);
  EXPECT_NE(refusal("nuts", {{"b_h", "-1"}}).find("positive shape and scale"), std::string::npos);
  Vec grad(1);
  const std::string message = test::error_message<UsageError>([&] { alpha_mf(components)->logp_grad(grad, grad); });
  EXPECT_NE(message.find("augmentation=entries"), std::string::npos);
  Table labels = magnitudes();
  labels.levels.resize(9);
  labels.levels[3] = {"a", "b"};
  EXPECT_NE(test::error_message<DataError>([&] { alpha_mf({}, labels); }).find("'t3' holds labels"), std::string::npos);
}

}  // namespace
}  // namespace quasar
