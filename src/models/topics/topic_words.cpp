#include "models/topics/topic_words.hpp"

#include <algorithm>
#include <vector>

#include "core/many_gammas.hpp"
#include "core/parts.hpp"

namespace quasar {
namespace {

// Draws of very small shapes may all be zero, and then say nothing of their ratios: on the log scale they do.
void draw_one_topic(Index topic, const WordTopicCounts& counts, double prior, const Rng& rng, WordTopics& phi) {
  const Vec shapes = counts.row(topic).transpose().cast<double>().array() + prior;
  Vec words(shapes.size());
  rng.child("topic", static_cast<std::uint64_t>(topic)).stream("words").dirichlet(shapes, words);
  for (Index v = 0; v < words.size(); ++v) phi.word(v)[topic] = std::max(static_cast<float>(words[v]), least_phi);
}

}  // namespace

// Gamma draws over their sums. Words in fixed groups, whose sums are added in their order: any number of threads draws
// the same.
void draw_topic_words(const WordTopicCounts& counts, double prior, int threads, const Rng& rng, WordTopics& phi) {
  const Index topics = phi.topics(), words = phi.words(), groups = (words + columns_together - 1) / columns_together;
  constexpr double enough = 1e-25;  // of a sum: single precision goes down to 1e-38
  Mat sums = Mat::Zero(topics, groups);
  struct Scratch {
    ManyGammas gammas;
    Vec shapes, draws;
  };
  const auto many = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<Scratch> scratch(many);
  const auto in_groups = [&](const auto& work) {
    in_parts(words, many, [&](std::size_t thread, Index first, Index end) {
      work(scratch[thread], first / columns_together, first, end);
    });
  };
  in_groups([&](Scratch& s, Index group, Index first, Index end) {
    s.shapes = counts.middleCols(first, end - first).cast<double>().reshaped().array() + prior;
    s.draws.resize(s.shapes.size());
    s.gammas.draw(rng.child("words", static_cast<std::uint64_t>(group)), s.shapes, s.draws);
    for (Index v = first; v < end; ++v) {
      const auto draws = s.draws.segment((v - first) * topics, topics);
      sums.col(group) += draws;
      Eigen::Map<Eigen::VectorXf>(phi.word(v), topics) = draws.cast<float>();
    }
  });
  const Vec totals = sums.rowwise().sum();
  const Eigen::VectorXf factors = totals.cwiseInverse().cast<float>();
  in_groups([&](Scratch&, Index, Index first, Index end) {
    for (Index v = first; v < end; ++v) {
      Eigen::Map<Eigen::VectorXf> word(phi.word(v), topics);
      word = word.cwiseProduct(factors).cwiseMax(least_phi);
    }
  });
  for (Index k = 0; k < topics; ++k) {
    if (!(totals[k] > enough)) draw_one_topic(k, counts, prior, rng, phi);
  }
}

Eigen::MatrixXf mean_topic_words(const WordTopicCounts& counts, double prior) {
  const Vec totals = counts.cast<double>().rowwise().sum().array() + prior * static_cast<double>(counts.cols());
  return ((counts.cast<double>().array() + prior).colwise() / totals.array()).cast<float>();
}

}  // namespace quasar
