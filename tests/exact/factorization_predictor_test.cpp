// Predictions of a factorization against dense algebra, for every hyperprior: rows that were fitted, newcomers, ratings
// that newcomers come with.
#include "models/factorization/factorization_predictor.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "core/fnv1a.hpp"
#include "models/factorization/item_scores.hpp"
#include "models/factorization/make_factorization.hpp"
#include "support/error_message.hpp"

namespace quasar {
namespace {

using Labels = std::vector<std::string>;

Table pairs(const std::vector<std::pair<std::string, std::string>>& all, const std::vector<double>& ratings = {}) {
  Table table{.source = "pairs",
              .names = {"who", "what"},
              .values = Mat(std::ssize(all), ratings.empty() ? 2 : 3),
              .lines = {}};
  if (!ratings.empty()) table.names.emplace_back("rating");
  table.levels.resize(table.names.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<Index>(i);
    table.levels[0].push_back(all[i].first);
    table.levels[1].push_back(all[i].second);
    table.values(row, 0) = table.values(row, 1) = static_cast<double>(i);
    if (!ratings.empty()) table.values(row, 2) = ratings[i];
    table.lines.push_back(static_cast<std::int64_t>(i) + 2);
  }
  return table;
}

Table training() {
  Table table{.source = "fit", .names = {"who", "what", "rating"}, .values = Mat(6, 3), .lines = {2, 3, 4, 5, 6, 7}};
  table.values << 0, 0, 5, 0, 1, 3, 1, 1, 1, 2, 0, 4, 2, 2, 2, 1, 3, 4;
  table.levels = {{"ann", "bob", "cyd"}, {"pie", "soup", "stew", "tea"}, {}};
  return table;
}

struct Case {
  std::string hyperprior;
  bool biases;
};

// A model, and a draw of it that is as good as any.
struct Fitted {
  explicit Fitted(const Case& kind)
      : config("bpmf", bpmf_params(),
               {{"rank", "2"}, {"hyperprior", kind.hyperprior}, {"biases", kind.biases ? "true" : "false"}}),
        settings(factorization_settings(config)),
        target(make_bpmf(config, &table)),
        kept(target->constant_data()),
        x(target->dim()),
        draw(target->layout().size()) {
    Rng(3).stream("x").normals(x);
    target->constrain(x, draw, Rng(1));
  }
  Index width() const { return settings.width(); }
  Vec row(Index place) const { return x.segment(place * width(), width()); }  // users, then items
  Vec user(Index i) const { return row(i); }
  Vec item(Index j) const { return row(3 + j); }
  double tau() const { return settings.fixed ? settings.noise_precision : std::exp(x[x.size() - 1]); }
  double scale() const { return kept.values[kept.values.size() - 1]; }
  double center() const { return kept.values[kept.values.size() - 2]; }
  double expected(const Vec& u, const Vec& v) const {
    double sum = u.head(2).dot(v.head(2));
    if (settings.biases) sum += u[2] + v[2];
    return center() + scale() * sum;
  }
  RowLaw law(bool of_users) const {
    const auto prior = make_row_prior(config, width());
    const Index begin = 7 * width() + (of_users ? 0 : prior->size());
    return prior->law(x.segment(begin, prior->size()));
  }
  std::unique_ptr<FactorizationPredictor> predictor(const Table& rows, const Table* fold_in = nullptr) const {
    return make_factorization_predictor(config, kept, rows, fold_in);
  }
  std::span<const double> values() const { return {draw.data(), static_cast<std::size_t>(draw.size())}; }

  Table table = training();
  Config config;
  FactorizationSettings settings;
  std::unique_ptr<Target> target;
  ConstantData kept;
  Vec x, draw;
};

Mat predicted(Predictor& predictor, const Fitted& fitted, const Rng& rng) {
  Mat out(predictor.rows(), 2);
  predictor.take(fitted.values(), rng);
  predictor.predict(0, out);
  return out;
}

// A newcomer's row by the formulas of row_conditional.hpp, from the same normals.
Vec newcomer(const Fitted& fitted, bool is_user, const std::string& label, const std::vector<Vec>& others,
             const std::vector<double>& ratings, const Rng& rng) {
  const RowLaw law = fitted.law(is_user);
  Mat precision = law.diagonal() ? Mat(law.precision.col(0).asDiagonal()) : law.precision;
  Vec linear = precision * law.mean;
  for (std::size_t k = 0; k < others.size(); ++k) {
    Vec feature = others[k];
    double residual = (ratings[k] - fitted.center()) / fitted.scale();
    if (fitted.settings.biases) {
      residual -= feature[2];
      feature[2] = 1;
    }
    precision += fitted.tau() * feature * feature.transpose();
    linear += fitted.tau() * residual * feature;
  }
  Vec normals(fitted.width());
  rng.child(is_user ? "user" : "item", fnv1a(label)).stream("row").normals(normals);
  const Eigen::LLT<Mat> llt(precision);
  return llt.solve(linear) + Vec(llt.matrixU().solve(normals));
}

class FactorizationPredictions : public testing::TestWithParam<Case> {};

TEST_P(FactorizationPredictions, OfFittedPairsAreTheProductOfTheirRows) {
  const Fitted fitted(GetParam());
  const auto predictor = fitted.predictor(pairs({{"cyd", "tea"}, {"ann", "pie"}, {"cyd", "stew"}}));
  const Mat found = predicted(*predictor, fitted, Rng(1));
  EXPECT_NEAR(found(0, 0), fitted.expected(fitted.user(2), fitted.item(3)), 1e-12);
  EXPECT_NEAR(found(1, 0), fitted.expected(fitted.user(0), fitted.item(0)), 1e-12);
  EXPECT_NEAR(found(2, 0), fitted.expected(fitted.user(2), fitted.item(2)), 1e-12);
  EXPECT_NEAR(found(0, 1), fitted.scale() / std::sqrt(fitted.tau()), 1e-12);
}

TEST_P(FactorizationPredictions, OfNewcomersAreDrawnFromThePriorOfTheDraw) {
  const Fitted fitted(GetParam());
  const Rng rng = Rng(7).at(5);
  const auto predictor = fitted.predictor(pairs({{"dan", "tea"}, {"bob", "jam"}, {"dan", "jam"}}));
  const Mat found = predicted(*predictor, fitted, rng);
  const Vec dan = newcomer(fitted, true, "dan", {}, {}, rng), jam = newcomer(fitted, false, "jam", {}, {}, rng);
  EXPECT_NEAR(found(0, 0), fitted.expected(dan, fitted.item(3)), 1e-10);
  EXPECT_NEAR(found(1, 0), fitted.expected(fitted.user(1), jam), 1e-10);
  EXPECT_NEAR(found(2, 0), fitted.expected(dan, jam), 1e-10);
  EXPECT_NE(predicted(*predictor, fitted, rng.at(6))(0, 0), found(0, 0));  // another draw, another row
}

TEST_P(FactorizationPredictions, OfNewcomersWithRatingsAreDrawnGivenThese) {
  const Fitted fitted(GetParam());
  const Rng rng = Rng(7).at(5);
  const Table ratings = pairs({{"dan", "pie"}, {"bob", "jam"}, {"dan", "stew"}, {"eve", "pie"}}, {5, 1, 2, 3});
  const auto predictor = fitted.predictor(pairs({{"dan", "tea"}, {"cyd", "jam"}, {"eve", "tea"}}), &ratings);
  const Mat found = predicted(*predictor, fitted, rng);
  const Vec dan = newcomer(fitted, true, "dan", {fitted.item(0), fitted.item(2)}, {5, 2}, rng);
  const Vec eve = newcomer(fitted, true, "eve", {fitted.item(0)}, {3}, rng);
  const Vec jam = newcomer(fitted, false, "jam", {fitted.user(1)}, {1}, rng);
  EXPECT_NEAR(found(0, 0), fitted.expected(dan, fitted.item(3)), 1e-10);
  EXPECT_NEAR(found(1, 0), fitted.expected(fitted.user(2), jam), 1e-10);
  EXPECT_NEAR(found(2, 0), fitted.expected(eve, fitted.item(3)), 1e-10);
}

TEST_P(FactorizationPredictions, DoNotDependOnTheRowsAroundThem) {
  const Fitted fitted(GetParam());
  const Table many = pairs({{"dan", "tea"}, {"eve", "jam"}, {"ann", "jam"}, {"dan", "jam"}}, {1, 2, 3, 4});
  const auto all = fitted.predictor(many), one = fitted.predictor(pairs({{"dan", "jam"}}, {4}));
  const auto fork = all->fork();
  const Mat whole = predicted(*all, fitted, Rng(2));
  EXPECT_EQ(predicted(*fork, fitted, Rng(2)), whole);
  EXPECT_EQ(predicted(*one, fitted, Rng(2)), whole.row(3));
  Vec replicates(4), last(1);
  all->replicate(0, replicates);
  fork->replicate(3, last);
  EXPECT_EQ(last[0], replicates[3]);
  EXPECT_NE(replicates[3], whole(3, 0));
}

TEST_P(FactorizationPredictions, KnowTheDensityOfRatings) {
  const Fitted fitted(GetParam());
  const auto predictor = fitted.predictor(pairs({{"ann", "tea"}, {"bob", "pie"}}, {NAN, 2.5}));
  const Mat found = predicted(*predictor, fitted, Rng(2));
  Vec density(2);
  predictor->log_density(0, density);
  const double z = (2.5 - found(1, 0)) / found(1, 1);
  EXPECT_NEAR(density[1], -z * z / 2 - std::log(found(1, 1) * std::sqrt(2 * std::numbers::pi)), 1e-12);
  EXPECT_TRUE(std::isnan(density[0]));
  EXPECT_TRUE(std::isnan(predictor->observed()[0]));
  EXPECT_EQ(predictor->observed()[1], 2.5);
}

TEST_P(FactorizationPredictions, ScoresOfItemsAreThoseOfPairs) {
  const Fitted fitted(GetParam());
  const auto predictor = fitted.predictor(pairs({{"dan", "pie"}, {"dan", "soup"}, {"dan", "stew"}, {"dan", "tea"}}));
  const Mat found = predicted(*predictor, fitted, Rng(4));
  auto rows = std::make_shared<KnownAndNew>(fitted.kept);
  const Index dan = rows->user("dan");
  FactorizationScores scores(DrawnRows(fitted.config, rows));
  ASSERT_EQ(scores.items(), 4);
  Vec all(4);
  scores.take(fitted.values(), Rng(4));
  scores.score(dan, all);
  EXPECT_LT((all - found.col(0)).cwiseAbs().maxCoeff(), 1e-12);
  scores.score(1, all);
  EXPECT_NEAR(all[2], fitted.expected(fitted.user(1), fitted.item(2)), 1e-12);
}

TEST_P(FactorizationPredictions, ScoresOfNewItemsFollowThoseThatWereFitted) {
  const Fitted fitted(GetParam());
  auto rows = std::make_shared<KnownAndNew>(fitted.kept);
  rows->fold_in(pairs({{"bob", "jam"}}, {1}), "error");
  FactorizationScores scores(DrawnRows(fitted.config, rows));
  ASSERT_EQ(scores.items(), 5);
  Vec all(5);
  scores.take(fitted.values(), Rng(4));
  scores.score(2, all);
  const Vec jam = newcomer(fitted, false, "jam", {fitted.user(1)}, {1}, Rng(4));
  EXPECT_NEAR(all[3], fitted.expected(fitted.user(2), fitted.item(3)), 1e-12);
  EXPECT_NEAR(all[4], fitted.expected(fitted.user(2), jam), 1e-10);
}

TEST_P(FactorizationPredictions, AreMadeOfDrawsInTheOrderOfTheModelAlone) {
  const Fitted fitted(GetParam());
  Layout layout = fitted.target->layout();
  const auto require = [&] { require_recorded_order(fitted.config, fitted.kept, layout, "run.nc"); };
  EXPECT_NO_THROW(require());
  std::swap(layout.variables[0], layout.variables[1]);
  EXPECT_TRUE(test::error_message<DataError>(require).starts_with("run.nc: its variables are not those"));
}

INSTANTIATE_TEST_SUITE_P(Hyperpriors, FactorizationPredictions,
                         testing::Values(Case{"scalar", true}, Case{"diagonal", true}, Case{"wishart", true},
                                         Case{"wishart", false}, Case{"fixed", true}, Case{"fixed", false}),
                         [](const auto& of) { return of.param.hyperprior + (of.param.biases ? "Biases" : ""); });

TEST(FoldIn, RatingsThatTellNothingNewAreRefused) {
  const Fitted fitted(Case{"scalar", true});
  const auto refusal = [&](const Table& ratings) {
    return test::error_message<DataError>([&] { fitted.predictor(pairs({{"ann", "tea"}}), &ratings); });
  };
  EXPECT_NE(refusal(pairs({{"dan", "pie"}, {"ann", "pie"}}, {1, 2}))
                .find("pairs:3: user 'ann' and item 'pie' were fitted already"),
            std::string::npos);
  EXPECT_NE(refusal(pairs({{"dan", "jam"}}, {1})).find("pairs:2: user 'dan' and item 'jam' are both new"),
            std::string::npos);
  EXPECT_NE(refusal(pairs({{"dan", "pie"}, {"dan", "pie"}}, {1, 2}))
                .find("pairs:3: user 'dan' has rated item 'pie' before, at line 2: "),
            std::string::npos);
  EXPECT_NE(
      refusal(pairs({{"dan", "pie"}, {"dan", "tea"}}, {1, 1e300})).find("pairs:3: the rating 1e+300 is too large"),
      std::string::npos);
  EXPECT_EQ(refusal(pairs({{"dan", "pie"}}, {NAN})), "pairs:2: the rating is missing");
  EXPECT_EQ(refusal(pairs({{"dan", "pie"}})),
            "pairs: has no ratings: their column is not there, or all of them are missing");
}

TEST(FoldIn, DuplicatesAreSettledAsWhenFitting) {
  const Fitted fitted(Case{"scalar", true});
  const Table ratings = pairs({{"dan", "pie"}, {"dan", "tea"}, {"dan", "pie"}, {"dan", "pie"}}, {1, 5, 2, 6});
  const auto values = [&](const std::string& how) {
    KnownAndNew rows(fitted.kept);
    rows.fold_in(ratings, how);
    std::vector<double> all;
    for (const double value : rows.new_users[0].value) all.push_back(fitted.center() + fitted.scale() * value);
    return all;
  };
  for (const auto& [how, pie] : {std::pair("mean", 3.0), std::pair("last", 6.0)}) {
    ASSERT_EQ(values(how).size(), 2U) << how;
    EXPECT_NEAR(values(how)[0], pie, 1e-12) << how;
    EXPECT_NEAR(values(how)[1], 5, 1e-12) << how;
  }
  EXPECT_EQ(values("keep").size(), 4U);
}

TEST(FactorizationPredictor, SaysWhoIsNotInTheTrainingData) {
  const Fitted fitted(Case{"scalar", true});
  const auto note = [&](const Table& rows, const Table* fold_in = nullptr) {
    return note_on_newcomers(fitted.predictor(rows, fold_in)->known_and_new());
  };
  EXPECT_EQ(note(pairs({{"ann", "tea"}})), "");
  EXPECT_EQ(note(pairs({{"dan", "tea"}})), "1 user is not in the training data: predicted by the prior");
  EXPECT_EQ(note(pairs({{"dan", "jam"}, {"ann", "bun"}})),
            "1 user and 2 items are not in the training data: predicted by the prior");
  const Table ratings = pairs({{"dan", "pie"}}, {4});
  EXPECT_EQ(note(pairs({{"dan", "tea"}}), &ratings), "");
}

TEST(FactorizationPredictor, FindsColumnsByTheirNames) {
  const Fitted fitted(Case{"scalar", true});
  Table turned = pairs({{"ann", "tea"}}, {4});
  std::swap(turned.names[0], turned.names[1]);
  std::swap(turned.levels[0], turned.levels[1]);
  const auto predictor = fitted.predictor(turned);
  EXPECT_NEAR(predicted(*predictor, fitted, Rng(1))(0, 0), fitted.expected(fitted.user(0), fitted.item(3)), 1e-12);
}

}  // namespace
}  // namespace quasar
