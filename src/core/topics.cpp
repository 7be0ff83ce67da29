#include <fmt/format.h>

#include <array>

#include <quasar/topics.hpp>

namespace quasar {

std::string_view to_string(TopicCount count) {
  static constexpr std::array<std::string_view, 3> names = {"fixed", "bounded", "open"};
  return names.at(static_cast<std::size_t>(count));
}

std::string FittedTopics::word(Index v) const {
  return words.empty() ? fmt::format("word {}", v + 1) : words[static_cast<std::size_t>(v)];
}

std::string FittedTopics::document(Index n) const {
  return documents.empty() ? fmt::format("document {}", n + 1) : documents[static_cast<std::size_t>(n)];
}

Eigen::MatrixXf FittedTopics::mean_phi() const {
  if (!same_in_all_draws()) return draws.back().phi;
  Eigen::MatrixXf mean = draws.front().phi;
  for (std::size_t i = 1; i < draws.size(); ++i) mean += draws[i].phi;
  return mean / static_cast<float>(draws.size());
}

Vec FittedTopics::mean_weights() const {
  if (!same_in_all_draws()) return draws.back().weights;
  Vec mean = draws.front().weights;
  for (std::size_t i = 1; i < draws.size(); ++i) mean += draws[i].weights;
  return mean / static_cast<double>(draws.size());
}

Index FittedTopics::topics_in_use() const { return count_in_use(prevalence * static_cast<double>(info.tokens)); }

Index count_in_use(In tokens_of_topics) { return (tokens_of_topics.array() >= 0.5).count(); }

}  // namespace quasar
