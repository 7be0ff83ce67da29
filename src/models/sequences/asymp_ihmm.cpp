#include "models/sequences/asymp_ihmm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <quasar/errors.hpp>

#include "models/sequences/divided_state.hpp"
#include "models/sequences/local_moves.hpp"
#include "models/sequences/proposed_path.hpp"

namespace quasar {
namespace {

constexpr double relative_gain = 1e-9;  // of J: less is rounding

// 0, 1, ... in the order in which the states appear.
void renumber(Path& path) {
  std::vector<int> number(path.empty() ? 0 : static_cast<std::size_t>(*std::max_element(path.begin(), path.end()) + 1),
                          -1);
  int next = 0;
  for (int& state : path) {
    int& own = number[static_cast<std::size_t>(state)];
    if (own < 0) own = next++;
    state = own;
  }
}

class Descent {
 public:
  Descent(const Sequences& data, const AsympIhmmOptions& options, Path start)
      : data_(data), options_(options), middle_(middle_of(options.emission, data)) {
    take(std::move(start));
    fit_.trace.push_back(fit_.objective);
    fit_.converged = data.size() == 0;  // nothing to move
  }

  IhmmFit run() {
    for (int iteration = 0; iteration < options_.most_iterations && !fit_.converged; ++iteration) {
      const double before = fit_.objective;
      new_path();
      fit_.trace.push_back(fit_.objective);
      local_moves();
      fit_.trace.push_back(fit_.objective);
      fit_.converged = before - fit_.objective <= least_gain() && !divide_state();
    }
    return std::move(fit_);
  }

 private:
  double least_gain() const { return relative_gain * fit_.objective; }

  void new_path() {
    ++fit_.proposals;
    if (take_if_not_worse(proposed_path(data_, options_, fit_.stats, PathBound::published))) return;
    ++fit_.refused;
    take_if_not_worse(proposed_path(data_, options_, fit_.stats, PathBound::safe));
  }

  void local_moves() {
    const LocalMoves moves(data_, options_, fit_.states, fit_.stats);
    if (const auto split = moves.best_split();
        split && split->change < -least_gain() && fit_.stats.size() < options_.most_states) {
      take(moves.with(*split));
    }
    for (bool more = options_.merge; more;) more = merge_states();
  }

  bool merge_states() {
    const LocalMoves moves(data_, options_, fit_.states, fit_.stats);
    const auto merged = moves.best_union();
    if (!merged || merged->change >= -least_gain()) return false;
    take(moves.with(*merged));
    return true;
  }

  bool divide_state() {
    if (!options_.divide || fit_.stats.size() >= options_.most_states) return false;
    const Path present = fit_.states;
    const double before = fit_.objective;
    const auto states = static_cast<int>(fit_.stats.size());
    for (int k = 0; k < states; ++k) {
      for (Path& path : with_state_divided(data_, options_, present, k)) take_if_not_worse(std::move(path));
    }
    if (before - fit_.objective <= least_gain()) return false;
    fit_.trace.push_back(fit_.objective);
    return true;
  }

  bool take_if_not_worse(Path path) {
    renumber(path);
    PathStats stats = stats_of(options_.emission, data_, path, middle_);
    const double value = objective(options_.emission, stats, options_.penalties);
    if (!(value <= fit_.objective)) return false;
    fit_.states = std::move(path);
    fit_.stats = std::move(stats);
    fit_.objective = value;
    return true;
  }

  void take(Path path) {
    renumber(path);
    fit_.stats = stats_of(options_.emission, data_, path, middle_);
    fit_.objective = objective(options_.emission, fit_.stats, options_.penalties);
    fit_.states = std::move(path);
  }

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  Vec middle_;
  IhmmFit fit_;
};

void check_problem(const Sequences& data, const AsympIhmmOptions& options, const Path& start) {
  if (data.size() > 0) check(data, options.emission);
  const IhmmPenalties& p = options.penalties;
  if (!(p.lambda >= 0 && p.lambda1 >= 0 && p.lambda2 >= 0)) throw UsageError("penalties must not be negative");
  const Index states = start.empty() ? 0 : *std::max_element(start.begin(), start.end()) + 1;
  if (std::max<Index>(options.most_states, states) > most_states) {
    throw UsageError(fmt::format("asymp-ihmm has at most {} states", most_states));
  }
}

}  // namespace

IhmmFit fit_asymp_ihmm(const Sequences& data, const AsympIhmmOptions& options) {
  return fit_asymp_ihmm(data, options, Path(static_cast<std::size_t>(data.size()), 0));
}

IhmmFit fit_asymp_ihmm(const Sequences& data, const AsympIhmmOptions& options, Path start) {
  check_problem(data, options, start);
  return Descent(data, options, std::move(start)).run();
}

}  // namespace quasar
