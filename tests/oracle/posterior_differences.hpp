// Where R's posterior says something else about the reference draws than ArviZ, and why. ArviZ is followed.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace quasar::reference {

struct Difference {
  std::string name;
  std::vector<std::string> statistics;
  const char* reason;
};

inline constexpr auto constant_draws = "constant draws: NA, not S draws without error";
inline constexpr auto no_draw_above = "no draw exceeds the quantile, so the indicator is constant: NA";
inline constexpr auto infinite_draws = "a draw is infinite: NA also where the ranks suffice";
inline constexpr auto folded_undefined = "the folded draws are constant or undefined: NA, not bulk R-hat alone";
inline constexpr auto rounded_variance = "the variance of a constant chain is a rounding error, not zero";
inline constexpr auto one_chain = "R-hat also of the two halves of one chain";
inline constexpr auto one_draw_a_half = "halves of one draw: the matrix loses a dimension and the chains become draws";
inline constexpr auto two_draws_a_half = "ESS needs halves of three draws, not two";
inline constexpr auto folded_first =
    "an odd number of draws is folded about the median of all, the middle ones included";
inline constexpr auto one_pair_less = "Geyer's sequence is longer than the draws: it ends one pair earlier";
inline constexpr auto no_sequence = "Geyer's sequence has no pair (halves below six draws, or rho_1 <= -1): tau = 2";

inline const std::vector<Difference> kPosteriorDifferences = {
    {"shifted_chain",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q50"},
     one_pair_less},
    {"scaled_chain", {"ess_tail", "ess_q25", "mcse_sd", "mcse_q95"}, one_pair_less},
    {"many_chains", {"rhat"}, folded_first},
    {"two_values", {"rhat"}, folded_undefined},
    {"two_values", {"ess_tail", "mcse_q95"}, no_draw_above},
    {"two_values", {"mcse_sd"}, constant_draws},
    {"single_chain", {"rhat"}, one_chain},
    {"constant",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_q5", "mcse_q50", "mcse_q95"},
     constant_draws},
    {"one_chain_constant", {"ess_q25", "mcse_sd"}, one_pair_less},
    {"each_chain_constant", {"rhat"}, rounded_variance},
    {"each_chain_constant", {"ess_tail", "mcse_q95"}, no_draw_above},
    {"one_infinity", {"ess_tail", "ess_q25", "mcse_q5", "mcse_q50", "mcse_q95"}, infinite_draws},
    {"negative_infinities", {"ess_tail", "ess_q25", "mcse_q5", "mcse_q50", "mcse_q95"}, infinite_draws},
    {"mostly_infinite", {"rhat"}, folded_undefined},
    {"mostly_infinite", {"ess_tail", "ess_q25", "mcse_q5"}, infinite_draws},
    {"two_draws",
     {"rhat", "ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     one_draw_a_half},
    {"three_draws", {"rhat", "ess_bulk", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q50"}, one_draw_a_half},
    {"four_draws",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     two_draws_a_half},
    {"five_draws",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     two_draws_a_half},
    {"nine_draws",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     no_sequence},
    {"ten_draws",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q50", "mcse_q95"},
     no_sequence},
    {"last_pair_kept",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     no_sequence},
    {"both_infinities", {"ess_tail", "ess_q25", "mcse_q5", "mcse_q50", "mcse_q95"}, infinite_draws},
    {"six_draws",
     {"ess_bulk", "ess_tail", "ess_mean", "ess_q25", "mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"},
     no_sequence},
    {"odd_single_chain", {"rhat"}, one_chain},
    {"alternating", {"ess_mean", "mcse_mean", "mcse_q50"}, no_sequence},
};

// nullptr: none
inline const Difference* known_difference(const std::string& name, const std::string& statistic) {
  for (const Difference& difference : kPosteriorDifferences) {
    const auto& listed = difference.statistics;
    if (difference.name == name && std::find(listed.begin(), listed.end(), statistic) != listed.end()) {
      return &difference;
    }
  }
  return nullptr;
}

}  // namespace quasar::reference
