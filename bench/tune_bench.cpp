// Tuning by successive halving against the whole grid: how near the best setting it comes, and what share of the
// gradients it spends. The bars: 1.5 times the best discrepancy, 20 % of the grid.
//
//   tune_bench [table.csv ...]      the linear Gaussian with N = 1000 and D = 2 and 10, and logistic regressions on
//   tables
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>

#include <quasar/registry.hpp>

#include "io/csv.hpp"
#include "samplers/tune.hpp"

namespace quasar {
namespace {

void compare(const std::string& what, const Target& target, const std::string& sampler) {
  const SamplerEntry& entry = find_sampler(sampler);
  for (const std::uint64_t seed : {1, 2, 3}) {
    TuneOptions options;
    options.seed = seed;
    const Tuned halved = tune(target, entry, {}, options);
    options.halve = false;
    const Tuned grid = tune(target, entry, {}, options);
    fmt::print(
        "{:<24} {:<7} seed {}  chosen {:.3g}, {:>4}: KSD {:.3f}  best {:.3g}, {:>4}: KSD {:.3f}  ratio {:.2f} (1.5)  "
        "gradients {:.1f} % (20)\n",
        what, sampler, seed, halved.best.step_size, halved.best.batch_size, halved.best.ksd, grid.best.step_size,
        grid.best.batch_size, grid.best.ksd, halved.best.ksd / grid.best.ksd, 100 * halved.passes / grid.passes);
  }
}

void run(std::span<char*> tables) {
  for (const char* sampler : {"sgld", "sghmc"}) {
    const ModelEntry& linear = find_model("linear-gaussian");
    for (const char* dim : {"2", "10"}) {
      const Config config(linear.name, linear.params, {{"dim", dim}});
      compare(std::string("linear-gaussian D=") + dim, *linear.make(config, nullptr), sampler);
    }
    const ModelEntry& logistic = find_model("logistic");
    for (const char* path : tables) {
      const Table table = read_csv(path);
      const std::string name = std::string(path).substr(std::string(path).find_last_of('/') + 1);
      compare("logistic " + name, *logistic.make(Config(logistic.name, logistic.params, {}), &table), sampler);
    }
  }
}

}  // namespace
}  // namespace quasar

int main(int argc, char** argv) { quasar::run({argv + 1, argv + argc}); }
