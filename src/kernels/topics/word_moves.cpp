#include "kernels/topics/word_moves.hpp"

#include <cmath>

#include "models/topics/topic_words.hpp"

namespace quasar {

double WordMoveSettings::step_size(std::int64_t iteration) const {
  return first_step * std::pow(1 + static_cast<double>(iteration) / delay, -decay);
}

WordMoves::WordMoves(const WordMoveSettings& settings, LocalTopics& local, int threads, const Rng& rng)
    : settings_(settings),
      threads_(threads),
      rng_(rng),
      expanded_(local.topics(), local.phi().words(), settings.prior, threads) {
  expanded_.draw_start(rng_);
  expanded_.write(local.phi());
}

void WordMoves::move(std::int64_t iteration, LocalTopics& local) {
  const Rng rng = rng_.at(static_cast<std::uint64_t>(iteration));
  if (settings_.kind == WordMoveSettings::gibbs) {
    draw_topic_words(local.keeps() ? local.kept_counts() : local.counts(), settings_.prior, threads_, rng, local.phi());
    return;
  }
  const ExpandedTopics::Data data{local.counts(), local.weight()};
  const double step_size = settings_.step_size(iteration);
  if (settings_.kind == WordMoveSettings::rhmc) {
    expanded_.hamiltonian(step_size, settings_.leapfrog_steps, data, rng);
  } else {
    expanded_.langevin(step_size, data, rng);
  }
  expanded_.write(local.phi());
}

double WordMoves::failed_share(std::int64_t iterations) const {
  const auto moves = static_cast<double>(expanded_.values().size()) * static_cast<double>(settings_.leapfrog_steps) *
                     static_cast<double>(iterations);
  return moves > 0 ? static_cast<double>(expanded_.failed_moves()) / moves : 0;
}

Eigen::MatrixXf WordMoves::mean(const LocalTopics& local) const {
  if (local.knows_all()) return mean_topic_words(local.kept_counts(), settings_.prior);
  return local.phi().phi();
}

}  // namespace quasar
