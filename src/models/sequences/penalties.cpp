#include "models/sequences/penalties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/shared_work.hpp"
#include "models/sequences/path_criterion.hpp"

namespace quasar {
namespace {

constexpr int most_rounds = 20;
constexpr double least_gain = 1e-9;  // relative

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
  Search(const Sequences& data, const AsympIhmmOptions& options)
      : data_(data), options_(options), criterion_(data, options.emission) {}

  Candidate fit(const IhmmPenalties& penalties, Path start) const {
    AsympIhmmOptions own = options_;
    own.penalties = penalties;
    Candidate found{fit_asymp_ihmm(data_, own, std::move(start)), penalties};
    found.criterion = criterion_(found.fit.stats);
    return found;
  }

  // On with the penalties of the criterion, which follow the variance, until it falls no more.
  Candidate settled(const Path& start) const {
    Candidate best = fit(penalties_at(start), start);
    for (int round = 1; round < most_rounds; ++round) {
      Candidate next = fit(criterion_.penalties(best.fit.stats), best.fit.states);
      const bool done = best.criterion - next.criterion <= least_gain * std::abs(best.criterion);
      best = std::move(next);
      if (done) break;
    }
    return best;
  }

 private:
  IhmmPenalties penalties_at(const Path& path) const {
    return criterion_.penalties(stats_of(options_.emission, data_, path));
  }

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  PathCriterion criterion_;
};

// K, and behind the point what is minimised among those of equal K and lambda.
double few_states_score(Emission emission, const Candidate& candidate, double divergence_of_all) {
  const PathStats& stats = candidate.fit.stats;
  if (stats.size() < 2) return std::numeric_limits<double>::infinity();
  const double value =
      total_divergence(emission, stats) + candidate.penalties.lambda * transition_entropy(stats.counts);
  return static_cast<double>(stats.size()) + value / (value + divergence_of_all);
}

}  // namespace

PenaltyGrid default_grid(const Sequences& data, Emission emission) {
  const Scale scale = scale_of(data, emission);
  // The noise of normal values is unknown but for being less than their spread; the others bring their unit along.
  const bool normal = emission == Emission::normal;
  const double unit = normal ? scale.spread : 1;
  PenaltyGrid grid{normal ? std::vector{0.02, 0.08, 0.3} : std::vector{1.0}, {0.1, 0.5}, {0.1, 0.3, 0.85}};
  for (double& lambda : grid.lambda) lambda *= unit;
  for (double& lambda1 : grid.lambda1) lambda1 *= unit;
  for (double& lambda2 : grid.lambda2) lambda2 *= scale.farthest;
  return grid;
}

SelectedFit select_penalties(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                             Selector selector) {
  const Search search(data, options);
  const std::vector<IhmmPenalties> settings = settings_of(grid);
  std::vector<Candidate> candidates(settings.size());
  share_work(settings.size(), static_cast<std::size_t>(std::max(options.threads, 1)), [&](std::size_t, std::size_t i) {
    candidates[i] = search.fit(settings[i], one_state(data));
    if (selector == Selector::bic) candidates[i] = search.settled(candidates[i].fit.states);
  });
  Candidate best = search.settled(one_state(data));
  SelectedFit selected;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Candidate& candidate = candidates[i];
    const double score = selector == Selector::bic ? candidate.criterion : few_states_score(options.emission, candidate, 1);
    selected.tried.push_back({settings[i], candidate.fit.stats.size(), candidate.fit.objective, score});
    if (score < best.criterion) best = std::move(candidate);
  }
  selected.fit = std::move(best.fit);
  selected.penalties = best.penalties;
  return selected;
}

}  // namespace quasar
