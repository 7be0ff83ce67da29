// What fitted topics tell, as numbers: for the text, the JSON object and the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <quasar/topics.hpp>

namespace quasar {

struct WordShare {
  Index word;
  double probability;
};

// The likeliest words of a topic, given its row of phi; the likeliest first.
std::vector<WordShare> top_words(const Eigen::MatrixXf& phi, Index topic, Index most);

// "planet moon orbit"
std::string words_in_a_row(const FittedTopics& found, const Eigen::MatrixXf& phi, Index topic, Index most);

// How many times as often a word is in a topic as in all documents.
double lift_of(const FittedTopics& found, const WordShare& one);

struct TopicShare {
  Index topic;
  double share;
};

// The largest shares of a document, the largest first; none below `least`.
std::vector<TopicShare> top_topics(const Eigen::Ref<const Eigen::VectorXf>& shares, Index most, double least);

Index topics_that_hold(const Vec& prevalence, double share);  // how many of the largest make up so much

struct ScalarSummary {
  std::string name;
  double mean = 0;                     // of a variational method: at the end
  std::optional<double> q5, q95, ess;  // of draws after the burn-in
};
std::vector<ScalarSummary> summarize_scalars(const FittedTopics& found);

// Hyperparameters that still move, room that is full, a curve that still falls: what to know before topics are
// believed.
std::vector<std::string> topic_warnings(const FittedTopics& found);

}  // namespace quasar
