// Gradients of the logistic model on a packed table against those on the same rows in memory: whole sums, and batches
// of 256 random rows. The file is in the system's cache: this is what reading costs beside a disk's own time.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <quasar/rng.hpp>
#include <quasar/table.hpp>

#include "io/packed_table.hpp"
#include "io/packed_writer.hpp"
#include "models/regression/logistic.hpp"

namespace {

using namespace quasar;

Table table_in_memory(Index rows, Index predictors) {
  Table table{"memory", {}, Mat(rows, predictors + 1), {}};
  Stream stream = Rng(1).stream("table");
  for (Index j = 0; j <= predictors; ++j) {
    table.names.emplace_back("x").append(std::to_string(j));
    stream.normals(table.values.col(j));
  }
  table.values.col(predictors) = (table.values.col(predictors).array() > 0).cast<double>();
  return table;
}

Table packed(const Table& table) {
  const auto file = std::filesystem::temp_directory_path() / "quasar-packed-bench.qpk";
  PackedWriter writer(file, table.names);
  Vec row(table.columns());
  for (Index i = 0; i < table.rows(); ++i) {
    row = table.values.row(i);
    writer.add({row.data(), static_cast<std::size_t>(row.size())});
  }
  writer.finish("");
  Table opened = open_packed_table(file);
  std::filesystem::remove(file);  // it stays readable while it is open
  return opened;
}

std::unique_ptr<Target> model(const benchmark::State& state) {
  const Table table = table_in_memory(state.range(0), state.range(1));
  const Table used = state.range(2) != 0 ? packed(table) : table;
  return make_logistic(Config("logistic", regression_params, {}), &used);
}

void whole_sum(benchmark::State& state) {
  const auto target = model(state);
  const Vec x = Vec::Constant(target->dim(), 0.1);
  Vec grad(x.size());
  for (auto _ : state) benchmark::DoNotOptimize(target->logp_grad(x, grad));
}

void random_batch(benchmark::State& state) {
  const auto target = model(state);
  auto& sum = dynamic_cast<FiniteSum&>(*target);
  const Vec x = Vec::Constant(sum.dim(), 0.1);
  Vec grad = Vec::Zero(x.size());
  Stream stream = Rng(1).stream("ids");
  std::vector<Index> ids(256);
  for (auto _ : state) {
    for (Index& id : ids) id = stream.index(sum.terms());
    benchmark::DoNotOptimize(sum.add_terms(x, ids, 1, grad, Want::gradient));
  }
}

void tables(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "predictors", "packed"})->Unit(benchmark::kMicrosecond);
  for (const long is_packed : {0, 1}) {
    bench->Args({200'000, 13, is_packed});
    bench->Args({100'000, 100, is_packed});
  }
}

BENCHMARK(whole_sum)->Apply(tables);
BENCHMARK(random_batch)->Apply(tables);

}  // namespace
