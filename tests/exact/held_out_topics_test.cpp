// How well samplers tell words that were held out, of documents whose topics are known.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "front/topic_methods.hpp"
#include "models/topics/held_out.hpp"
#include "support/synthetic_topics.hpp"

namespace quasar {
namespace {

// No statistics: 1.15 times the perplexity of the parameters that the documents were drawn with. By the words'
// frequencies alone it is 1.35 times or more.
TEST(Samplers, TellHeldOutWordsNearlyAsWellAsTheTruth) {
  const test::SyntheticTopics truth(2);
  const TokenSplit split = split_tokens(truth.corpus, 0.2, Rng(1));
  HeldOutPredictions best(split);
  best.add(truth.phi.transpose().cast<float>(), truth.shares);
  const double known = best.score().perplexity();
  ASSERT_GT(unigram_score(split.seen, split).perplexity(), 1.35 * known);
  for (const char* name : {"gamma-gp", "gamma-nb", "nb-lda"}) {
    const TopicMethodEntry& method = find_topic_method(name);
    const auto fit = method.make(std::make_shared<DocumentsInMemory>(split.seen),
                                 Config(method.name, method.params(), {{"topics", "20"}}), {1, 1});
    HeldOutPredictions predictions(split);
    for (std::uint64_t sweep = 0; sweep < 200; ++sweep) {
      fit->step();
      if (sweep >= 100 && sweep % 10 == 0) predictions.add(fit->draw(), {10, 10, 1}, Rng(2).at(sweep));
    }
    EXPECT_LT(predictions.score().perplexity(), 1.15 * known) << name;
  }
}

TEST(FoldIn, HasRandomNumbersOfItsOwnAtEveryMoment) {
  const test::SyntheticTopics truth(1);
  const TopicDraw topics{truth.phi.transpose().cast<float>(), Vec::Constant(8, 0.25)};
  const auto shares_at = [&](std::uint64_t moment, int threads) {
    return infer_shares(truth.corpus, topics, {3, 1, threads}, Rng(1).at(moment));
  };
  const Mat first = shares_at(1, 1);
  EXPECT_EQ(shares_at(1, 3), first);
  // From other first topics, sweeps on the same random numbers would lead to the same topics in most documents.
  const Mat second = shares_at(2, 1);
  Index same = 0;
  for (Index n = 0; n < first.cols(); ++n) same += first.col(n) == second.col(n) ? 1 : 0;
  EXPECT_LT(same, first.cols() / 10);
}

}  // namespace
}  // namespace quasar
