// What it costs to keep every draw on disk: one chain of 100 parameters at about 10 000 draws a second, sampled into
// memory and into records with checkpoints, in turns. The bar: 5 % for the records. Making the run file at the end is
// measured too, but is no part of it: it happens once.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "io/durable_run.hpp"
#include "io/record_file.hpp"

namespace quasar {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t draws = 20'000;
constexpr Index values = 100, other_numbers = 11;  // of a record: its place, and the statistics of hmc

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

struct Trial {
  std::unique_ptr<Target> target;
  const SamplerEntry& sampler = find_sampler("hmc");
  Config parameters;
  SampleOptions options{.chains = 1, .schedule = {0, draws, 1}, .threads = 1};

  explicit Trial(const std::string& steps)
      : parameters(sampler.name, sampler.params,
                   {{"step_size", "0.2"}, {"leapfrog_steps", steps}, {"metric", "identity"}}) {
    const ModelEntry& model = find_model("gaussian");
    target = model.make(Config(model.name, model.params, {{"dim", std::to_string(values)}}), nullptr);
  }
  double in_memory() const {
    const auto began = Clock::now();
    sample(*target, sampler, parameters, options);
    return seconds_since(began);
  }
  double durable(const std::filesystem::path& out) const {
    const auto began = Clock::now();
    sample_durably({*target, sampler, parameters, options, {}}, {.out = out, .overwrite = true}, {}, {});
    return seconds_since(began);
  }
};

// Records alone, with a sync every 10 000 of them, as a checkpoint every second would do.
double record_seconds(const std::filesystem::path& path) {
  RecordWriter writer(path, 1, values + other_numbers);
  writer.restart(0);
  std::vector<double> record(static_cast<std::size_t>(values + other_numbers), 0.1);
  const auto began = Clock::now();
  for (std::int64_t i = 0; i < draws; ++i) {
    record[0] = static_cast<double>(i);
    writer.append(record);
    if (i % 10'000 == 9'999) writer.sync();
  }
  return seconds_since(began);
}

void report() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const Trial trial("200");
  std::vector<double> memory, durable, records;
  for (int i = 0; i < 5; ++i) {
    memory.push_back(trial.in_memory());
    durable.push_back(trial.durable(folder / "quasar-records-bench.nc"));
    records.push_back(record_seconds(folder / "quasar-records-bench.draws"));
  }
  std::filesystem::remove(folder / "quasar-records-bench.nc");
  std::filesystem::remove(folder / "quasar-records-bench.draws");
  const double base = median(memory);
  fmt::print("{} draws of {} parameters in memory: {:.2f} s, {:.0f} draws/s\n", draws, values, base, draws / base);
  fmt::print("records alone:           {:6.2f} us a draw, {:5.2f} % of the time in memory, {:.2f} % at 10000 draws/s\n",
             median(records) / draws * 1e6, 100 * median(records) / base, 100 * median(records) / draws * 1e4);
  fmt::print("records and run file:    {:6.2f} % more time than in memory\n", 100 * (median(durable) / base - 1));
}

}  // namespace
}  // namespace quasar

int main() { quasar::report(); }
