// The checks behind diagnose(). Each says what it looked at and adds what it found.
#pragma once

#include <string_view>

#include "diagnostics/problems.hpp"

namespace quasar::diagnostics {

// Limits: R-hat and ESS per chain of Vehtari et al. (2021), E-BFMI of Betancourt (2016) as Stan uses it.
inline constexpr double kRhatLimit = 1.01, kEssPerChain = 100, kEbfmiLimit = 0.3;
inline constexpr double kLeastAcceptance = 0.02, kMostAcceptance = 0.99;
inline constexpr double kMostFailedSolves = 0.01;  // of the trajectories
inline constexpr double kMostFailedSteps = 0.01;   // of the draws that have any
inline constexpr double kMostExcessNoise = 0.01;   // of the draws
inline constexpr double kStableCurvature = 2;      // of a step: beyond it every one overshoots by more than it corrects
inline constexpr Index kLeastDraws = 4;            // per chain: below this R-hat and ESS are undefined

inline constexpr std::size_t kChainsShown = 8;  // a sentence with more numbers is not read

// "chain 2", "chains 1 and 4", "every chain"; of many the first: "chains 1, 2, 3, 4, 5, 6, 7, 8 and 391 more"
std::string chain_list(const std::vector<Index>& chains, Index of);

void check_run(const RunFacts& run, Diagnosis& found);          // stopped early, warm-up
void check_law(const RunFacts& run, Diagnosis& found);          // not exact
void check_values(const RunFacts& run, Diagnosis& found);       // not finite, never moved
void check_acceptance(const RunFacts& run, Diagnosis& found);   // too low, too high
void check_divergences(const RunFacts& run, Diagnosis& found);  // how many, and where
void check_solver(const RunFacts& run, Diagnosis& found);       // implicit steps without a solution
void check_step_length(const RunFacts& run, Diagnosis& found);  // steps without a test that could not be made
void check_stability(const RunFacts& run, Diagnosis& found);    // steps that may be too long for some rows
void check_noise(const RunFacts& run, Diagnosis& found);        // of gradients, beyond the friction
void check_agreement(const RunFacts& run, Diagnosis& found);    // R-hat
void check_energy(const RunFacts& run, Diagnosis& found);       // E-BFMI
void check_precision(const RunFacts& run, Diagnosis& found);    // ESS
void check_depth(const RunFacts& run, Diagnosis& found);        // trees of the largest depth
void check_size(const RunFacts& run, Diagnosis& found);         // one chain, hardly any draws

}  // namespace quasar::diagnostics
