// Normals per second on one core: Stream::normals by instruction set, against the standard library filling the same
// array.
#include <benchmark/benchmark.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

namespace {

constexpr quasar::Index block = 4096;
const std::string standard_name = "std::normal_distribution";

void standard_normals(benchmark::State& state) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  quasar::Vec out(block);
  for (auto _ : state) {
    for (double& z : out) z = normal(engine);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * block);
}

void quasar_normals(benchmark::State& state, std::int64_t target) {
  hwy::DisableTargets(~target);
  quasar::Stream stream = quasar::Rng(1).stream("bench");
  quasar::Vec out(block);
  for (auto _ : state) {
    stream.seek(0);
    stream.normals(out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * block);
  hwy::DisableTargets(0);
}

// The usual table, and a note of each rate.
class RateReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("items_per_second");
      if (rate != run.counters.end()) rates_[run.run_name.function_name] = rate->second;
    }
  }
  void print_ratios() const {
    const auto standard = rates_.find(standard_name);
    if (standard == rates_.end()) return;
    for (const auto& [name, rate] : rates_)
      std::printf("%-32s %6.2f x %s\n", name.c_str(), rate / standard->second, standard_name.c_str());
  }

 private:
  std::map<std::string, double> rates_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark(standard_name.c_str(), standard_normals);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = std::string("Stream::normals ") + hwy::TargetName(target);
    benchmark::RegisterBenchmark(name.c_str(), quasar_normals, target);
  }
  RateReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_ratios();
}
