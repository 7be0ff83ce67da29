// Rows that are not in memory: models give the bits they give in memory, from few and large reads, and allocate
// nothing.
#include "models/regression/stored_rows.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include <quasar/rng.hpp>

#include "support/allocations.hpp"
#include "support/packed.hpp"
#include "support/regression.hpp"

namespace quasar {
namespace {

using test::linear, test::logistic, test::make_table, test::normal, test::packed, test::TempFolder;

using Make = std::unique_ptr<Target> (*)(const Table&, const Settings&);

// The same model on the same rows, in memory and in a file.
struct Pair {
  Pair(std::string what, Make make, const Table& table, const Settings& settings)
      : name(std::move(what)),
        in_memory(make(table, settings)),
        from_file(make(packed(folder.file("t.qpk"), table), settings)) {}

  FiniteSum& memory() const { return dynamic_cast<FiniteSum&>(*in_memory); }
  FiniteSum& file() const { return dynamic_cast<FiniteSum&>(*from_file); }

  std::string name;
  TempFolder folder;
  std::unique_ptr<Target> in_memory, from_file;
};

// Less than a block; blocks that do not come out even; wide rows, which take several runs.
std::vector<std::unique_ptr<Pair>> all_pairs() {
  std::vector<std::unique_ptr<Pair>> all;
  const auto add = [&](std::string name, Make make, const Table& table, const Settings& settings = {}) {
    all.push_back(std::make_unique<Pair>(std::move(name), make, table, settings));
  };
  add("small logistic", logistic, make_table(20, 2, true));
  add("logistic", logistic, make_table(300, 3, true));
  add("wide logistic", logistic, make_table(5000, 40, true));
  add("plain logistic", logistic, make_table(300, 4, true), {{"standardize", "false"}});
  add("logistic without an intercept", logistic, make_table(300, 4, true), {{"intercept", "false"}});
  add("linear", linear, make_table(300, 3, false));
  add("wide linear", linear, make_table(5000, 40, false));
  add("linear in a column between others", linear, make_table(300, 4, false), {{"target", "x2"}});
  add("normal", normal, make_table(300, 1, false));
  add("normal in a column between others", normal, make_table(5000, 40, false), {{"target", "x7"}});
  return all;
}

struct Sum {
  Eval eval;
  Vec grad;
  bool operator==(const Sum& other) const {
    return eval.logp == other.eval.logp && eval.ok == other.eval.ok && grad == other.grad;
  }
};

Vec point(const Target& target) { return Vec::LinSpaced(target.dim(), -0.4, 0.3); }

Sum whole(FiniteSum& model) {
  Sum sum{{}, Vec(model.dim())};
  sum.eval = model.logp_grad(point(model), sum.grad);
  return sum;
}

Sum range(FiniteSum& model, Index begin, Index end) {
  Sum sum{{}, Vec::Zero(model.dim())};
  sum.eval = model.add_range(point(model), begin, end, 1.7, sum.grad, Want::both);
  return sum;
}

Sum terms(FiniteSum& model, std::span<const Index> ids) {
  Sum sum{{}, Vec::Zero(model.dim())};
  sum.eval = model.add_terms(point(model), ids, -0.3, sum.grad, Want::both);
  return sum;
}

// In any order, with repetitions, neighbours and gaps; more than one block of them.
std::vector<std::vector<Index>> batches(Index rows) {
  std::vector<Index> contiguous(static_cast<std::size_t>(rows / 2)), backward(contiguous.size()), random;
  std::iota(contiguous.begin(), contiguous.end(), rows / 3);
  std::iota(backward.rbegin(), backward.rend(), rows / 4);
  Stream stream = Rng(8).stream("ids");
  for (int i = 0; i < 333; ++i) random.push_back(stream.index(rows));
  return {contiguous, backward, random, {rows - 1, 0, rows - 1, 1}, {5}};
}

TEST(StoredRows, ModelsGiveTheBitsTheyGiveInMemory) {
  for (const auto& pair : all_pairs()) {
    SCOPED_TRACE(pair->name);
    FiniteSum &memory = pair->memory(), &file = pair->file();
    const Index rows = memory.terms();
    ASSERT_EQ(file.terms(), rows);
    EXPECT_TRUE(whole(memory).eval.ok);
    EXPECT_EQ(whole(file), whole(memory));
    EXPECT_EQ(range(file, 3, rows), range(memory, 3, rows));
    for (const auto& ids : batches(rows)) EXPECT_EQ(terms(file, ids), terms(memory, ids));
    EXPECT_EQ(range(file, 1, rows - 1), range(memory, 1, rows - 1));  // what batches left in the buffer does no harm
    EXPECT_EQ(whole(file), whole(memory));
  }
}

TEST(StoredRows, ForksReadOnWhenTheFirstIsGone) {
  for (const auto& pair : all_pairs()) {
    const auto fork = pair->from_file->fork();
    pair->from_file.reset();
    EXPECT_EQ(whole(dynamic_cast<FiniteSum&>(*fork)), whole(pair->memory())) << pair->name;
  }
}

TEST(StoredRows, ResultsAreReportedAlike) {
  for (const auto& pair : all_pairs()) {
    const Vec x = point(*pair->in_memory);
    Vec memory(pair->in_memory->layout().size()), file(memory.size());
    pair->in_memory->constrain(x, memory, Rng(1));
    pair->from_file->constrain(x, file, Rng(1));
    EXPECT_EQ(memory, file) << pair->name;
    EXPECT_EQ(pair->in_memory->constant_data().values, pair->from_file->constant_data().values) << pair->name;
  }
}

TEST(StoredRows, TheFisherMetricHasTheBitsItHasInMemory) {
  const Pair pair("logistic", logistic, make_table(5000, 40, true), {});
  const Vec x = point(pair.memory());
  Mat memory, file;
  EXPECT_TRUE(pair.memory().geometry()->metric(x, memory));
  EXPECT_TRUE(pair.file().geometry()->metric(x, file));
  EXPECT_EQ(memory, file);
}

TEST(StoredRows, GradientsAllocateNothing) {
  for (const auto& pair : all_pairs()) {
    FiniteSum& model = pair->file();
    const Vec x = point(model);
    Vec grad(x.size());
    const auto ids = batches(model.terms());
    model.logp_grad(x, grad);
    const long before = test::allocation_count;
    model.logp_grad(x, grad);
    for (const auto& batch : ids) {
      model.prefetch(batch);
      model.add_terms(x, batch, 1, grad, Want::gradient);
    }
    EXPECT_EQ(test::allocation_count - before, 0) << pair->name;
  }
}

// Writes down what it is asked for. A row of row i is i, i + 0.5, ...
struct Recorder final : RowSource {
  struct Request {
    Index begin, count;
    bool operator==(const Request&) const = default;
  };
  using Requests = std::vector<Request>;

  Recorder(Index count, Index width) : all(count), columns(width) {}
  Index rows() const override { return all; }
  void read(Index begin, Index count, double* to) const override {
    reads.push_back({begin, count});
    for (Index row = begin; row < begin + count; ++row) {
      for (Index j = 0; j < columns; ++j) *to++ = static_cast<double>(row) + 0.5 * static_cast<double>(j);
    }
  }
  void announce(Index begin, Index count) const override { announced.push_back({begin, count}); }

  Index all, columns;
  mutable Requests reads, announced;
};
using Requests = Recorder::Requests;

TEST(StoredRows, PickedRowsAreReadInTheOrderOfTheFileAndHandedOutInTheOrderAsked) {
  const auto source = std::make_shared<Recorder>(100'000, 2);  // 256 rows a page
  StoredRows rows(source, 2);
  const std::vector<Index> ids = {9000, 12, 700, 13, 9000, 11, 100};
  const auto values = rows.pick(ids);
  ASSERT_EQ(values.size(), 14u);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    EXPECT_EQ(values[2 * k], static_cast<double>(ids[k]));
    EXPECT_EQ(values[2 * k + 1], static_cast<double>(ids[k]) + 0.5);
  }
  EXPECT_EQ(source->reads, (Requests{{11, 90}, {700, 1}, {9000, 1}}));
  rows.announce(ids);
  EXPECT_EQ(source->announced, source->reads);
}

TEST(StoredRows, NeighboursAreOneRead) {
  const auto source = std::make_shared<Recorder>(1000, 3);
  StoredRows rows(source, 3);
  std::vector<Index> ids(block_rows);
  std::iota(ids.rbegin(), ids.rend(), 500);
  rows.pick(ids);
  EXPECT_EQ(source->reads, (Requests{{500, block_rows}}));
}

TEST(StoredRows, RunsFitTheBuffer) {
  constexpr Index columns = 50'000;  // two rows in a run
  const auto source = std::make_shared<Recorder>(100, columns);
  StoredRows rows(source, columns);
  const Index ids[] = {6, 5, 4, 3, 2};
  EXPECT_EQ(rows.pick(ids)[0], 6);
  EXPECT_EQ(source->reads, (Requests{{2, 2}, {4, 2}, {6, 1}}));
}

TEST(StoredRows, RangesAreReadInRunsOfAMegabyteThatAreAnnouncedBefore) {
  const auto source = std::make_shared<Recorder>(300'000, 2);
  constexpr Index run = 65'536;
  StoredRows rows(source, 2);
  Index next = 10;
  each_block(10, 200'000, [&](Index begin, Index count) {
    rows.take(begin, count, 200'000, [&](std::span<const double> values, Index done) {
      EXPECT_EQ(begin + done, next);
      EXPECT_EQ(values.front(), static_cast<double>(next));
      next += std::ssize(values) / 2;
    });
  });
  EXPECT_EQ(next, 200'000);
  EXPECT_EQ(source->reads, (Requests{{10, run}, {10 + run, run}, {10 + 2 * run, run}, {10 + 3 * run, 3382}}));
  EXPECT_EQ(source->announced, (Requests{{10 + run, run}, {10 + 2 * run, run}, {10 + 3 * run, run}, {200'000, 3382}}));
}

}  // namespace
}  // namespace quasar
