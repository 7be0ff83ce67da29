// The model bpmf: its density and gradient, rows and what they touch, sweeps, conditionals, what it refuses. No
// statistics.
#include "models/factorization/factorization.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>

#include "core/gibbs.hpp"
#include "models/factorization/row_conditional.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/factorizations.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::made_up_factorization;

Vec some_point(Index dim, std::uint64_t seed = 3) {
  Vec x(dim);
  Rng(seed).stream("point").normals(x);
  return 0.7 * x;
}

std::vector<Settings> all_kinds() {
  std::vector<Settings> kinds;
  for (const std::string& hyperprior : test::hyperpriors) {
    for (const char* biases : {"true", "false"}) {
      kinds.push_back({{"rank", "2"},
                       {"hyperprior", hyperprior},
                       {"biases", biases},
                       {"shape", "1.5"},
                       {"rate", "0.7"},
                       {"strength", "2.5"},
                       {"noise_shape", "3"},
                       {"noise_rate", "0.4"},
                       {"precision", "3"},
                       {"bias_precision", "5"},
                       {"noise_precision", "2"}});
    }
  }
  return kinds;
}

std::string name_of(const Settings& settings) { return settings.at("hyperprior") + " " + settings.at("biases"); }

std::shared_ptr<Ratings> some_ratings(Index users, Index items, std::vector<Rating> all) {
  auto ratings = std::make_shared<Ratings>();
  ratings->users.resize(static_cast<std::size_t>(users));
  ratings->items.resize(static_cast<std::size_t>(items));
  ratings->all = std::move(all);
  sort_by_rows(*ratings);
  return ratings;
}

// Numbers of an independent implementation: W (2 x 2), H (2 x 3), all precisions 1.
TEST(Factorization, MicroOracle) {
  const auto ratings = some_ratings(2, 3, {{0, 0, 1}, {0, 1, 2}, {1, 1, -1}, {1, 2, 3}});
  const Settings settings{
      {"rank", "2"}, {"biases", "false"}, {"hyperprior", "fixed"}, {"precision", "1"}, {"noise_precision", "1"}};
  Factorization model = test::factorization(ratings, test::bpmf_config(settings));
  Vec x(10), grad(10), expected(10);
  x << 1, .5, .2, -1, .3, 2, 1, 0, -.5, 1;
  expected << .09, 1.1, 3.45, -5.1, .6, 2.15, .24, -1.7, -1.32, 5.1;
  EXPECT_NEAR(model.logp_grad(x, grad).logp, -13.985, 1e-12);
  EXPECT_LT((grad + expected).norm(), 1e-12);
}

// The precisions and means are coordinates like any other: without Gibbs steps the density is right as well.
TEST(Factorization, GradientsBelongToTheDensity) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings);
    const GradientCheck check = check_gradient(model, some_point(model.dim()));
    EXPECT_TRUE(check.ok) << name_of(settings) << ": " << check.message;
  }
}

// Of ranks below, at and between whole vectors.
TEST(Factorization, GradientsOfEveryRank) {
  for (const Index rank : {1, 3, 4, 7, 8, 21}) {
    for (const char* biases : {"true", "false"}) {
      Factorization model = made_up_factorization({{"rank", std::to_string(rank)}, {"biases", biases}});
      const GradientCheck check = check_gradient(model, some_point(model.dim()));
      EXPECT_TRUE(check.ok) << rank << " " << biases << ": " << check.message;
    }
  }
}

double log_normal(const Vec& at, const Vec& mean, const Mat& precision) {
  const Vec d = at - mean;
  return 0.5 * std::log(precision.determinant()) - 0.5 * d.dot(precision * d);
}
double log_gamma_density(double at, double shape, double rate) { return (shape - 1) * std::log(at) - rate * at; }

// (d values / d h of recorded means and precisions; of a matrix, of its lower triangle), by differences.
double log_jacobian(const RowPrior& prior, const Vec& h, Index values) {
  const Index n = prior.size();
  const auto free_values = [&](const Vec& at) {
    Vec all(values), result(n);
    prior.constrain(at, all);
    if (values == n) return all;
    const auto w = static_cast<Index>(std::lround((std::sqrt(1 + 4.0 * static_cast<double>(values)) - 1) / 2));
    result.head(w) = all.head(w);
    for (Index j = 0, k = w; j < w; ++j) {
      for (Index i = j; i < w; ++i) result[k++] = all[w + i + w * j];
    }
    return result;
  };
  constexpr double step = 1e-5;
  Mat jacobian(n, n);
  for (Index i = 0; i < n; ++i) {
    Vec up = h, down = h;
    up[i] += step, down[i] -= step;
    jacobian.col(i) = (free_values(up) - free_values(down)) / (2 * step);
  }
  return std::log(std::abs(jacobian.determinant()));
}

// The density of rows, means and precisions as their definitions say, on the scale of what is recorded.
double by_definition(const RowPrior& prior, const Settings& settings, const Mat& rows, const Vec& h) {
  const RowLaw law = prior.law(h);
  const Mat precision = law.diagonal() ? Mat(law.precision.col(0).asDiagonal()) : law.precision;
  const auto w = static_cast<double>(rows.rows());
  const std::string& kind = settings.at("hyperprior");
  double logp = 0;
  for (Index row = 0; row < rows.cols(); ++row) logp += log_normal(rows.col(row), law.mean, precision);
  if (kind == "fixed") return logp;
  Index values = 0;
  for (const Variable& variable : prior.variables("")) values += variable.size();
  logp += log_jacobian(prior, h, values);
  if (kind == "scalar") {
    for (Index g = 0; g < h.size(); ++g) logp += log_gamma_density(std::exp(h[g]), 1.5, 0.7);
    return logp;
  }
  logp += log_normal(law.mean, Vec::Zero(rows.rows()), 2.5 * precision);
  if (kind == "diagonal") {
    for (Index k = 0; k < rows.rows(); ++k) logp += log_gamma_density(precision(k, k), 1.5, 0.7);
    return logp;
  }
  return logp + (w - w - 1) / 2 * std::log(precision.determinant()) - precision.trace() / 2;
}

// Up to a constant, here and below: differences between two points.
TEST(RowPrior, DensityByDefinition) {
  for (const Settings& settings : all_kinds()) {
    const Index width = settings.at("biases") == "true" ? 3 : 2;
    const auto prior = make_row_prior(test::bpmf_config(settings), width);
    Vec difference(2), h_slopes(prior->size());
    Mat slopes(width, 4);
    for (Index i = 0; i < 2; ++i) {
      const Mat rows = some_point(width * 4, static_cast<std::uint64_t>(5 + i)).reshaped(width, 4);
      const Vec h = some_point(prior->size(), static_cast<std::uint64_t>(7 + i));
      difference[i] = prior->evaluate(rows, h, slopes, h_slopes) - by_definition(*prior, settings, rows, h);
    }
    EXPECT_NEAR(difference[0], difference[1], 1e-7) << name_of(settings);
  }
}

// Priors of both sides, the noise's Gamma density in its logarithm, and a normal density of every rating.
double by_definition(const Settings& settings, const Ratings& ratings, const Vec& x) {
  const bool biases = settings.at("biases") == "true";
  const Index rank = 2, w = biases ? 3 : 2, users = std::ssize(ratings.users), items = std::ssize(ratings.items);
  const auto prior = make_row_prior(test::bpmf_config(settings), w);
  const Mat u = x.head(users * w).reshaped(w, users), v = x.segment(users * w, items * w).reshaped(w, items);
  const Vec h = x.segment((users + items) * w, 2 * prior->size());
  double logp = by_definition(*prior, settings, u, h.head(prior->size())) +
                by_definition(*prior, settings, v, h.tail(prior->size()));
  const bool fixed = settings.at("hyperprior") == "fixed";
  const double log_tau = fixed ? std::log(2.0) : x[x.size() - 1], tau = std::exp(log_tau);
  if (!fixed) logp += log_gamma_density(tau, 3, 0.4) + log_tau;
  for (const Rating& one : ratings.all) {
    double mean = u.col(one.user).head(rank).dot(v.col(one.item).head(rank));
    if (biases) mean += u(rank, one.user) + v(rank, one.item);
    logp += log_tau / 2 - tau * std::pow(one.value - mean, 2) / 2;
  }
  return logp;
}

TEST(Factorization, DensityByDefinition) {
  for (const Settings& settings : all_kinds()) {
    const Config config = test::bpmf_config(settings);
    const auto ratings = make_ratings(test::made_up_ratings(5, 4), config);
    Factorization model = test::factorization(ratings, config);
    Vec difference(2), grad(model.dim());
    for (Index i = 0; i < 2; ++i) {
      const Vec x = some_point(model.dim(), static_cast<std::uint64_t>(5 + i));
      difference[i] = model.logp_grad(x, grad).logp - by_definition(settings, *ratings, x);
    }
    EXPECT_NEAR(difference[0], difference[1], 1e-7) << name_of(settings);
  }
}

// What kernels learn of a row's prior is its slope in the density.
TEST(Factorization, LawsOfRowsAreThoseOfThePrior) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings);
    const Index w = model.row_length();
    const Vec x = some_point(model.dim());
    Vec grad(x.size()), mean(w), precision(w);
    model.prior(x, grad, Want::both);
    for (Index row = 0; row < model.rows(); ++row) {
      const bool independent = model.row_prior(x, model.kind_of(row), mean, precision);
      EXPECT_EQ(independent, settings.at("hyperprior") != "wishart");
      if (!independent) continue;
      const Vec expected = precision.cwiseProduct(mean - x.segment(row * w, w));
      EXPECT_LT((grad.segment(row * w, w) - expected).norm(), 1e-12) << name_of(settings) << " row " << row;
    }
  }
}

TEST(Factorization, TermsAddUpToTheSum) {
  Factorization model = made_up_factorization({{"rank", "3"}}, 12, 9);
  const Vec x = some_point(model.dim());
  Vec whole = Vec::Zero(x.size()), parts = whole;
  const double logp = model.add_range(x, 0, model.terms(), 2.5, whole, Want::both).logp;
  std::vector<Index> ids(static_cast<std::size_t>(model.terms()));
  std::iota(ids.rbegin(), ids.rend(), 0);
  const std::span all(ids);
  double sum = model.add_terms(x, all.first(17), 2.5, parts, Want::both).logp;
  sum += model.add_terms(x, all.subspan(17), 2.5, parts, Want::gradient).logp;
  EXPECT_NEAR(sum, logp, 1e-12 * std::abs(logp));
  EXPECT_LT((parts - whole).norm(), 1e-12 * whole.norm());
}

// A kernel that keeps only the slopes of these rows clear must find all others untouched.
TEST(Factorization, TermsTouchTheirRowsAlone) {
  Factorization model = made_up_factorization({{"rank", "2"}}, 8, 7);
  const Index w = model.row_length(), users = 8;
  const Vec x = some_point(model.dim());
  const std::vector<Index> ids{4, 1, 4, 9};
  std::vector<Index> rows, again;
  model.rows_of(ids, rows);
  model.rows_of(ids, again);
  EXPECT_EQ(rows, again);
  Vec grad = Vec::Zero(x.size());
  model.add_terms(x, ids, 1, grad, Want::gradient);
  for (Index row = 0; row < model.rows(); ++row) {
    EXPECT_EQ(grad.segment(row * w, w).norm() > 0, std::ranges::count(rows, row) == 1) << row;
    EXPECT_EQ(model.kind_of(row), row < users ? 0 : 1);
  }
}

TEST(Factorization, LayoutThereAndBack) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings);
    check_layout(model.layout());
    const Vec x = some_point(model.dim());
    Vec values(model.layout().size()), back(x.size());
    model.constrain(x, values, Rng(1));
    model.unconstrain(values, back);
    EXPECT_LT((x - back).norm(), 1e-12) << name_of(settings);
  }
}

TEST(Factorization, RecordsWhatItsNamesSay) {
  const Settings settings{{"rank", "2"}, {"hyperprior", "wishart"}};
  Factorization model = made_up_factorization(settings);
  const std::vector<std::string> names = element_names(model.layout());
  Vec x = some_point(model.dim()), values(model.layout().size());
  model.constrain(x, values, Rng(1));
  const auto value = [&](const std::string& name) {
    const auto at = std::ranges::find(names, name);
    EXPECT_NE(at, names.end()) << name;
    return values[at - names.begin()];
  };
  EXPECT_EQ(value("user_factors[3,2]"), x[3 * 3 + 1]);  // the user called 3 is the fourth
  EXPECT_EQ(value("user_bias[3]"), x[3 * 3 + 2]);
  EXPECT_EQ(value("item_factors[1,1]"), x[(5 + 1) * 3]);
  EXPECT_EQ(value("item_bias[1]"), x[(5 + 1) * 3 + 2]);
  const Index h = 9 * 3;
  EXPECT_EQ(value("user_mean[bias]"), x[h + 2]);
  EXPECT_DOUBLE_EQ(value("user_precision[1,1]"), std::exp(2 * x[h + 3]));
  EXPECT_EQ(value("item_mean[1]"), x[h + 9]);
  const double scale = model.constant_data().values.tail(1)[0];
  EXPECT_NEAR(value("sigma"), scale * std::exp(-x[x.size() - 1] / 2), 1e-15);
}

TEST(Factorization, ValuesThatAreNoPrecisionsAreRefused) {
  for (const Settings& settings : all_kinds()) {
    if (settings.at("hyperprior") == "fixed") continue;
    const Factorization model = made_up_factorization(settings);
    Vec values = Vec::Constant(model.layout().size(), -1), x(model.dim());
    EXPECT_THROW(model.unconstrain(values, x), UsageError) << name_of(settings);
  }
}

TEST(Factorization, ForksAgreeAndShareNoScratch) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings);
    const auto fork = model.fork();
    const Vec x = some_point(model.dim());
    Vec grad(x.size()), of_fork(x.size());
    const double logp = model.logp_grad(x, grad).logp;
    fork->logp_grad(some_point(model.dim(), 8), of_fork);
    EXPECT_EQ(fork->logp_grad(x, of_fork).logp, logp);
    EXPECT_EQ(grad, of_fork);
  }
}

TEST(Factorization, EvaluationsAllocateNothing) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings, 30, 20);
    const Vec x = some_point(model.dim());
    Vec grad(x.size());
    const std::vector<Index> ids{3, 100, 7, 7, 250};
    std::vector<Index> rows;
    model.rows_of(ids, rows);
    model.logp_grad(x, grad);
    const long before = test::allocation_count;
    model.logp_grad(x, grad);
    model.add_terms(x, ids, 3, grad, Want::gradient);
    model.rows_of(ids, rows);
    EXPECT_EQ(test::allocation_count, before) << name_of(settings);
  }
}

TEST(Factorization, ConditionalsAreTheEndOfX) {
  for (const Settings& settings : all_kinds()) {
    const Factorization model = made_up_factorization(settings);
    const Block moving = moving_block(model);
    EXPECT_EQ(moving.size, model.rows() * model.row_length()) << name_of(settings);
  }
  const Factorization model = made_up_factorization({{"gibbs_every", "7"}});
  for (const Conditional& one : model.conditionals()) EXPECT_EQ(one.every, 7);
}

void expect_dense_algebra(Index rank, bool biases, bool dense) {
  constexpr Index others = 40, count = 600;  // more ratings than a block, so that blocks have to be put together
  const Index w = rank + (biases ? 1 : 0);
  const Mat rows = some_point(w * others).reshaped(w, others);
  std::vector<std::int32_t> other(count);
  for (Index k = 0; k < count; ++k) other[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k * k % others);
  const Vec value = some_point(count, 4), normals = some_point(w, 5);
  const Mat root = some_point(w * w, 6).reshaped(w, w) + Mat::Identity(w, w);
  const Mat precision = root * root.transpose();
  const RowLaw law{some_point(w, 7), dense ? precision : Mat(precision.diagonal())};
  const double tau = 2.5, temperature = 0.49;

  Mat expected = dense ? precision : Mat(precision.diagonal().asDiagonal());
  Vec linear = expected * law.mean;
  for (Index k = 0; k < count; ++k) {
    Vec feature = rows.col(other[static_cast<std::size_t>(k)]);
    const double residual = value[k] - (biases ? feature[rank] : 0);
    if (biases) feature[rank] = 1;
    expected += tau * feature * feature.transpose();
    linear += tau * residual * feature;
  }
  const Eigen::LLT<Mat> llt(expected);
  const Vec mean = llt.solve(linear), noise = llt.matrixU().solve(normals);

  RowConditional conditional(rank, biases);
  Vec out(w);
  const RowRatings ratings{other, {value.data(), static_cast<std::size_t>(count)}};
  conditional.draw(law, tau, rows, ratings, 0, normals, out);
  EXPECT_LT((out - mean).norm(), 1e-10);
  conditional.draw(law, tau, rows, ratings, temperature, normals, out);
  EXPECT_LT((out - mean - 0.7 * noise).norm(), 1e-10);
  const long before = test::allocation_count;
  conditional.draw(law, tau, rows, ratings, temperature, out, out);  // normals may lie where the draw goes
  EXPECT_EQ(test::allocation_count, before);
  conditional.draw(law, tau, rows, {}, 0, normals, out);  // no ratings: the prior
  EXPECT_LT((out - law.mean).norm(), 1e-8);
}

TEST(RowConditional, EqualsDenseAlgebra) {
  for (const Index rank : {1, 3, 6, 7, 8, 15, 20}) {
    for (const bool biases : {true, false}) {
      for (const bool dense : {true, false}) {
        SCOPED_TRACE(testing::Message() << "rank " << rank << (biases ? ", biases" : "") << (dense ? ", dense" : ""));
        expect_dense_algebra(rank, biases, dense);
      }
    }
  }
}

TEST(Sweep, SameBitsForAnyNumberOfThreads) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings, 23, 17);
    const Vec start = some_point(model.dim());
    Vec one = start;
    model.sweep(one, {1, 1}, Rng(5));
    for (const int threads : {2, 3, 64}) {
      Vec x = start;
      model.sweep(x, {1, threads}, Rng(5));
      EXPECT_EQ(x, one) << name_of(settings) << " " << threads;
    }
    EXPECT_EQ(one.tail(model.dim() - moving_block(model).size), start.tail(model.dim() - moving_block(model).size));
  }
}

// At temperature 0 every row goes to its conditional mean: the density never falls, and where it stays its slope is 0.
TEST(Sweep, WithoutTemperatureItClimbsToAMode) {
  for (const Settings& settings : all_kinds()) {
    Factorization model = made_up_factorization(settings);
    Vec x = some_point(model.dim()), grad(x.size());
    double before = model.logp_grad(x, grad).logp;
    for (int i = 0; i < 2000; ++i) {
      model.sweep(x, {0, 1}, Rng(1));
      const double now = model.logp_grad(x, grad).logp;
      EXPECT_GE(now, before - 1e-9) << name_of(settings);
      before = now;
    }
    EXPECT_LT(grad.head(moving_block(model).size).norm(), 1e-5) << name_of(settings);
  }
}

TEST(Sweep, WhatAThreadThrowsArrives) {
  Factorization model = made_up_factorization({{"rank", "2"}}, 23, 17);
  Vec x = some_point(model.dim());
  x[x.size() - 1] = 800;  // tau is infinite
  EXPECT_THROW(model.sweep(x, {1, 3}, Rng(5)), Diverged);
}

// Factors a billion times as large as their prior has them: no step of a chain that is right gets there.
TEST(Factorization, PrecisionsThatNoPriorAllowsEndTheRun) {
  for (const Settings& settings : all_kinds()) {
    if (settings.at("hyperprior") == "fixed") continue;
    Factorization model = made_up_factorization(settings);
    Vec x = Vec::Zero(model.dim()), drawn(model.conditionals()[1].block.size);
    for (Index i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 1e2 : -1e2;
    EXPECT_NO_THROW(model.draw_conditional(1, x, drawn, Rng(1))) << name_of(settings);
    x *= 1e7;
    const std::string message = test::error_message<Diverged>([&] { model.draw_conditional(1, x, drawn, Rng(1)); });
    EXPECT_NE(message.find("smaller step_size"), std::string::npos) << message;
    Vec tau(1);
    x *= 1e200;
    EXPECT_THROW(model.draw_conditional(2, x, tau, Rng(1)), Diverged) << name_of(settings);
  }
}

// Batches of a tenth of the ratings: Gibbs steps fall between them, and a cut between those.
TEST(Factorization, ChainsGoOnWhereTheyWereCut) {
  for (const Settings& settings : all_kinds()) {
    const Factorization model = made_up_factorization(settings, 12, 9);
    const SamplerEntry& sampler = find_sampler("sghmc");
    const Config config(sampler.name, sampler.params,
                        {{"learning_rate", "1e-3"},
                         {"momentum_decay", "0.05"},
                         {"noise_variance", "0"},
                         {"batch_size", std::to_string(model.terms() / 10)}});
    ChainSpec spec;
    spec.schedule = {20, 30, 1};
    test::expect_resumes_bit_for_bit([&] { return sampler.make(model.fork(), config, spec); }, 50, {3, 20, 33});
  }
}

}  // namespace
}  // namespace quasar
