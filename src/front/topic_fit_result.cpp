#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "front/infer_topics.hpp"
#include "front/topic_fit.hpp"

namespace quasar {
namespace {

std::vector<Index> largest_first(const Vec& prevalence) {
  std::vector<Index> order(static_cast<std::size_t>(prevalence.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](Index k) { return prevalence[k]; });
  return order;
}

TopicDraw reordered(const TopicDraw& draw, const std::vector<Index>& order) {
  return {draw.phi(order, Eigen::all), draw.weights(order)};
}

void add_topics_without_weight(TopicDraw& draw, Index topics) {
  const Index there = draw.weights.size(), words = draw.phi.cols();
  draw.phi.conservativeResize(topics, words);
  draw.phi.bottomRows(topics - there).setConstant(1 / static_cast<float>(words));
  draw.weights.conservativeResize(topics);
  draw.weights.tail(topics - there).setZero();
}

// To as many topics as the draw has that has most.
void fill_up(FittedTopics& found) {
  Index most = 0;
  for (const TopicDraw& draw : found.draws) most = std::max(most, draw.weights.size());
  for (TopicDraw& draw : found.draws) add_topics_without_weight(draw, most);
  const Index there = found.prevalence.size();
  found.prevalence.conservativeResize(most);
  found.prevalence.tail(most - there).setZero();
}

// Shares are of the last draw, which may have fewer topics than another.
void add_topics_without_share(FittedTopics& found) {
  const Index there = found.shares.rows();
  found.shares.conservativeResize(found.topics(), Eigen::NoChange);
  found.shares.bottomRows(found.topics() - there).setZero();
}

}  // namespace

FittedTopics TopicFit::result() {
  if (draws_.empty()) keep();
  const double count = same_topics_ ? static_cast<double>(draws_.size()) : 1;
  FittedTopics found;
  found.info = info_;
  found.info.passes = method_->data_passes();
  found.info.seconds = seconds_;
  found.info.converged = method_->converged();
  found.info.stopped_early = !done();
  if (predictions_) {
    const HeldOutScore score = predictions_->score();
    found.info.held_out_tokens = score.tokens;
    found.info.perplexity = score.perplexity();
    found.info.unigram_perplexity = unigram_score(word_counts_, *task_.held_out->split).perplexity();
  }
  found.words = task_.documents.words;
  found.word_counts = word_counts_;
  found.trace = trace_;
  found.held_out = curve_;
  const std::vector<Index> order = largest_first(prevalence_);
  found.prevalence = prevalence_(order) / count;
  for (const TopicDraw& draw : draws_) {
    const bool last = &draw == &draws_.back();
    found.draws.push_back(reordered(draw, same_topics_ || last ? order : largest_first(draw.weights)));
  }
  if (!same_topics_) fill_up(found);
  if (!keeps_shares_) return found;
  found.documents = task_.documents.titles;
  found.shares = method_has_shares_ ? Eigen::MatrixXf(shares_(order, Eigen::all) / static_cast<float>(count))
                                    : infer_shares(*task_.documents.documents, found,
                                                   {.threads = task_.settings.threads}, rng_.child("shares"));
  add_topics_without_share(found);
  return found;
}

}  // namespace quasar
