#include "models/sequences/penalties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/shared_work.hpp"
#include "models/sequences/path_criterion.hpp"
#include "models/sequences/starts.hpp"

namespace quasar {
namespace {

constexpr int most_rounds = 20, iterations_of_sketch = 15, states_of_sketch = 30;
constexpr double least_criterion_gain = 1e-9;           // relative
constexpr Index most_searched = 10000, stretches = 20;  // points; of a longer series a part of so many is searched
constexpr double not_seen = 0.01;                       // what was not seen in the part: counts of a transition, share

struct Candidate {
  IhmmFit fit;
  IhmmPenalties penalties;
  double criterion = 0;
};

Path one_state(const Sequences& data) { return Path(static_cast<std::size_t>(data.size()), 0); }

std::vector<IhmmPenalties> settings_of(const PenaltyGrid& grid) {
  std::vector<IhmmPenalties> all;
  for (const double lambda : grid.lambda) {
    for (const double lambda1 : grid.lambda1) {
      for (const double lambda2 : grid.lambda2) all.push_back({lambda, lambda1, lambda2});
    }
  }
  return all;
}

class Search {
 public:
  Search(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid)
      : data_(data), options_(options), grid_(grid), criterion_(data, options.emission) {}

  Candidate fit(const IhmmPenalties& penalties, Path start) const {
    AsympIhmmOptions own = options_;
    own.penalties = penalties;
    Candidate found{fit_asymp_ihmm(data_, own, std::move(start)), penalties};
    found.criterion = criterion_(found.fit.stats);
    return found;
  }

  // Where to settle from: a few iterations at any penalties.
  Path sketch(const IhmmPenalties& penalties) const {
    AsympIhmmOptions own = options_;
    own.penalties = penalties;
    own.most_iterations = std::min(own.most_iterations, iterations_of_sketch);
    own.most_states = std::min(own.most_states, states_of_sketch);
    own.divide = false;
    return fit_asymp_ihmm(data_, own).states;
  }

  // On with the penalties of the criterion, which follow the variance, until it falls no more.
  Candidate settled(const Path& start) const {
    Candidate best = fit(penalties_at(stats_of(options_.emission, data_, start)), start);
    for (int round = 1; round < most_rounds; ++round) {
      Candidate next = fit(penalties_at(best.fit.stats), best.fit.states);
      const double gain = best.criterion - next.criterion, enough = least_criterion_gain * std::abs(best.criterion);
      if (gain < -enough) break;  // possible where a penalty is given
      best = std::move(next);
      if (gain <= enough) break;
    }
    return best;
  }

 private:
  IhmmPenalties penalties_at(const PathStats& stats) const {
    IhmmPenalties p = criterion_.penalties(stats);
    if (grid_.lambda.size() == 1) p.lambda = grid_.lambda[0];
    if (grid_.lambda1.size() == 1) p.lambda1 = grid_.lambda1[0];
    if (grid_.lambda2.size() == 1) p.lambda2 = grid_.lambda2[0];
    return p;
  }

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  const PenaltyGrid& grid_;
  PathCriterion criterion_;
};

// K, and behind the point what is minimised among those of equal K and lambda.
double few_states_score(Emission emission, const Candidate& candidate) {
  const PathStats& stats = candidate.fit.stats;
  if (stats.size() < 2) return std::numeric_limits<double>::infinity();
  const double value =
      total_divergence(emission, stats) + candidate.penalties.lambda * transition_entropy(stats.counts);
  return static_cast<double>(stats.size()) + value / (value + candidate.fit.trace.front());
}

// Of the best of each lambda the one with the least criterion; nothing where all have one state.
std::optional<std::size_t> winner_of_equals(const std::vector<TriedPenalties>& tried,
                                            const std::vector<Candidate>& candidates) {
  std::map<double, std::size_t> winners;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].states < 2) continue;
    const auto [at, first] = winners.try_emplace(tried[i].penalties.lambda, i);
    if (!first && tried[i].score < tried[at->second].score) at->second = i;
  }
  std::optional<std::size_t> best;
  for (const auto& [lambda, i] : winners) {
    if (!best || candidates[i].criterion < candidates[*best].criterion) best = i;
  }
  return best;
}

// Stretches of equal length, at equal distances.
Sequences part_of(const Sequences& data) {
  Sequences part{Mat(data.dim(), most_searched), {}};
  const Index length = most_searched / stretches;
  for (Index i = 0; i < stretches; ++i) {
    const Index begin = i * (data.size() - length) / (stretches - 1);
    part.starts.push_back(i * length);
    for (const Index start : data.starts) {
      if (start > begin && start < begin + length) part.starts.push_back(i * length + start - begin);
    }
    part.values.middleCols(i * length, length) = data.values.middleCols(begin, length);
  }
  return part;
}

// The path through all of the data by what was found in a part of them.
Path carried_over(const Sequences& data, Emission emission, const SelectedFit& found) {
  const PathStats& stats = found.fit.stats;
  const Mat centres = inside(emission, centres_of(emission, stats), middle_of(emission, data), not_seen);
  const Mat counts = stats.counts.array() + not_seen;
  const Mat transition = counts.array().colwise() / counts.rowwise().sum().array();
  return viterbi(data, {divergences(data, emission, centres), Vec::Zero(stats.size()),
                        -found.penalties.lambda * transition.array().log()})
      .states;
}

SelectedFit selected_from_part(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                               Selector selector) {
  SelectedFit found = select_penalties(part_of(data), options, grid, selector);
  const Search search(data, options, grid);
  Path start = carried_over(data, options.emission, found);
  Candidate all = selector == Selector::bic ? search.settled(start) : search.fit(found.penalties, std::move(start));
  return {std::move(all.fit), all.penalties, std::move(found.tried)};
}

}  // namespace

PenaltyGrid default_grid(const Sequences& data, Emission emission) {
  const DataScale scale = scale_of(data, emission);
  // The noise of normal values is unknown but for being less than their spread; the others bring their unit along.
  const bool normal = emission == Emission::normal;
  const double unit = normal ? scale.spread : 1;
  PenaltyGrid grid{normal ? std::vector{0.02, 0.08, 0.3} : std::vector{1.0}, {0.1, 0.5}, {0.1, 0.3, 0.85, 1.5}};
  for (double& lambda : grid.lambda) lambda *= unit;
  for (double& lambda1 : grid.lambda1) lambda1 *= unit;
  for (double& lambda2 : grid.lambda2) lambda2 *= scale.farthest;
  return grid;
}

SelectedFit select_penalties(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                             Selector selector) {
  if (data.size() > most_searched) return selected_from_part(data, options, grid, selector);
  const Search search(data, options, grid);
  const std::vector<IhmmPenalties> settings = settings_of(grid);
  std::vector<Candidate> candidates(settings.size());
  share_work(settings.size(), static_cast<std::size_t>(std::max(options.threads, 1)), [&](std::size_t, std::size_t i) {
    candidates[i] = selector == Selector::bic ? search.settled(search.sketch(settings[i]))
                                              : search.fit(settings[i], one_state(data));
  });
  SelectedFit selected;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Candidate& c = candidates[i];
    const double score = selector == Selector::bic ? c.criterion : few_states_score(options.emission, c);
    selected.tried.push_back({c.penalties, c.fit.stats.size(), c.fit.objective, score});
  }
  Candidate best = search.settled(one_state(data));
  if (selector == Selector::bic) {
    for (Candidate& c : candidates) {
      if (c.criterion < best.criterion) best = std::move(c);
    }
  } else if (const auto winner = winner_of_equals(selected.tried, candidates)) {
    best = std::move(candidates[*winner]);
  }
  selected.fit = std::move(best.fit);
  selected.penalties = best.penalties;
  return selected;
}

}  // namespace quasar
