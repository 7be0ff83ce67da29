#include "front/infer_topics.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr Index documents_at_once = 4096;

Corpus some_of(const DocumentSource& documents, Index first, Index count) {
  Corpus some;
  std::vector<Index> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  documents.read(ids, some);
  return some;
}

}  // namespace

Eigen::MatrixXf infer_shares(const DocumentSource& documents, const FittedTopics& topics, const FoldIn& settings,
                             const Rng& rng) {
  const std::span<const TopicDraw> all = topics.draws, draws = topics.same_in_all_draws() ? all : all.last(1);
  Eigen::MatrixXf shares = Eigen::MatrixXf::Zero(topics.topics(), documents.documents());
  for (Index first = 0; first < documents.documents(); first += documents_at_once) {
    const Corpus some = some_of(documents, first, std::min(documents_at_once, documents.documents() - first));
    Mat sum = Mat::Zero(topics.topics(), some.documents());
    for (std::size_t i = 0; i < draws.size(); ++i) {
      sum += infer_shares(some, draws[i], settings, rng.child("documents", static_cast<std::uint64_t>(first)).at(i));
    }
    shares.middleCols(first, some.documents()) = (sum / static_cast<double>(draws.size())).cast<float>();
  }
  return shares;
}

TopicScore score_topics(const DocumentSource& documents, const FittedTopics& topics, double share,
                        const FoldIn& settings, const Rng& rng) {
  const auto split = std::make_shared<const TokenSplit>(
      split_tokens(documents.whole() ? *documents.whole() : some_of(documents, 0, documents.documents()), share,
                   rng.child("held-out")));
  HeldOutPredictions predictions(split);
  for (std::size_t i = 0; i < topics.draws.size(); ++i) {
    predictions.add(topics.draws[i], settings, rng.child("fold-in").at(i));
  }
  const TopicScore score{predictions.score(), unigram_score(topics.word_counts, *split),
                         static_cast<double>(topics.vocabulary())};
  if (score.topics.tokens == 0) throw DataError("no words are left to judge by: more documents, or another share");
  return score;
}

}  // namespace quasar
