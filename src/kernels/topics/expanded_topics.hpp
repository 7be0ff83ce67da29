// Topics as unnormalised numbers: phi_vk = g_vk / sum_v g_vk, g_vk ~ Gamma(eta, 1), which makes phi_k ~ Dirichlet(eta),
// moved by the counts x_vk of some documents, whose weight w makes them stand for all.
//
//   langevin       g' = |g + (e/2) (eta + w x_vk - g' (1 + w x_.k/g_.k)) + N(0, e g)| on the metric diag(1/g), with
//                  a mirror at 0 (Patterson and Teh 2013). They have g for g' on the right, which is unstable where a
//                  topic has many tokens, e w x_.k > 4 g_.k; with g' no step is too large
//   hamiltonian    generalised leapfrog steps on the same metric, in closed form, without a Metropolis test: a number
//                  whose step has no solution stays and turns round. With eta < 1/2 those near 0 have none: the
//                  density times the root of the metric is singular there
//
// Given the totals g_.k all numbers of a step are independent: threads share the words.
#pragma once

#include <cstdint>

#include <quasar/core.hpp>
#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "models/topics/token_topics.hpp"

namespace quasar {

class ExpandedTopics {
 public:
  ExpandedTopics(Index topics, Index words, double word_prior, int threads);

  struct Data {  // counts that stand for all documents
    const WordTopicCounts& counts;
    double weight;
  };

  void draw_start(const Rng& rng);
  void langevin(double step_size, const Data& data, const Rng& rng);
  void hamiltonian(double step_size, Index steps, const Data& data, const Rng& rng);

  void write(WordTopics& phi) const;
  const Mat& values() const { return g_; }                 // g: topics x words
  std::int64_t failed_moves() const { return failures_; }  // of a number in a leapfrog step, so far

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  template <class Use>
  void for_words(const Use& use);  // use(word) in threads; then the totals are known
  void set_pull(const Data& data);
  void depart(Index word, double half, const Data& data);
  void arrive(Index word, double half, const Data& data);

  std::size_t threads_;
  double eta_;
  Mat g_;
  std::int64_t failures_ = 0;
  // scratch
  Vec totals_, pull_;                                         // g_.k, and w x_.k / g_.k
  Mat partial_totals_;                                        // of each piece of the words
  Mat p_;                                                     // momenta; of langevin the noise
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> stays_;  // in this step of the leapfrog
};

}  // namespace quasar
