// What is said of fitted topics, as text and as JSON. Here topics are counted from 1.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <quasar/topics.hpp>

namespace quasar {

struct TopicsReport {
  const FittedTopics& found;
  Index topics = 20, words = 10;  // to show; the largest topics
  Index documents = 0;            // of which the largest shares are shown

  std::string text() const;
  nlohmann::ordered_json to_json() const;

  std::string topic_text(Index topic) const;  // of one alone, from 0
  nlohmann::ordered_json topic_json(Index topic) const;
};

}  // namespace quasar
