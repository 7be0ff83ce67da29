// Time to summarise one parameter (mean, sd, quantiles, MCSE, bulk and tail ESS, R-hat), for chains that mix well,
// badly and hardly ever move. The bar: 1000 parameters of 4 chains x 10 000 draws in 10 s, 10 ms each.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/rng.hpp>

namespace quasar {
namespace {

constexpr Index chains = 4, draws = 10'000, parameters = 1000, distinct = 20;

// An autoregressive chain that repeats each value `held` times, as one that rejects proposals does.
Vec slow_chain(Stream& stream, double correlation, Index held) {
  Vec x(draws), noise(draws);
  stream.normals(noise);
  double value = noise[0];
  for (Index t = 0; t < draws; ++t) {
    if (t % held == 0) value = correlation * value + std::sqrt(1 - correlation * correlation) * noise[t];
    x[t] = value;
  }
  return x;
}

void summarize(benchmark::State& state, double correlation, Index held) {
  std::vector<Mat> given;
  Stream stream = Rng(1).stream("bench");
  for (Index i = 0; i < distinct; ++i) {
    Mat& parameter = given.emplace_back(draws, chains);
    for (auto chain : parameter.colwise()) chain = slow_chain(stream, correlation, held);
  }
  Summarizer summarizer(draws, chains);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(summarizer(given[next++ % distinct]));
  }
}

BENCHMARK_CAPTURE(summarize, mixing_well, 0.3, 1)->Iterations(parameters)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(summarize, mixing_badly, 0.99, 1)->Iterations(parameters)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(summarize, hardly_moving, 0.3, 50)->Iterations(parameters)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quasar
