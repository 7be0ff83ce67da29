// How well samplers recover parameters whose true values are known: many synthetic data sets, one chain on each.
//
// R_truth = sqrt(mean_t (x_t - truth)^2) over the draws is what papers print as RMSE. For draws from the posterior its
// square is the posterior's variance plus (posterior mean - truth)^2, so it cannot be small and does not rank exact
// samplers. R_mean = |mean_t x_t - truth| can be read as the same word. Both are here, with standard deviation,
// effective sample size, autocorrelation time and time; of each the median over data sets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

namespace quasar {

struct RecoveryProblem {
  std::vector<std::string> names;  // of the parameters
  Vec truth, start;
  std::vector<std::unique_ptr<Target>> data_sets;
};

struct PrintedRecovery {  // what the paper prints of a method; empty: nothing
  std::vector<double> rmse = {};
  std::optional<double> autocorrelation_time = {};  // of the first parameter
  std::optional<double> milliseconds = {};          // an iteration
};

struct RecoveryMethod {
  std::string name;
  const char* sampler;
  Settings settings;
  PrintedRecovery printed = {};
};

struct BatchPolicy {
  const char *label, *setting;
};
inline constexpr BatchPolicy batch_policies[] = {{"fresh batches", "per_gradient"}, {"held batches", "per_trajectory"}};
// Where a sampler may have a fresh batch for every half kick, that is what fresh means.
std::string batch_setting(const SamplerEntry& sampler, const BatchPolicy& policy);

struct RecoveryLength {
  std::int64_t warmup, draws;
};

Settings recovery_settings(const RecoveryProblem& problem, RecoveryLength length);  // as they are printed

// Returns the draws on the first data set, one a column; 0 columns: it was lost there.
Mat add_recovery(const RecoveryProblem& problem, const RecoveryMethod& method, RecoveryLength length,
                 std::uint64_t seed, ExperimentResult& result);

// The way from a start far out, as the figures draw it: when all parameters first are within three posterior standard
// deviations of the truth, and how far the first one has shot beyond it until then, in those.
struct Arrival {
  Vec sd;
  std::int64_t iterations;  // of the way
};
// Returns the way, one iteration a column; 0 columns: it was lost.
Mat add_arrival(const RecoveryProblem& problem, const RecoveryMethod& method, const Arrival& arrival,
                std::uint64_t seed, ExperimentResult& result);

// Only the time of an iteration, on one data set.
void add_time(const Target& target, const RecoveryMethod& method, std::int64_t draws, std::uint64_t seed,
              ExperimentResult& result);

// n observations of N(0, 1), parameters (mu, tau), truth (0, 1), start (0.3, 3).
RecoveryProblem normal_problem(Index rows, int data_sets, std::uint64_t seed);
// Two normal clouds around (1, -1) and (-1, 1); labels drawn with P(1) = 1 / (1 + e^-(x_1 - x_2)): truth (1, -1), start
// (2, 1), prior N(0, 10 I), no intercept. A classifier without chance, as printed, would separate the data.
RecoveryProblem logistic_problem(Index rows, int data_sets, std::uint64_t seed);

}  // namespace quasar
