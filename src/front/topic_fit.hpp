// A fit of topics, step by step: what is looked at on the way, what is kept, and what comes out of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/topics.hpp>

#include "front/read_corpus.hpp"
#include "front/topic_settings.hpp"
#include "models/topics/held_out.hpp"

namespace quasar {

struct HeldOutTokens {
  std::shared_ptr<const TokenSplit> split;
  bool of_fitted = false;  // the documents that are fitted are split->seen; otherwise they are others
  std::string given;       // the share of the tokens, or a file
  std::string content_hash = {};
};

struct TopicTask {
  OpenCorpus documents;
  std::optional<HeldOutTokens> held_out;
  TopicFitSettings settings;
  Settings reading = {};  // how a user wanted documents to be read: to do it again
};

// Documents, and words to judge the topics by: `held_out` is a share of the tokens, which are then not fitted, or a
// file with other documents, or empty. UsageError, DataError
TopicTask topic_task(OpenCorpus documents, const std::string& held_out, const Config& reading,
                     TopicFitSettings settings);

class TopicFit {
 public:
  explicit TopicFit(TopicTask task);  // UsageError, DataError: it cannot be done

  const TopicFitInfo& info() const { return info_; }
  bool done() const;
  double passes() const { return method_->data_passes(); }
  void step();  // RunError: the state is no longer finite

  FittedTopics result();  // of what was kept; of the present state, if nothing was

  void save(Writer& out) const;  // all that a fit made of the same task needs to go on
  void load(Reader& in);         // DataError

 private:
  void note_moment();
  void evaluate();
  void keep();
  void score_draw(HeldOutPredictions& predictions, const TopicDraw& draw) const;
  Mat shares_of_documents() const;  // by the method, or by the draw where it keeps none
  template <class Self, class Visit>
  static void plain_fields(Self& self, Visit&& visit);
  void resize_sums(Index topics);

  TopicTask task_;
  Rng rng_;
  TopicFitInfo info_;
  std::vector<std::int64_t> word_counts_;
  std::unique_ptr<TopicMethod> method_;
  bool same_topics_ = true, method_has_shares_ = false, keeps_shares_ = false;
  double trace_every_ = 1, keep_every_ = 1;

  std::int64_t steps_ = 0;
  double seconds_ = 0;
  TopicTrace trace_;
  HeldOutCurve curve_;
  std::vector<TopicDraw> draws_;
  Vec prevalence_;          // summed over the draws; of the last alone, where topics are not the same in all
  Eigen::MatrixXf shares_;  // likewise
  std::optional<HeldOutPredictions> predictions_;
};

}  // namespace quasar
