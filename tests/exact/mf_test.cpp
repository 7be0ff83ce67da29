// The model mf: its density, its ratings in blocks however they come and whoever loads them, the slopes of blocks,
// predictions, what it refuses. No statistics.
#include "models/factorization/mf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/factorization/block_slopes.hpp"
#include "models/factorization/factorization_predictor.hpp"
#include "models/factorization/load_blocks.hpp"
#include "support/error_message.hpp"
#include "support/factorizations.hpp"
#include "support/instruction_sets.hpp"
#include "support/thread_exchange.hpp"

namespace quasar {
namespace {

using test::error_message;
using test::made_up_ratings;
using test::run_ranks;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Config config_of(const Settings& settings) { return {"mf", mf_params(), settings}; }

std::unique_ptr<BlockedMf> mf(const Table& table, const Settings& settings) {
  std::unique_ptr<Target> target = make_mf(config_of(settings), &table);
  return std::unique_ptr<BlockedMf>(dynamic_cast<BlockedMf*>(target.release()));
}

std::shared_ptr<const RatingBlocks> blocks_of(const Table& table, const Settings& settings) {
  OneProcess alone;
  return mf(table, settings)->load_blocks(alone);
}

Vec some_point(Index dim) {
  Vec x(dim);
  Rng(3).stream("point").normals(x);
  return 0.7 * x;
}

Table ratings_table(std::vector<std::array<double, 3>> rows) {
  Table table{"ratings.csv", {"user", "item", "rating"}, Mat(std::ssize(rows), 3), {}};
  for (Index i = 0; i < table.rows(); ++i) table.values.row(i) << rows[at(i)][0], rows[at(i)][1], rows[at(i)][2];
  return table;
}

// Rows of memory that count who reads them.
class CountedRows final : public RowSource {
 public:
  explicit CountedRows(std::vector<double> values) : values_(std::move(values)) {}
  Index rows() const override { return std::ssize(values_) / 3; }
  void read(Index begin, Index count, double* to) const override {
    std::copy_n(values_.begin() + 3 * begin, 3 * count, to);
    rows_read += count;
  }
  void announce(Index, Index) const override {}
  mutable std::atomic<Index> rows_read = 0;

 private:
  std::vector<double> values_;
};

// As a packed file holds them.
Table stored(const Table& table) {
  const SortedRatings sorted = sorted_ratings(table, config_of({{"duplicates", "keep"}}));
  std::vector<double> values(at(3 * sorted.size()));
  sorted.rows->read(0, sorted.size(), values.data());
  Table result{table.source, table.names, {}, {}};
  result.stored = std::make_shared<CountedRows>(std::move(values));
  result.levels = {sorted.users, sorted.items, {}};
  result.summaries = column_summaries(result);
  dynamic_cast<const CountedRows&>(*result.stored).rows_read = 0;
  return result;
}

const CountedRows& source_of(const Table& table) { return dynamic_cast<const CountedRows&>(*table.stored); }

Table permuted(const Table& table) {
  Table result = table;
  result.values = table.values.colwise().reverse();
  return result;
}

void expect_equal(const BlockedSide& a, const BlockedSide& b) {
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.at, b.at);
}

void expect_equal(const RatingBlock& a, const RatingBlock& b) {
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.item, b.item);
  EXPECT_EQ(a.value, b.value);  // bit for bit
}

// The share of `part`, among all of `whole`.
void expect_part(const RatingBlocks& part, const RatingBlocks& whole) {
  expect_equal(part.users, whole.users);
  expect_equal(part.items, whole.items);
  EXPECT_EQ(part.counts, whole.counts);
  EXPECT_EQ(part.largest, whole.largest);
  ASSERT_EQ(std::ssize(part.own), part.share.size() * whole.blocks());
  for (Index b = part.share.begin; b < part.share.end; ++b) {
    for (Index c = 0; c < whole.blocks(); ++c) expect_equal(part.block(b, c), whole.block(b, c));
  }
}

// Numbers of an independent implementation: W (2 x 2), H (2 x 3), all standard deviations 1.
TEST(Mf, MicroOracle) {
  const Table table = ratings_table({{1, 1, -1}, {0, 0, 1}, {1, 2, 3}, {0, 1, 2}});
  const auto model = mf(table, {{"rank", "2"}, {"center", "false"}});
  Vec x(10), grad(10), expected(10);
  x << 1, .5, .2, -1, .3, 2, 1, 0, -.5, 1;
  expected << .09, 1.1, 3.45, -5.1, .6, 2.15, .24, -1.7, -1.32, 5.1;
  ASSERT_EQ(model->dim(), 10);
  EXPECT_NEAR(model->logp_grad(x, grad).logp, -13.985, 1e-12);
  EXPECT_LT((grad + expected).norm(), 1e-12);
}

TEST(Mf, DensityByItsFormula) {
  const Table table = made_up_ratings(5, 4);
  const auto model = mf(table, {{"rank", "3"}, {"noise_sd", "0.7"}, {"user_sd", "0.5"}, {"item_sd", "2"}});
  const double mean = table.values.col(2).mean();
  const auto logp = [&](const Vec& x) {
    const Eigen::Map<const Mat> w(x.data(), 3, 5), h(x.data() + 15, 3, 4);
    double u = w.squaredNorm() / (2 * 0.25) + h.squaredNorm() / (2 * 4);
    for (Index r = 0; r < table.rows(); ++r) {
      const auto user = static_cast<Index>(table.values(r, 0)), item = static_cast<Index>(table.values(r, 1));
      u += std::pow(table.values(r, 2) - mean - w.col(user).dot(h.col(item)), 2) / (2 * 0.49);
    }
    return -u;
  };
  const Vec x = some_point(27), y = 0.3 * x;
  Vec grad(27);
  EXPECT_NEAR(model->logp_grad(x, grad).logp - model->logp_grad(y, grad).logp, logp(x) - logp(y), 1e-10);
  const GradientCheck check = check_gradient(*model, x);
  EXPECT_TRUE(check.ok) << check.message;
}

TEST(Mf, RecordsRowsAsTheyAre) {
  const auto model = mf(made_up_ratings(5, 4), {{"rank", "2"}, {"start_sd", "0.5"}});
  const Layout layout = model->layout();
  ASSERT_EQ(layout.variables.size(), 2u);
  EXPECT_EQ(layout.variables[0].name, "user_factors");
  EXPECT_EQ(layout.variables[1].shape, (std::vector<Index>{4, 2}));
  EXPECT_EQ(layout.coords.at("user").size(), 5u);
  Vec x(18), values(18), normals(18);
  model->draw_start(x, Rng(4));
  Rng(4).stream("start").normals(normals);
  EXPECT_EQ(x, 0.5 * normals);
  model->constrain(x, values, Rng(1));
  EXPECT_EQ(values, x);
}

TEST(Mf, EveryRatingIsInOneBlock) {
  const Table table = made_up_ratings(23, 17);
  const double mean = sorted_ratings(table, config_of({})).mean;
  std::multiset<std::tuple<Index, Index, double>> expected, found;
  for (const auto& row : table.values.rowwise()) {
    expected.emplace(static_cast<Index>(row[0]), static_cast<Index>(row[1]), row[2] - mean);
  }
  for (const Index count : {1, 2, 3, 4, 7, 17}) {
    found.clear();
    const auto blocks = blocks_of(table, {{"blocks", std::to_string(count)}});
    for (Index b = 0; b < count; ++b) {
      for (Index c = 0; c < count; ++c) {
        const RatingBlock& block = blocks->block(b, c);
        ASSERT_EQ(std::ssize(block.begin), blocks->users.rows(b) + 1);
        EXPECT_EQ(std::ssize(block.value), blocks->count(b, c));
        for (Index u = 0; u < blocks->users.rows(b); ++u) {
          for (std::size_t r = block.begin[at(u)]; r < block.begin[at(u + 1)]; ++r) {
            ASSERT_LT(block.item[r], blocks->items.rows(c));
            found.emplace(blocks->users.at[at(blocks->users.begin[at(b)] + u)],
                          blocks->items.at[at(blocks->items.begin[at(c)] + block.item[r])], block.value[r]);
          }
        }
      }
    }
    EXPECT_EQ(found, expected) << count << " blocks";
  }
}

Vec counts_of(const Table& table, Index column, Index rows) {
  Vec counts = Vec::Zero(rows);
  for (const double number : table.values.col(column)) ++counts[static_cast<Index>(number)];
  return counts;
}

// A cut misses its rating by less than one row has.
TEST(Mf, BlocksHaveAboutAsManyRatings) {
  const Table table = made_up_ratings(60, 40);
  const auto blocks = blocks_of(table, {{"blocks", "5"}});
  const auto total = static_cast<double>(table.rows());
  for (const bool users : {true, false}) {
    const BlockedSide& side = users ? blocks->users : blocks->items;
    const Vec counts = counts_of(table, users ? 0 : 1, users ? 60 : 40);
    EXPECT_EQ(blocks->largest[users ? 0 : 1], static_cast<std::int64_t>(counts.maxCoeff()));
    for (Index k = 0; k <= 5; ++k) {
      double before = 0;
      for (Index place = 0; place < side.begin[at(k)]; ++place) before += counts[side.at[at(place)]];
      EXPECT_LE(before, static_cast<double>(k) * total / 5);
      EXPECT_GT(before + counts.maxCoeff(), static_cast<double>(k) * total / 5);
    }
  }
}

// One user has nearly all ratings: the other blocks have a user all the same, and most have no ratings.
TEST(Mf, EveryBlockHasARow) {
  std::vector<std::array<double, 3>> rows;
  for (int i = 0; i < 40; ++i) rows.push_back({0, static_cast<double>(i), 1.0 * i});
  for (int u = 1; u < 6; ++u) rows.push_back({static_cast<double>(u), 0, 1});
  const auto blocks = blocks_of(ratings_table(rows), {{"blocks", "6"}});
  for (Index b = 0; b < 6; ++b) EXPECT_EQ(blocks->users.rows(b), 1);
  EXPECT_EQ(std::accumulate(blocks->counts.begin(), blocks->counts.end(), std::int64_t{0}), 45);
  EXPECT_EQ(blocks->largest, (std::vector<std::int64_t>{40, 6}));
}

// Part p is drawn with probability n_p / N and weighs N / n_p: on average, the slopes of all ratings.
TEST(Mf, PartsAreUnbiasedAndDisjoint) {
  const Table table = made_up_ratings(23, 17);
  constexpr Index count = 4, rank = 3;
  const auto model = mf(table, {{"rank", "3"}, {"noise_sd", "0.7"}});
  OneProcess alone;
  const auto blocks = model->load_blocks(alone);
  const Vec x = some_point(model->dim());
  const auto in_places = [&](const BlockedSide& side, Index begin) {  // rows of x in the order of places
    Mat rows(rank, std::ssize(side.at));
    for (Index p = 0; p < rows.cols(); ++p) rows.col(p) = x.segment((begin + side.at[at(p)]) * rank, rank);
    return rows;
  };
  const Mat w = in_places(blocks->users, 0), h = in_places(blocks->items, 23);
  Mat gw = Mat::Zero(rank, 23), gh = Mat::Zero(rank, 17);
  const auto all = static_cast<double>(table.rows());
  std::int64_t ratings = 0;
  for (Index p = 0; p < count; ++p) {
    Mat part_w = Mat::Zero(rank, 23), part_h = Mat::Zero(rank, 17);
    std::int64_t of_part = 0;
    std::set<Index> item_blocks;
    for (Index b = 0; b < count; ++b) {
      const Index c = (b + p) % count, user = blocks->users.begin[at(b)], item = blocks->items.begin[at(c)];
      item_blocks.insert(c);
      of_part += blocks->count(b, c);
      add_block_slopes(blocks->block(b, c), rank, w.col(user).data(), h.col(item).data(), 1 / 0.49,
                       part_w.col(user).data(), part_h.col(item).data());
    }
    EXPECT_EQ(std::ssize(item_blocks), count);
    const double probability = static_cast<double>(of_part) / all, weight = all / static_cast<double>(of_part);
    gw += probability * weight * part_w;
    gh += probability * weight * part_h;
    ratings += of_part;
  }
  EXPECT_EQ(ratings, table.rows());
  Vec grad = Vec::Zero(x.size());
  model->add_range(x, 0, model->terms(), 1, grad, Want::gradient);
  for (Index p = 0; p < 23; ++p) {
    EXPECT_LT((gw.col(p) - grad.segment(blocks->users.at[at(p)] * rank, rank)).norm(), 1e-12);
  }
  for (Index p = 0; p < 17; ++p) {
    EXPECT_LT((gh.col(p) - grad.segment((23 + blocks->items.at[at(p)]) * rank, rank)).norm(), 1e-12);
  }
}

TEST(Mf, RanksLoadWhatOneProcessLoads) {
  const Table table = stored(made_up_ratings(23, 17));
  for (const char* count : {"4", "5"}) {
    const auto whole = blocks_of(table, {{"blocks", count}});
    for (const int ranks : {1, 2, 3, 4}) {
      const auto model = mf(table, {{"blocks", count}});
      run_ranks(ranks, [&](Exchange& exchange) {
        const auto blocks = model->load_blocks(exchange);
        expect_part(*blocks, *whole);
        EXPECT_EQ(model->load_blocks(exchange), blocks);  // of another chain: the same, not a copy
      });
    }
  }
}

// A packed file is read where a rank's users are: three times, beside what it takes to find them.
TEST(Mf, RanksReadTheirShare) {
  const Table table = stored(made_up_ratings(400, 100));
  const auto model = mf(table, {{"blocks", "4"}});
  (void)model->dim(), (void)model->layout(), (void)model->constant_data(), (void)model->terms();
  Vec x(model->dim());
  model->draw_start(x, Rng(1));
  EXPECT_EQ(source_of(table).rows_read, 0);
  run_ranks(4, [&](Exchange& exchange) { (void)model->load_blocks(exchange); });
  const Index to_find = 4 * (3 + 2 * 16);  // of each rank: the cuts, and the first rating of two blocks
  EXPECT_LE(source_of(table).rows_read, 3 * table.rows() + to_find);
}

TEST(Mf, NeitherFormatNorOrderMatters) {
  Table table = made_up_ratings(23, 17);
  for (const bool twice : {false, true}) {
    if (twice) table.values.topLeftCorner(40, 2) = table.values.block(80, 0, 40, 2).eval();
    const Settings settings{{"rank", "3"}, {"duplicates", twice ? "keep" : "error"}};
    const auto whole = blocks_of(table, settings);
    const auto first = mf(table, settings);
    const Vec x = some_point(first->dim());
    Vec grad(x.size()), other(x.size());
    const double logp = first->logp_grad(x, grad).logp;
    for (const Table& same : {permuted(table), stored(table), stored(permuted(table))}) {
      expect_part(*blocks_of(same, settings), *whole);
      EXPECT_EQ(mf(same, settings)->logp_grad(x, other).logp, logp);
      EXPECT_EQ(other, grad);
      const ConstantData kept = mf(same, settings)->constant_data();
      EXPECT_EQ(kept.layout.coords, first->constant_data().layout.coords);
      EXPECT_EQ(kept.values.tail(2), first->constant_data().values.tail(2));
      EXPECT_TRUE(kept.values.allFinite());  // run files hold no other numbers
    }
  }
}

struct SlopesOfBlock {
  Vec gw, gh;
  double squares;
};

struct BlockCase {
  explicit BlockCase(Index of_rank) : rank(of_rank), w(7 * rank), h(5 * rank) {
    Rng(1).stream("w").normals(w), Rng(1).stream("h").normals(h);
    for (std::uint32_t user = 0; user < 7; ++user) {
      for (std::uint32_t item = 0; item < 5; ++item) {
        if ((user + item) % 3 == 0 || user == 2) continue;  // the third has no ratings
        block.item.push_back(item);
        block.value.push_back(std::sin(1.0 + 7 * user + item));
      }
      block.begin.push_back(static_cast<std::uint32_t>(block.item.size()));
    }
  }
  SlopesOfBlock slopes() const {
    SlopesOfBlock result{Vec::Constant(w.size(), 0.25), Vec::Constant(h.size(), -0.5), 0};
    result.squares = add_block_slopes(block, rank, w.data(), h.data(), 1.7, result.gw.data(), result.gh.data());
    return result;
  }
  SlopesOfBlock plain() const {
    SlopesOfBlock result{Vec::Constant(w.size(), 0.25), Vec::Constant(h.size(), -0.5), 0};
    for (Index user = 0; user < 7; ++user) {
      for (std::size_t r = block.begin[at(user)]; r < block.begin[at(user + 1)]; ++r) {
        const auto u = w.segment(user * rank, rank), v = h.segment(Index{block.item[r]} * rank, rank);
        const double error = block.value[r] - u.dot(v);
        result.gw.segment(user * rank, rank) += 1.7 * error * v;
        result.gh.segment(Index{block.item[r]} * rank, rank) += 1.7 * error * u;
        result.squares += error * error;
      }
    }
    return result;
  }

  Index rank;
  Vec w, h;
  RatingBlock block{{0}, {}, {}};
};

TEST(BlockSlopes, OfEveryRank) {
  for (Index rank = 1; rank <= 33; ++rank) {
    const BlockCase one(rank);
    const SlopesOfBlock found = one.slopes(), expected = one.plain();
    EXPECT_LT((found.gw - expected.gw).norm(), 1e-13 * expected.gw.norm()) << rank;
    EXPECT_LT((found.gh - expected.gh).norm(), 1e-13 * expected.gh.norm()) << rank;
    EXPECT_NEAR(found.squares, expected.squares, 1e-13 * expected.squares) << rank;
  }
}

TEST(BlockSlopes, OfNoRatings) {
  const RatingBlock empty{{0, 0, 0}, {}, {}};
  Vec w = Vec::Ones(2), h = w, gw = w, gh = w;
  EXPECT_EQ(add_block_slopes(empty, 1, w.data(), h.data(), 1, gw.data(), gh.data()), 0);
  EXPECT_EQ(gw, w);
  EXPECT_EQ(gh, w);
}

TEST(BlockSlopes, SameBitsOnEveryInstructionSet) {
  for (const Index rank : {1, 3, 4, 10, 23, 33}) {
    const BlockCase one(rank);
    const SlopesOfBlock expected = one.slopes();
    test::with_each_instruction_set([&] {
      const SlopesOfBlock found = one.slopes();
      EXPECT_EQ(found.gw, expected.gw) << rank;
      EXPECT_EQ(found.gh, expected.gh) << rank;
      EXPECT_EQ(found.squares, expected.squares) << rank;
    });
  }
}

// A newcomer's row is user_sd or item_sd times standard normals.
TEST(Mf, Predictions) {
  const Table table = made_up_ratings(5, 4);
  const Table pairs = ratings_table({{3, 2, 1}, {99, 2, 1}, {3, 99, 1}});
  const auto predicted = [&](const Settings& settings) {
    const auto model = mf(table, settings);
    const Config config = config_of(settings);
    const auto predictor = make_bpmf_predictor(config, model->constant_data(), pairs);
    const Vec x = some_point(model->dim());
    predictor->take({x.data(), at(x.size())}, Rng(2));
    Mat out(3, 2);
    predictor->predict(0, out);
    return out;
  };
  const double mean = sorted_ratings(table, config_of({})).mean;
  const Mat unit = predicted({{"rank", "3"}, {"noise_sd", "0.7"}});
  const Vec x = some_point(27);
  EXPECT_NEAR(unit(0, 0), mean + x.segment(9, 3).dot(x.segment(21, 3)), 1e-12);
  EXPECT_NEAR(unit(0, 1), 0.7, 1e-15);
  const Mat wide = predicted({{"rank", "3"}, {"user_sd", "2"}, {"item_sd", "4"}});
  EXPECT_NEAR(wide(0, 0), unit(0, 0), 1e-12);
  EXPECT_NEAR(wide(1, 0) - mean, 2 * (unit(1, 0) - mean), 1e-12);
  EXPECT_NEAR(wide(2, 0) - mean, 4 * (unit(2, 0) - mean), 1e-12);
  EXPECT_NEAR(predicted({{"rank", "3"}, {"center", "false"}})(0, 0), unit(0, 0) - mean, 1e-12);
}

TEST(Mf, RefusesWhatCannotBe) {
  const Table table = made_up_ratings(6, 5);
  EXPECT_EQ(error_message<UsageError>([&] {
              blocks_of(table, {{"blocks", "6"}});
            }),
            "5 items cannot be cut into 6 blocks: set model.blocks=5 at most");
  EXPECT_EQ(error_message<UsageError>([&] {
              blocks_of(table, {{"blocks", "7"}});
            }),
            "6 users cannot be cut into 7 blocks: set model.blocks=5 at most");
  const auto model = mf(table, {{"blocks", "2"}});
  EXPECT_EQ(error_message<UsageError>([&] { run_ranks(3, [&](Exchange& e) { (void)model->load_blocks(e); }); }),
            "3 ranks for 2 blocks: a rank has a block of users at least; start 2 ranks at most, or set model.blocks=3");
  EXPECT_NE(error_message<DataError>([&] {
              mf(ratings_table({{0, 0, 1e200}, {1, 1, 0}}), {});
            }).find("too large"),
            std::string::npos);
}

TEST(Mf, RefusesStoredRowsThatAreNotRatings) {
  Table table = stored(made_up_ratings(6, 5));
  const auto with_rows = [&](const std::function<void(std::vector<double>&)>& change) {
    std::vector<double> values(at(3 * table.rows()));
    table.stored->read(0, table.rows(), values.data());
    change(values);
    Table changed = table;
    changed.stored = std::make_shared<CountedRows>(values);
    return changed;
  };
  const auto load = [](const Table& one) {
    return error_message<DataError>([&] { blocks_of(one, {{"blocks", "2"}}); });
  };
  EXPECT_EQ(load(with_rows([](auto& v) { v[1] = 5; })).substr(0, 38), "ratings.csv: rating 1 is damaged: user");
  EXPECT_NE(load(with_rows([](auto& v) { v[2] = NAN; })).find("damaged"), std::string::npos);
  EXPECT_NE(
      load(with_rows([](auto& v) { std::swap_ranges(v.begin(), v.begin() + 3, v.begin() + 3); })).find("not sorted"),
      std::string::npos);
  const Table twice = with_rows([](auto& v) { std::copy_n(v.begin(), 3, v.begin() + 3); });
  EXPECT_NE(load(twice).find("' twice: set model.duplicates=keep"), std::string::npos);
  EXPECT_NE(error_message<DataError>([&] {
              Vec x = some_point(mf(twice, {})->dim()), grad(x.size());
              mf(twice, {})->logp_grad(x, grad);
            }).find("twice"),
            std::string::npos);
  EXPECT_EQ(error_message<UsageError>([&] {
              mf(table, {{"user", "item"}, {"item", "user"}});
            }),
            "ratings.csv: the users are in the column 'user', the items in 'item', the ratings in 'rating': leave "
            "model.user, model.item and model.rating out");
  Table numbers = table;
  numbers.levels = {};
  EXPECT_NE(error_message<DataError>([&] { mf(numbers, {}); }).find("does not hold ratings"), std::string::npos);
}

}  // namespace
}  // namespace quasar
