// What is said of the topics of new documents: as text, as JSON, as a table. Here topics are counted from 1.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include <quasar/topics.hpp>

#include "front/read_corpus.hpp"
#include "io/text_output.hpp"

namespace quasar {

struct TopicShares {
  const FittedTopics& topics;
  const OpenCorpus& documents;
  Eigen::MatrixXf shares;  // topics x documents

  std::string text(Index most) const;  // of the first so many documents
  nlohmann::ordered_json to_json() const;
  void write_csv(TextOutput& out) const;
  std::vector<std::string> warnings() const;

 private:
  std::string title(Index document) const;
};

}  // namespace quasar
