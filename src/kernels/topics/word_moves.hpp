// How the topics' words move, once the topics of some documents' tokens are drawn.
#pragma once

#include <cstdint>

#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "kernels/topics/expanded_topics.hpp"
#include "models/topics/local_topics.hpp"

namespace quasar {

struct WordMoveSettings {
  enum Kind { expanded_mean, rhmc, gibbs };  // gibbs: exact given the topics of all tokens of all documents
  Kind kind = expanded_mean;
  double prior = 0.05;
  double first_step = 0.01, decay = 0.6, delay = 100;  // step t: first_step (1 + t/delay)^-decay
  Index leapfrog_steps = 20;

  double step_size(std::int64_t iteration) const;
};

class WordMoves {
 public:
  WordMoves(const WordMoveSettings& settings, LocalTopics& local, int threads, const Rng& rng);  // phi at its start

  void move(std::int64_t iteration, LocalTopics& local);  // its phi
  // phi; where the topics of all tokens are known its mean given them, which tells unseen words better.
  Eigen::MatrixXf mean(const LocalTopics& local) const;
  bool may_fail() const { return settings_.kind == WordMoveSettings::rhmc; }
  double failed_share(std::int64_t iterations) const;  // of the moves of single numbers: they stayed where they were

  void save(Writer& out) const { expanded_.save(out); }
  void load(Reader& in) { expanded_.load(in); }

 private:
  WordMoveSettings settings_;
  int threads_;
  Rng rng_;
  ExpandedTopics expanded_;
};

}  // namespace quasar
