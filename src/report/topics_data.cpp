#include "report/topics_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "front/topic_facts.hpp"
#include "front/topic_methods.hpp"
#include "report/base64.hpp"
#include "report/repeat_topics.hpp"
#include "report/rounded.hpp"

namespace quasar {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;

constexpr Index most_topics_shown = 500, most_words = 20000, most_documents = 20000, most_similar = 100;
constexpr Index words_of_topic = 30, documents_of_topic = 8, neighbours = 5, topics_of_word = 4, topics_of_document = 5;
constexpr double least_share = 0.005;

Json facts_of_topics(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  Json pairs = Json::array();
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) pairs.push_back({name, text});
  };
  const auto methods = topic_methods();
  const auto method = std::ranges::find(methods, info.method, &TopicMethodEntry::name);
  add("documents", fmt::format("{}: {} with {} tokens of {} words", info.data_source, info.documents, info.tokens,
                               found.vocabulary()));
  add("method", info.method);
  if (method != methods.end()) add("law", fmt::format("{}: {}", to_string(method->law), method->why));
  add("topics",
      fmt::format(
          "{} in use{}", found.topics_in_use(),
          info.topic_count == to_string(TopicCount::bounded) ? fmt::format(", with room for {}", found.topics()) : ""));
  add("sweeps",
      info.kind == "variational"
          ? fmt::format("{:g}, {}", info.passes, info.converged ? "converged" : "not converged")
          : fmt::format("{:g}, {:g} of them burn-in; {} draws kept", info.passes, info.burn_in, found.draws.size()));
  if (info.stopped_early) add("stopped", "early: before all sweeps were made");
  add("time", fmt::format("{:.3g} s", info.seconds));
  add("seed", std::to_string(info.seed));
  add("held out", info.held_out_source);
  if (!info.created_at.empty()) add("made", fmt::format("{}, Quasar {}", info.created_at, info.quasar_version));
  return pairs;
}

Json problems_of_topics(const FittedTopics& found) {
  Json all = Json::array();
  for (const std::string& warning : topic_warnings(found)) {
    const std::size_t colon = warning.rfind(": ");
    const bool advised = colon != std::string::npos && warning.find("--", colon) != std::string::npos;
    all.push_back({{"kind", "fit"},
                   {"what", advised ? warning.substr(0, colon) : warning},
                   {"advice", advised ? warning.substr(colon + 2) : ""},
                   {"parameters", ""}});
  }
  return all;
}

// phi and what follows from it, computed once.
struct Shown {
  const FittedTopics& found;
  Index topics;
  Eigen::MatrixXf phi;           // topics x words
  Eigen::MatrixXf alike;         // sum_v sqrt(phi_kv phi_lv)
  std::map<Index, Index> place;  // of a word among those in the page
  std::vector<Index> words;
};

std::vector<Index> most_frequent(const FittedTopics& found, Index most) {
  std::vector<Index> order(static_cast<std::size_t>(found.vocabulary()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](Index v) { return found.word_counts[static_cast<std::size_t>(v)]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  return order;
}

void add_word(Shown& shown, Index word) {
  if (shown.place.emplace(word, std::ssize(shown.words)).second) shown.words.push_back(word);
}

Shown prepare(const FittedTopics& found) {
  const Index topics = std::clamp<Index>(found.topics_in_use(), 1, std::min(most_topics_shown, found.topics()));
  Shown shown{found, topics, found.mean_phi().topRows(topics), {}, {}, {}};
  const Eigen::MatrixXf roots = shown.phi.cwiseSqrt();
  shown.alike = roots * roots.transpose();
  for (const Index word : most_frequent(found, most_words)) add_word(shown, word);
  for (Index k = 0; k < topics; ++k) {
    for (const WordShare& one : top_words(shown.phi, k, words_of_topic)) add_word(shown, one.word);
  }
  return shown;
}

Json shares_json(const std::vector<TopicShare>& shares) {
  Json all = Json::array();
  for (const TopicShare& one : shares) all.push_back({one.topic, std::round(one.share * 1000) / 1000});
  return all;
}

Json near(const Shown& shown, Index topic) {
  Eigen::VectorXf others = shown.alike.col(topic);
  others[topic] = -1;
  return shares_json(top_topics(others, std::min(neighbours, shown.topics - 1), 0));
}

Json topics(const Shown& shown) {
  const FittedTopics& found = shown.found;
  const Vec weights = found.mean_weights();
  Json all = Json::array();
  for (Index k = 0; k < shown.topics; ++k) {
    Json words = Json::array(), documents = Json::array();
    for (const WordShare& one : top_words(shown.phi, k, words_of_topic)) {
      words.push_back({shown.place.at(one.word), rounded(one.probability), rounded(lift_of(found, one))});
    }
    if (found.shares.cols() > 0) {
      const Eigen::VectorXf shares = found.shares.row(k).head(std::min(most_documents, found.shares.cols()));
      documents = shares_json(top_topics(shares, documents_of_topic, least_share));
    }
    all.push_back({{"share", rounded(found.prevalence[k])},
                   {"weight", rounded(weights[k])},
                   {"words", std::move(words)},
                   {"documents", std::move(documents)},
                   {"near", near(shown, k)}});
  }
  return all;
}

// p(topic | word) is in proportion to the topic's share of all tokens times its probability of the word.
Json words(const Shown& shown) {
  Json names = Json::array(), counts = Json::array(), of_words = Json::array();
  for (const Index word : shown.words) {
    names.push_back(shown.found.word(word));
    counts.push_back(shown.found.word_counts[static_cast<std::size_t>(word)]);
    Eigen::VectorXf of_word = shown.phi.col(word).cwiseProduct(shown.found.prevalence.head(shown.topics).cast<float>());
    of_word /= std::max(of_word.sum(), std::numeric_limits<float>::min());
    of_words.push_back(shares_json(top_topics(of_word, topics_of_word, 10 * least_share)));
  }
  return {{"names", std::move(names)}, {"counts", std::move(counts)}, {"topics", std::move(of_words)}};
}

Json documents(const FittedTopics& found, Index topics) {
  if (found.shares.cols() == 0) return nullptr;
  Json names = Json::array(), of_documents = Json::array();
  for (Index n = 0; n < std::min(most_documents, found.shares.cols()); ++n) {
    names.push_back(found.document(n));
    of_documents.push_back(shares_json(top_topics(found.shares.col(n).head(topics), topics_of_document, least_share)));
  }
  return {{"names", std::move(names)}, {"topics", std::move(of_documents)}};
}

// From the largest topic on, always to the one that is most alike among those that are left.
std::vector<Index> chain_of_neighbours(const Eigen::MatrixXf& alike) {
  std::vector<Index> order = {0};
  std::vector<Index> left(static_cast<std::size_t>(alike.rows() - 1));
  std::iota(left.begin(), left.end(), 1);
  while (!left.empty()) {
    const auto next = std::ranges::max_element(left, {}, [&](Index k) { return alike(order.back(), k); });
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

Json similarity(const Shown& shown) {
  const Index size = std::min(shown.topics, most_similar);
  if (size < 2) return nullptr;
  const std::vector<Index> order = chain_of_neighbours(shown.alike.topLeftCorner(size, size));
  std::vector<std::uint8_t> bytes;
  for (const Index k : order) {
    for (const Index l : order) {
      bytes.push_back(static_cast<std::uint8_t>(std::round(255 * std::clamp(shown.alike(k, l), 0.0F, 1.0F))));
    }
  }
  return {{"order", order}, {"data", base64(bytes)}};
}

Json rounded_all(const std::vector<double>& numbers) {
  Json all = Json::array();
  for (const double number : numbers) all.push_back(rounded(number));
  return all;
}

Json held_out(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  if (info.held_out_tokens == 0) return nullptr;
  return {{"perplexity", rounded(info.perplexity)},
          {"unigram", rounded(info.unigram_perplexity)},
          {"uniform", found.vocabulary()},
          {"tokens", info.held_out_tokens},
          {"source", info.held_out_source},
          {"passes", rounded_all(found.held_out.passes)},
          {"seconds", rounded_all(found.held_out.seconds)},
          {"curve", rounded_all(found.held_out.perplexity)}};
}

Json trace(const FittedTopics& found) {
  const TopicTrace& all = found.trace;
  Json curves = Json::array();
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    if (std::ranges::any_of(values, [](double value) { return std::isfinite(value); })) {
      curves.push_back({{"name", name}, {"values", rounded_all(values)}});
    }
  };
  add("topics in use", all.topics_in_use);
  add("objective", all.objective);
  for (std::size_t k = 0; k < all.names.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < all.moments(); ++i) values.push_back(all.scalar(i, k));
    add(all.names[k], values);
  }
  return {{"passes", rounded_all(all.passes)},
          {"burn_in", found.info.burn_in},
          {"seconds", rounded_all(all.seconds)},
          {"curves", std::move(curves)}};
}

}  // namespace

Json topics_data(const FittedTopics& found) {
  const Shown shown = prepare(found);
  Json data;
  data["title"] = fmt::format("Topics of {}, {}", found.info.data_source, found.info.method);
  data["facts"] = facts_of_topics(found);
  data["command"] = command_of(found.info);
  data["hashes"] = hashes_of(found.info);
  data["problems"] = problems_of_topics(found);
  data["checked"] = {"room for topics", "the held-out curve", "effective sample sizes"};
  data["room"] = found.topics();
  data["in_use"] = found.topics_in_use();
  data["topics"] = topics(shown);
  data["words"] = words(shown);
  data["documents"] = documents(found, shown.topics);
  data["all_words"] = found.vocabulary();
  data["all_documents"] = found.info.documents;
  data["similarity"] = similarity(shown);
  data["held_out"] = held_out(found);
  data["trace"] = trace(found);
  return data;
}

}  // namespace quasar
