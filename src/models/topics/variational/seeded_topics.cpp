#include "models/topics/variational/seeded_topics.hpp"

#include <algorithm>
#include <vector>

namespace quasar {
namespace {

constexpr double share_of_seed = 0.1;
constexpr Index least_sample = 500;

void add(const Document& document, double scale, Out to) {
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    to[document.words[i]] += scale * static_cast<double>(document.counts[i]);
  }
}

}  // namespace

// What all topics have in common differs a little between them: topics may have the same seed.
Mat seeded_topics(const DocumentSource& source, Index topics, double prior, const Rng& rng) {
  std::vector<Index> ids(static_cast<std::size_t>(std::min(source.documents(), std::max(topics, least_sample))));
  rng.stream("documents").sample_without_replacement(source.documents(), ids);
  Corpus sample;
  source.read(ids, sample);
  Vec common = Vec::Zero(source.vocabulary());
  for (Index n = 0; n < sample.documents(); ++n) add(sample.document(n), 1, common);
  common /= std::max(1.0, common.sum());

  const double tokens = static_cast<double>(source.tokens()) / static_cast<double>(topics);
  Mat shapes(source.vocabulary(), topics);
  for (Index k = 0; k < topics; ++k) {
    Stream draws = rng.child("topic", static_cast<std::uint64_t>(k)).stream("words");
    auto topic = shapes.col(k);
    for (Index v = 0; v < topic.size(); ++v)
      topic[v] = (1 - share_of_seed) * tokens * common[v] * (0.9 + 0.2 * draws.uniform());
    const Document seed = sample.document(k % sample.documents());
    add(seed, share_of_seed * tokens / std::max(1.0, static_cast<double>(seed.tokens())), topic);
  }
  return (prior + shapes.array()).matrix().transpose();
}

}  // namespace quasar
