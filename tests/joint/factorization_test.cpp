// The Gibbs sampler of bpmf, by exact starts: means, precisions, rows and noise from the prior, ratings from them, then
// a few sweeps and draws of the conditionals given these ratings. Rows and hyperparameters must still have the law of
// the prior (Geweke 2004, with independent restarts). Another sample of the prior is what they are compared with.
#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/factorizations.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr Index users = 4, items = 3, rank = 2;
constexpr int replicates = 8000, rounds = 2;
constexpr int assertions = 130;  // upper bound: the statistics of all kinds below, and the moments of Wishart draws
const double alpha = test::per_assertion(test::family_alpha, assertions);
constexpr double shape = 2, rate = 1.5, strength = 2.5;  // of the precisions of rows
constexpr double noise_shape = 3, noise_rate = 0.8;

struct Kind {
  std::string hyperprior;
  bool biases;
  Index width() const { return rank + (biases ? 1 : 0); }
  Config config() const {
    return test::bpmf_config({{"rank", "2"},
                              {"hyperprior", hyperprior},
                              {"biases", biases ? "true" : "false"},
                              {"shape", number(shape)},
                              {"rate", number(rate)},
                              {"strength", number(strength)},
                              {"noise_shape", number(noise_shape)},
                              {"noise_rate", number(noise_rate)}});
  }
  static std::string number(double value) { return std::to_string(value); }
};

double draw_precision(Stream& stream) { return stream.gamma(shape) / rate; }

// Means and precision as the definitions say: a Wishart matrix is a sum of w squares.
RowLaw draw_law(const Kind& kind, Stream& stream) {
  const Index w = kind.width();
  RowLaw law{Vec::Zero(w), Mat::Zero(w, w)};
  if (kind.hyperprior == "scalar") {
    law.precision.diagonal().setConstant(draw_precision(stream));
    if (kind.biases) law.precision(rank, rank) = draw_precision(stream);
    return law;
  }
  if (kind.hyperprior == "diagonal") {
    for (Index k = 0; k < w; ++k) law.precision(k, k) = draw_precision(stream);
  } else {
    Mat z(w, w);
    stream.normals(z.reshaped());
    law.precision = z * z.transpose();
  }
  Vec z(w);
  stream.normals(z);
  law.mean = Eigen::LLT<Mat>(strength * law.precision).matrixU().solve(z);
  return law;
}

Vec coordinates_of(const Kind& kind, const RowLaw& law) {
  const Index w = kind.width();
  if (kind.hyperprior == "scalar") {
    Vec h(kind.biases ? 2 : 1);
    h[0] = std::log(law.precision(0, 0));
    if (kind.biases) h[1] = std::log(law.precision(rank, rank));
    return h;
  }
  Vec h(kind.hyperprior == "diagonal" ? 2 * w : w + w * (w + 1) / 2);
  h.head(w) = law.mean;
  if (kind.hyperprior == "diagonal") {
    h.tail(w) = law.precision.diagonal().array().log();
    return h;
  }
  const Mat root = Eigen::LLT<Mat>(law.precision).matrixL();
  for (Index j = 0, k = w; j < w; ++j) {
    for (Index i = j; i < w; ++i) h[k++] = i == j ? std::log(root(i, j)) : root(i, j);
  }
  return h;
}

Vec draw_prior(const Kind& kind, const Factorization& model, Stream& stream) {
  const Index w = kind.width();
  Vec x(model.dim());
  Index at = 0, hyper = (users + items) * w;
  for (const Index rows : {users, items}) {
    const RowLaw law = draw_law(kind, stream);
    const Eigen::LLT<Mat> llt(law.precision);
    for (Index row = 0; row < rows; ++row, at += w) {
      Vec z(w);
      stream.normals(z);
      x.segment(at, w) = law.mean + llt.matrixU().solve(z);
    }
    const Vec h = coordinates_of(kind, law);
    x.segment(hyper, h.size()) = h;
    hyper += h.size();
  }
  x[hyper] = std::log(stream.gamma(noise_shape) / noise_rate);
  return x;
}

void draw_ratings(const Kind& kind, const Vec& x, Ratings& ratings, Stream& stream) {
  const Index w = kind.width();
  for (Rating& one : ratings.all) {
    const auto u = x.segment(one.user * w, w), v = x.segment((users + one.item) * w, w);
    const double mean = u.head(rank).dot(v.head(rank)) + (kind.biases ? u[rank] + v[rank] : 0);
    one.value = mean + std::exp(-x[x.size() - 1] / 2) * stream.normal();
  }
  sort_by_rows(ratings);
}

// All coordinates of hyperparameters, a row of each side, and what the sign of factors does not change.
Vec statistics(const Kind& kind, const Vec& x) {
  const Index w = kind.width(), rows = (users + items) * w, tail = x.size() - rows;
  Vec result(tail + 2 * w + 2);
  result.head(tail) = x.tail(tail);
  result.segment(tail, w) = x.head(w);
  result.segment(tail + w, w) = x.segment(users * w, w);
  result[tail + 2 * w] = x.head(rank).dot(x.segment(users * w, rank));
  result[tail + 2 * w + 1] = x.head(users * w).squaredNorm();
  return result;
}

void expect_unchanged(const Kind& kind) {
  const Config config = kind.config();
  auto ratings = std::make_shared<Ratings>(*make_ratings(test::made_up_ratings(users, items), config));
  const Factorization model = test::factorization(ratings, config);
  std::vector<std::vector<double>> after, prior;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(23).child("replicate", static_cast<std::uint64_t>(r));
    Stream stream = rng.stream("prior"), other = rng.stream("another");
    Vec x = draw_prior(kind, model, stream);
    auto drawn = std::make_shared<Ratings>(*ratings);
    draw_ratings(kind, x, *drawn, stream);
    Factorization posterior = test::factorization(drawn, config);
    for (int round = 0; round < rounds; ++round) {
      const Rng now = rng.child("round", static_cast<std::uint64_t>(round));
      posterior.sweep(x, {}, now);
      for (Index i = 0; i < std::ssize(posterior.conditionals()); ++i) {
        const Block block = posterior.conditionals()[static_cast<std::size_t>(i)].block;
        Vec out(block.size);
        posterior.draw_conditional(i, x, out, now.child("conditional", static_cast<std::uint64_t>(i)));
        x.segment(block.begin, block.size) = out;
      }
    }
    const Vec here = statistics(kind, x), there = statistics(kind, draw_prior(kind, model, other));
    after.resize(static_cast<std::size_t>(here.size())), prior.resize(after.size());
    for (std::size_t k = 0; k < after.size(); ++k) {
      after[k].push_back(here[static_cast<Index>(k)]);
      prior[k].push_back(there[static_cast<Index>(k)]);
    }
  }
  for (std::size_t k = 0; k < after.size(); ++k) {
    std::ranges::sort(after[k]), std::ranges::sort(prior[k]);
    EXPECT_GT(test::ks_two_sample_p_value(after[k], prior[k]), alpha)
        << kind.hyperprior << (kind.biases ? " with biases" : "") << ", statistic " << k;
  }
}

TEST(GibbsSampler, LeavesScalarPrecisionsAndRowsUnchanged) {
  expect_unchanged({"scalar", true});
  expect_unchanged({"scalar", false});
}

TEST(GibbsSampler, LeavesMeansAndPrecisionsUnchanged) {
  expect_unchanged({"diagonal", true});
  expect_unchanged({"diagonal", false});
}

TEST(GibbsSampler, LeavesMeansAndWishartMatricesUnchanged) {
  expect_unchanged({"wishart", true});
  expect_unchanged({"wishart", false});
}

// Of Wishart(W, n): E Lambda = n W, Var Lambda_ij = n (W_ij^2 + W_ii W_jj). The rows are fixed here.
TEST(WishartDraws, HaveTheMomentsOfTheirLaw) {
  constexpr Index w = 3, n = 5;
  constexpr int draws = 100'000;
  const Kind kind{"wishart", true};
  const auto prior = make_row_prior(kind.config(), w);
  Mat rows(w, n);
  Rng(3).stream("rows").normals(rows.reshaped());
  const Vec mean = rows.rowwise().mean();
  const Mat d = rows.colwise() - mean;
  const double count = n;
  const Mat inverse =
      Mat::Identity(w, w) + d * d.transpose() + strength * count / (strength + count) * mean * mean.transpose();
  const Mat scale = Eigen::LLT<Mat>(inverse).solve(Mat::Identity(w, w));
  const double degrees = w + count;

  Stream stream = Rng(4).stream("draws");
  Vec h(prior->size());
  Mat sum = Mat::Zero(w, w);
  Eigen::Array<double, w, w> squares = sum;
  for (int i = 0; i < draws; ++i) {
    prior->draw(rows, h, h, stream);
    const Mat deviation = prior->law(h).precision - degrees * scale;
    sum += deviation;
    squares += deviation.array().square();
  }
  for (Index i = 0; i < w; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double variance = degrees * (scale(i, j) * scale(i, j) + scale(i, i) * scale(j, j));
      EXPECT_LT(std::abs(sum(i, j)) / std::sqrt(draws * variance), test::z_threshold(alpha)) << i << " " << j;
      // The kurtosis of Lambda_ii, a chi^2 of `degrees`, is 3 + 12/degrees; off the diagonal it is less.
      const double error = variance * std::sqrt((2 + 12 / degrees) / draws);
      EXPECT_LT(std::abs(squares(i, j) / draws - variance) / error, test::z_threshold(alpha)) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace quasar
