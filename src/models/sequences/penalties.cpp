#include "models/sequences/penalties.hpp"

#include <cmath>

#include "core/shared_work.hpp"

namespace quasar {
namespace {

double observed_values(const PathStats& stats) {
  double sum = 0;
  for (const StateStats& state : stats.states) sum += state.observed.sum();
  return sum;
}

// -log p of the data at the best parameters, up to what no path changes.
double misfit(Emission emission, const PathStats& stats, double least) {
  const double divergence = total_divergence(emission, stats);
  if (emission != Emission::normal) return divergence;
  const double values = observed_values(stats);
  return values > 0 ? values / 2 * std::log(std::max(divergence, least) / values) : 0;
}

double bic(Emission emission, const PathStats& stats, Index points, Index dim, double least) {
  const auto states = static_cast<double>(stats.size());
  const double numbers = states * static_cast<double>(dim) + 2 * states;
  return misfit(emission, stats, least) + transition_entropy(stats.counts) +
         0.5 * std::log(std::max<double>(1, static_cast<double>(points))) * numbers;
}

}  // namespace

PenaltyGrid default_grid(const Sequences& data, Emission emission) {
  const Path together(static_cast<std::size_t>(data.size()), 0);
  const PathStats stats = stats_of(emission, data, together);
  const double values = stats.size() > 0 ? observed_values(stats) : 0;
  const double spread = values > 0 ? total_divergence(emission, stats) / values : 0;
  const Mat centre = centres_of(data, together, Mat::Zero(data.dim(), 1));
  double farthest = 0;
  for (Index t = 0; t < data.size(); ++t) {
    farthest = std::max(farthest, divergence(emission, data.values.col(t), centre.col(0)));
  }
  const double scale = emission == Emission::normal ? spread : 1;
  return {{0.01 * scale, 0.03 * scale, 0.1 * scale, 0.3 * scale},
          {0.02 * scale, 0.1 * scale, 0.5 * scale},
          {0.1 * farthest, 0.3 * farthest, 0.6 * farthest, 0.85 * farthest}};
}

SelectedFit select_penalties(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                             Selector selector) {
  std::vector<IhmmPenalties> settings;
  for (const double lambda : grid.lambda) {
    for (const double lambda1 : grid.lambda1) {
      for (const double lambda2 : grid.lambda2) settings.push_back({lambda, lambda1, lambda2});
    }
  }
  std::vector<IhmmFit> fits(settings.size());
  share_work(settings.size(), static_cast<std::size_t>(options.threads), [&](std::size_t, std::size_t i) {
    AsympIhmmOptions own = options;
    own.penalties = settings[i];
    fits[i] = fit_asymp_ihmm(data, own);
  });
  const Path together(static_cast<std::size_t>(data.size()), 0);
  const double least = 1e-12 * total_divergence(options.emission, stats_of(options.emission, data, together));
  SelectedFit best;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const PathStats& stats = fits[i].stats;
    const double score = selector == Selector::bic ? bic(options.emission, stats, data.size(), data.dim(), least)
                                                   : (stats.size() > 1 ? static_cast<double>(stats.size())
                                                                       : static_cast<double>(options.most_states + 1));
    best.tried.push_back({settings[i], stats.size(), fits[i].objective, score});
    if (score < lowest) {
      lowest = score;
      best.penalties = settings[i];
      best.fit = fits[i];
    }
  }
  return best;
}

}  // namespace quasar
