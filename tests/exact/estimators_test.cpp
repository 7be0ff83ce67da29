// Gradient estimators: their mean and their variance over every possible batch, and which batches they draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "estimators/gradient_estimator.hpp"
#include "support/regression.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

using Kind = EstimatorSettings::Kind;
constexpr Index terms = 6;

class Estimators : public testing::Test {
 protected:
  Estimators() : target(test::logistic(test::make_table(terms, 2, true))), x(target->dim()), mode(target->dim()) {
    Rng(3).stream("x").normals(x);
    Rng(3).stream("mode").normals(mode);
    full.resize(x.size());
    full_value = target->logp_grad(x, full).logp;
  }

  GradientEstimator make(Kind kind, Index batch_size, Batches::Order order = Batches::with_replacement,
                         bool track_noise = false) const {
    EstimatorSettings settings;
    settings.kind = kind;
    settings.batch_size = batch_size;
    settings.order = order;
    settings.mode = mode;
    settings.track_noise = track_noise;
    settings.want = Want::both;
    return {*target, settings};
  }

  std::unique_ptr<Target> target;
  Vec x, mode, full;
  double full_value;
};

// Calls use(ids) with every sequence of `size` terms, of distinct ones only if asked for.
template <class Use>
void for_every_batch(Index size, bool distinct, std::vector<Index>& ids, const Use& use) {
  if (std::ssize(ids) == size) return use();
  for (Index i = 0; i < terms; ++i) {
    if (distinct && std::find(ids.begin(), ids.end(), i) != ids.end()) continue;
    ids.push_back(i);
    for_every_batch(size, distinct, ids, use);
    ids.pop_back();
  }
}

struct Moments {
  Vec mean, variance, learned;
  double mean_value;
};

Moments over_every_batch(const GradientEstimator& estimator, In x, In anchor, bool distinct) {
  auto state = estimator.init(anchor, Rng(1));
  std::vector<Index> ids;
  Vec grad(x.size()), sum = Vec::Zero(x.size()), squares = sum;
  double count = 0, values = 0;
  for_every_batch(estimator.settings().batch_size, distinct, ids, [&] {
    ++state.batch;
    state.ids = ids;
    const Eval at = estimator.gradient(state, x, grad);
    ASSERT_TRUE(at.ok);
    values += at.logp;
    sum += grad;
    squares += grad.cwiseAbs2();
    ++count;
  });
  const Vec mean = sum / count;
  return {mean, squares / count - mean.cwiseAbs2(), state.noise.diagonal(), values / count};
}

TEST_F(Estimators, AreUnbiasedOverAllBatches) {
  for (const Kind kind : {Kind::minibatch, Kind::control_variates, Kind::svrg}) {
    for (const Index size : {1, 2, 3}) {
      for (const bool distinct : {false, true}) {
        const auto order = distinct ? Batches::without_replacement : Batches::with_replacement;
        const Moments found = over_every_batch(make(kind, size, order), x, mode, distinct);
        EXPECT_LT((found.mean - full).norm(), 1e-12 * full.norm()) << kind << " " << size << " " << distinct;
        EXPECT_NEAR(found.mean_value, full_value, 1e-12 * std::abs(full_value)) << kind << " " << size;
      }
    }
  }
}

// V from the halves has the variance of the estimate as its mean, exactly: also for odd sizes and finite populations.
TEST_F(Estimators, LearnTheirOwnVariance) {
  for (const Kind kind : {Kind::minibatch, Kind::control_variates}) {
    for (const Index size : {2, 3}) {
      for (const bool distinct : {false, true}) {
        const auto order = distinct ? Batches::without_replacement : Batches::with_replacement;
        const Moments found = over_every_batch(make(kind, size, order, true), x, mode, distinct);
        EXPECT_GT(found.variance.minCoeff(), 0);
        EXPECT_LT((found.learned - found.variance).norm(), 1e-10 * found.variance.norm())
            << kind << " " << size << " " << distinct;
        EXPECT_NEAR(found.mean_value, full_value, 1e-12 * std::abs(full_value)) << kind << " " << size;
      }
    }
  }
}

TEST_F(Estimators, HaveNoNoiseAtTheAnchor) {
  for (const Kind kind : {Kind::control_variates, Kind::svrg}) {
    const GradientEstimator estimator = make(kind, 2);
    auto state = estimator.init(mode, Rng(1));
    Vec grad(x.size()), at_mode(x.size());
    const double value = target->logp_grad(mode, at_mode).logp;
    for (int batch = 0; batch < 5; ++batch) {
      estimator.draw_batch(state, mode);
      EXPECT_NEAR(estimator.gradient(state, mode, grad).logp, value, 1e-12 * std::abs(value));
      EXPECT_LT((grad - at_mode).norm(), 1e-12 * at_mode.norm());
    }
  }
}

TEST_F(Estimators, FullIsTheGradient) {
  const GradientEstimator estimator = make(Kind::full, 1);
  auto state = estimator.init(x, Rng(1));
  Vec grad(x.size());
  estimator.draw_batch(state, x);
  EXPECT_NEAR(estimator.gradient(state, x, grad).logp, full_value, 1e-13 * std::abs(full_value));
  EXPECT_LT((grad - full).norm(), 1e-13 * full.norm());
  EXPECT_EQ(state.spent.terms, terms);
}

TEST_F(Estimators, PriorAndLikelihoodAreTheWhole) {
  const GradientEstimator estimator = make(Kind::minibatch, 3);
  auto state = estimator.init(x, Rng(1));
  Vec whole(x.size()), parts(x.size());
  estimator.draw_batch(state, x);
  estimator.gradient(state, x, whole);
  estimator.prior(state, x, parts);
  estimator.add_likelihood(state, x, parts);
  EXPECT_EQ(whole, parts);
}

TEST_F(Estimators, SvrgRenewsItsAnchor) {
  EstimatorSettings settings;
  settings.kind = Kind::svrg;
  settings.batch_size = 2;
  settings.anchor_every = 3;
  const GradientEstimator estimator(*target, settings);
  auto state = estimator.init(mode, Rng(1));
  std::vector<bool> at_mode;
  for (int batch = 0; batch < 7; ++batch) {
    estimator.draw_batch(state, batch < 4 ? x : Vec(2 * x));
    at_mode.push_back(state.anchor == mode);
  }
  EXPECT_EQ(at_mode, std::vector<bool>({true, true, true, false, false, false, false}));
  EXPECT_EQ(state.anchor, 2 * x);
  EXPECT_EQ(state.spent.terms, 3 * terms);  // three anchors
}

TEST_F(Estimators, AddedNoiseBelongsToTheBatch) {
  EstimatorSettings settings;
  settings.added_noise = 4;
  const GradientEstimator estimator(*target, settings);
  auto state = estimator.init(x, Rng(1));
  Vec first(x.size()), again(x.size()), next(x.size());
  estimator.draw_batch(state, x);
  estimator.gradient(state, x, first);
  estimator.gradient(state, x, again);
  estimator.draw_batch(state, x);
  estimator.gradient(state, x, next);
  EXPECT_EQ(first, again);
  EXPECT_GT((first - full).norm(), 0.1);
  EXPECT_NE(first, next);
}

TEST_F(Estimators, RefuseWhatHasNoTerms) {
  test::SkewedTarget plain;
  EstimatorSettings settings;
  settings.kind = Kind::minibatch;
  EXPECT_THROW(GradientEstimator(plain, settings), std::invalid_argument);
  EXPECT_THROW(make(Kind::minibatch, 1, Batches::with_replacement, true), std::invalid_argument);
}

std::vector<std::vector<Index>> first_batches(const Batches& batches, int count) {
  auto shuffle = batches.make_shuffle();
  std::vector<std::vector<Index>> drawn(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    auto& ids = drawn[static_cast<std::size_t>(k)];
    ids.resize(static_cast<std::size_t>(batches.size()));
    batches.draw(Rng(8), k, shuffle, ids);
  }
  return drawn;
}

TEST(Batches, ShuffledVisitsEveryTermOnceAPass) {
  const auto drawn = first_batches(Batches(12, 4, Batches::shuffled), 6);
  for (std::size_t pass = 0; pass < 2; ++pass) {
    std::set<Index> seen;
    for (std::size_t k = 0; k < 3; ++k) seen.insert(drawn[3 * pass + k].begin(), drawn[3 * pass + k].end());
    EXPECT_EQ(seen.size(), 12U);
  }
  EXPECT_NE(drawn[0], drawn[3]);
}

TEST(Batches, ShuffledSkipsWhatIsLeftOfAPass) {
  for (const auto& ids : first_batches(Batches(10, 4, Batches::shuffled), 8)) {
    EXPECT_EQ(std::set<Index>(ids.begin(), ids.end()).size(), 4U);
  }
}

TEST(Batches, WithoutReplacementAreDistinct) {
  for (const auto& ids : first_batches(Batches(5, 4, Batches::without_replacement), 20)) {
    EXPECT_EQ(std::set<Index>(ids.begin(), ids.end()).size(), 4U);
  }
}

TEST(Batches, AreNamedByTheirNumber) {
  for (const auto order : {Batches::with_replacement, Batches::without_replacement, Batches::shuffled}) {
    const Batches batches(20, 3, order);
    const auto drawn = first_batches(batches, 15);
    auto shuffle = batches.make_shuffle();
    std::vector<Index> ids(3);
    batches.draw(Rng(8), 13, shuffle, ids);
    EXPECT_EQ(ids, drawn[13]);
    EXPECT_NE(drawn[13], drawn[12]);
  }
}

}  // namespace
}  // namespace quasar
