// Sums in shards: the plain sum but for rounding, the order of a binary tree, and the same bits for any number of
// ranks, which are threads here.
#include "estimators/sharded_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/sample.hpp>

#include "support/allocations.hpp"
#include "support/regression.hpp"
#include "support/targets.hpp"
#include "support/thread_exchange.hpp"

namespace quasar {
namespace {

using test::run_ranks;

Vec some_point(Index dim) {
  Vec x(dim);
  Rng(8).stream("x").normals(x);
  return 0.3 * x;
}

std::unique_ptr<FiniteSum> sharded_regression(const std::string& model, Index rows, int shards,
                                              Exchange* exchange = nullptr) {
  return std::make_unique<ShardedSum>(test::regression(model, test::make_table_for(model, rows, 3)), shards, exchange);
}

struct Result {
  Vec grad;
  Eval eval;
};

const std::vector<Index> batch = {40, 3, 3, 17, 52, 0, 51, 12, 30, 17};

// Whole, a range that cuts shards, a batch with a term twice, each added to what is there.
std::vector<Result> evaluate(FiniteSum& sum, Want want = Want::both) {
  const Vec x = some_point(sum.dim());
  std::vector<Result> results;
  const auto add = [&](auto&& part) {
    Vec grad = Vec::LinSpaced(sum.dim(), -1, 1);
    const Eval eval = part(grad);
    results.push_back({grad, eval});
  };
  add([&](Vec& grad) { return sum.logp_grad(x, grad); });
  add([&](Vec& grad) { return sum.add_all(x, 0.7, grad, want); });
  add([&](Vec& grad) { return sum.add_range(x, 5, 41, 1.3, grad, want); });
  add([&](Vec& grad) { return sum.add_terms(x, batch, 5.3, grad, want); });
  return results;
}

void expect_close(const std::vector<Result>& a, const std::vector<Result>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT((a[i].grad - b[i].grad).norm(), 1e-12 * (1 + b[i].grad.norm())) << i;
    EXPECT_NEAR(a[i].eval.logp, b[i].eval.logp, 1e-12 * (1 + std::abs(b[i].eval.logp))) << i;
    EXPECT_TRUE(a[i].eval.ok && b[i].eval.ok);
  }
}

TEST(ShardedSum, IsThePlainSumButForRounding) {
  for (const std::string& model : test::regression_models) {
    const auto plain = test::regression(model, test::make_table_for(model, 53, 3));
    for (const int shards : {1, 2, 8, 64})
      expect_close(evaluate(*sharded_regression(model, 53, shards)), evaluate(*plain));
  }
}

TEST(ShardedSum, HasTheSameBitsForAnyNumberOfRanks) {
  for (const int shards : {4, 16, 64}) {
    for (const Want want : {Want::both, Want::gradient}) {
      const auto alone = evaluate(*sharded_regression("logistic", 53, shards), want);
      for (const int ranks : {1, 2, 4}) {
        run_ranks(ranks, [&](Exchange& exchange) {
          const auto together = evaluate(*sharded_regression("logistic", 53, shards, &exchange), want);
          for (std::size_t i = 0; i < alone.size(); ++i) {
            EXPECT_EQ(together[i].grad, alone[i].grad);
            if (want == Want::both || i == 0) {
              EXPECT_EQ(together[i].eval.logp, alone[i].eval.logp);
            }
          }
          EXPECT_GT(exchange.times.gradient, 0);
        });
      }
    }
  }
}

// Term i adds values[i] to every coordinate; it fails where x[0] = i, with NaN in the gradient.
struct Numbers final : FiniteSum {
  explicit Numbers(std::vector<double> numbers) : values(std::move(numbers)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Numbers>(*this); }
  Index dim() const override { return 2; }
  Index terms() const override { return std::ssize(values); }
  Eval prior(In, Out grad, Want) override {
    grad.setZero();
    return {0};
  }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override {
    double sum = 0;
    for (const Index id : ids) {
      if (x[0] == static_cast<double>(id)) {
        grad.setConstant(std::numeric_limits<double>::quiet_NaN());
        return {std::numeric_limits<double>::quiet_NaN(), false};
      }
      grad.array() += weight * values[static_cast<std::size_t>(id)];
      sum += weight * values[static_cast<std::size_t>(id)];
    }
    return {want == Want::both ? sum : std::numeric_limits<double>::quiet_NaN()};
  }
  void prefetch(std::span<const Index> ids) override { announced.assign(ids.begin(), ids.end()); }
  std::string_view rejection() const override { return "no such number"; }

  std::vector<double> values;
  std::vector<Index> announced;
};

// Of very different sizes, so that every order of addition has its own rounding.
std::vector<double> uneven_numbers(Index count) {
  Vec normals(count);
  Rng(5).stream("numbers").normals(normals);
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(normals[i] * std::pow(10.0, static_cast<double>(i % 7) * 2.5));
  return values;
}

double in_a_tree(std::span<const double> values) {
  if (values.size() == 1) return values[0];
  const std::size_t half = values.size() / 2;
  return in_a_tree(values.first(half)) + in_a_tree(values.subspan(half));
}

TEST(ShardedSum, AddsItsShardsInABinaryTree) {
  for (const int shards : {1, 2, 4, 8, 16, 32}) {
    const std::vector<double> values = uneven_numbers(shards);
    const double expected = in_a_tree(values);
    for (int ranks = 1; ranks <= std::min(shards, 8); ranks *= 2) {
      run_ranks(ranks, [&](Exchange& exchange) {
        ShardedSum sum(std::make_unique<Numbers>(values), shards, &exchange);
        Vec grad = Vec::Zero(2);
        EXPECT_EQ(sum.add_all(Vec::Constant(2, -1), 1, grad, Want::both).logp, expected) << shards << ' ' << ranks;
        EXPECT_EQ(grad, Vec::Constant(2, expected));
      });
    }
  }
  const std::vector<double> values = uneven_numbers(32);
  double one_by_one = 0;
  for (const double value : values) one_by_one += value;
  EXPECT_NE(one_by_one, in_a_tree(values));
}

// In the order of the batch large numbers cancel before small ones come; in the order of terms these would be lost.
TEST(ShardedSum, KeepsTheOrderOfABatchWithinAShard) {
  const std::vector<double> values = {1, 0, 1e16, -1e16, 0.5, 0, 1e16, -1e16};
  const std::vector<Index> ids = {6, 3, 7, 2, 0, 4};
  ShardedSum sum(std::make_unique<Numbers>(values), 2);
  Vec grad = Vec::Zero(2);
  EXPECT_EQ(sum.add_terms(Vec::Constant(2, -1), ids, 1, grad, Want::both).logp, 1.5);
  EXPECT_EQ(grad, Vec::Constant(2, 1.5));
}

TEST(ShardedSum, WhatFailsOnOneShardFailsOnAllRanks) {
  for (const int ranks : {1, 2, 4}) {
    run_ranks(ranks, [&](Exchange& exchange) {
      ShardedSum sum(std::make_unique<Numbers>(uneven_numbers(16)), 8, &exchange);
      const std::vector<Index> ids = {1, 9, 11};
      for (const Want want : {Want::both, Want::gradient}) {
        for (int bad = 0; bad < 16; ++bad) {
          const Vec x = Vec::Constant(2, bad), before = Vec::Constant(2, 7);
          Vec grad = before;
          EXPECT_FALSE(sum.add_all(x, 1, grad, want).ok);
          EXPECT_EQ(grad, before);
          EXPECT_EQ(sum.add_terms(x, ids, 1, grad, want).ok, bad != 1 && bad != 9 && bad != 11);
          EXPECT_EQ(sum.add_range(x, 3, 6, 1, grad, want).ok, bad < 3 || bad >= 6);
        }
        Vec grad = Vec::Zero(2);
        EXPECT_TRUE(sum.add_all(Vec::Constant(2, -1), 1, grad, want).ok);
        EXPECT_TRUE(grad.allFinite());
      }
      EXPECT_EQ(sum.rejection(), "no such number");
    });
  }
}

TEST(ShardedSum, AnnouncesItsOwnTermsAlone) {
  run_ranks(4, [](Exchange& exchange) {
    auto model = std::make_unique<Numbers>(uneven_numbers(16));
    const Numbers& numbers = *model;
    ShardedSum sum(std::move(model), 8, &exchange);
    const std::vector<Index> ids = {15, 4, 0, 5, 8, 3, 12};
    sum.prefetch(ids);
    std::vector<Index> expected;
    for (const Index id : ids) {
      if (id / 4 == exchange.rank()) expected.push_back(id);
    }
    EXPECT_EQ(numbers.announced, expected);
  });
}

TEST(ShardedSum, DoesNotAllocateAfterTheFirstTime) {
  const auto sum = sharded_regression("logistic", 53, 8);
  const Vec x = some_point(sum->dim());
  Vec grad(x.size());
  const auto all = [&] {
    sum->logp_grad(x, grad);
    sum->add_range(x, 5, 41, 1, grad, Want::gradient);
    sum->prefetch(batch);
    sum->add_terms(x, batch, 1, grad, Want::gradient);
  };
  all();
  const long before = test::allocation_count;
  all();
  EXPECT_EQ(test::allocation_count, before);
}

TEST(ShardedSum, IsTheModelInAllElse) {
  const auto plain = test::regression("logistic", test::make_table_for("logistic", 53, 3));
  OneProcess exchange;
  ShardedSum sum(test::regression("logistic", test::make_table_for("logistic", 53, 3)), 4, &exchange);
  EXPECT_EQ(sum.threads(), Threads::one);
  EXPECT_EQ(ShardedSum(test::regression("logistic", test::make_table_for("logistic", 53, 3)), 4).threads(),
            plain->threads());
  EXPECT_EQ(sum.layout().variables.size(), plain->layout().variables.size());
  EXPECT_EQ(sum.constant_data().values, plain->constant_data().values);
  EXPECT_EQ(sum.terms(), 53);
  EXPECT_NE(sum.geometry(), nullptr);
  EXPECT_EQ(sum.hessian() == nullptr, plain->hessian() == nullptr);
  const auto fork = sum.fork();
  expect_close(evaluate(dynamic_cast<FiniteSum&>(*fork)), evaluate(*plain));
  EXPECT_GT(exchange.times.gradient, 0);
  EXPECT_THROW(sharded(std::make_unique<test::SkewedTarget>(), 4, nullptr), UsageError);
}

// Samplers know nothing of it: one chain on 1, 2 and 4 ranks, to the last bit.
struct ShortRun {
  const char* sampler;
  Settings settings;
};
std::vector<double> draws_of(const ShortRun& run, const Target& target) {
  const SamplerEntry& sampler = find_sampler(run.sampler);
  SampleOptions options;
  options.chains = 1;
  options.threads = 1;
  options.schedule = {30, 20, 1};
  std::vector<double> values;
  for (const ChainDraws& chain :
       sample(target, sampler, Config(run.sampler, sampler.params, run.settings), options).sampling)
    values.insert(values.end(), chain.values.begin(), chain.values.end());
  return values;
}

TEST(ShardedSum, SamplersRunOnItUnchanged) {
  const ShortRun runs[] = {{"nuts", {}},
                           {"hmc", {}},
                           {"qnhmc", {}},
                           {"sghmc", {{"batch_size", "9"}, {"step_size", "0.01"}}},
                           {"sgld", {{"batch_size", "9"}, {"estimator", "control_variates"}}}};
  for (const ShortRun& run : runs) {
    const auto alone = draws_of(run, *sharded_regression("logistic", 53, 8));
    ASSERT_FALSE(alone.empty());
    for (const int ranks : {1, 2, 4}) {
      run_ranks(ranks, [&](Exchange& exchange) {
        EXPECT_EQ(draws_of(run, *sharded_regression("logistic", 53, 8, &exchange)), alone) << run.sampler << ranks;
      });
    }
  }
}

}  // namespace
}  // namespace quasar
