// quasar/topics.hpp -- topics of documents, as a fit has found them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// Topics as new documents are read by them: words of a document come from
//   sum_k phi_vk theta_k,   theta_k ~ Gamma(weight_k, .).
struct TopicDraw {
  Eigen::MatrixXf phi;  // topics x words: each row sums to 1
  Vec weights;          // r_k > 0
};

struct NamedNumber {  // a hyperparameter, or another scalar of the state
  std::string name;
  double value;
};

// As many topics as were asked for; as many as the documents need, of those that there is room for; or without bound.
enum class TopicCount { fixed, bounded, open };
std::string_view to_string(TopicCount count);

struct TopicFitInfo {  // the attributes of the file, one by one
  std::string method, kind;
  std::string data_source, data_hash;
  std::string held_out_source, held_out_hash;  // a share of the tokens, or a file; empty: nothing was held out
  std::string configuration;                   // everything that was in effect, as JSON text
  std::uint64_t seed = 1;
  std::int64_t documents = 0, tokens = 0;  // that were fitted
  double passes = 0, burn_in = 0;          // over the documents; moments before the end of the burn-in are not kept
  double seconds = 0;                      // of steps: evaluations do not count
  std::string topic_count;                 // fixed, bounded or open: see TopicCount
  bool converged = false, stopped_early = false;
  std::int64_t held_out_tokens = 0;
  double perplexity = 0, unigram_perplexity = 0;  // of them; 0: there are none
  std::string quasar_version, created_at;         // empty when written: this build, now (ISO 8601, UTC)

  static void fields(auto& self, auto&& visit) {
    visit("method", self.method);
    visit("kind", self.kind);
    visit("data_source", self.data_source);
    visit("data_hash", self.data_hash);
    visit("held_out_source", self.held_out_source);
    visit("held_out_hash", self.held_out_hash);
    visit("configuration", self.configuration);
    visit("seed", self.seed);
    visit("documents", self.documents);
    visit("tokens", self.tokens);
    visit("passes", self.passes);
    visit("burn_in", self.burn_in);
    visit("seconds", self.seconds);
    visit("topic_count", self.topic_count);
    visit("converged", self.converged);
    visit("stopped_early", self.stopped_early);
    visit("held_out_tokens", self.held_out_tokens);
    visit("perplexity", self.perplexity);
    visit("unigram_perplexity", self.unigram_perplexity);
    visit("quasar_version", self.quasar_version);
    visit("created_at", self.created_at);
  }
};

struct TopicTrace {                // an entry in each for every moment that was looked at
  std::vector<std::string> names;  // of the scalars
  std::vector<double> passes, seconds, objective, topics_in_use;
  std::vector<double> scalars;  // all of one moment, then all of the next

  std::size_t moments() const { return passes.size(); }
  double scalar(std::size_t moment, std::size_t name) const { return scalars[moment * names.size() + name]; }
};

struct HeldOutCurve {  // the perplexity of the state of a moment, alone
  std::vector<double> passes, seconds, perplexity;
};

// Topics come with the largest first. Where their number is open they are others in each draw: what is said of topics
// is then said of the last draw, and draws that have fewer are filled up with topics of weight 0.
struct FittedTopics {
  TopicFitInfo info;
  std::vector<std::string> words;         // empty: they have no names
  std::vector<std::int64_t> word_counts;  // of each word of the vocabulary, in the documents that were fitted
  std::vector<TopicDraw> draws;           // at least one
  Vec prevalence;                         // of the tokens, the share of each topic: means over the draws
  TopicTrace trace;
  HeldOutCurve held_out;
  Eigen::MatrixXf shares;              // topics x documents, means over the draws; empty: not kept
  std::vector<std::string> documents;  // their titles; empty: they have none

  Index topics() const { return prevalence.size(); }
  Index vocabulary() const { return std::ssize(word_counts); }
  std::string word(Index v) const;      // its name, or "word 17", counted from 1
  std::string document(Index n) const;  // likewise
  bool same_in_all_draws() const { return info.topic_count != to_string(TopicCount::open); }
  Eigen::MatrixXf mean_phi() const;
  Vec mean_weights() const;
  Index topics_in_use() const;  // those with half a token or more
};

// How many topics have half a token or more.
Index count_in_use(In tokens_of_topics);

}  // namespace quasar
