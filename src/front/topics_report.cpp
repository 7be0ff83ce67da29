#include "front/topics_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "front/topic_facts.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

constexpr double nearly_all = 0.99, least_share_shown = 0.01;
constexpr Index topics_of_document = 5, documents_of_topic = 5;

std::string time_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string what_was_fitted(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  return fmt::format("{}: {}, {}, {}\n", printable(info.data_source), counted(info.documents, "document", "documents"),
                     counted(found.vocabulary(), "word", "words"), counted(info.tokens, "token", "tokens"));
}

std::string how_it_went(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  std::string text = info.method + ": ";
  const Index used = found.topics_in_use();
  if (info.topic_count == to_string(TopicCount::bounded)) {
    text += fmt::format("{} of {} topics in use", used, found.topics());
  } else {
    text += counted(used, "topic", "topics");
  }
  if (info.topic_count != to_string(TopicCount::fixed)) {
    text += fmt::format(", {} of them with {:g} % of the tokens", topics_that_hold(found.prevalence, nearly_all),
                        100 * nearly_all);
  }
  text += fmt::format("\n{:g} {} in {}", info.passes, info.passes == 1 ? "sweep" : "sweeps", time_text(info.seconds));
  if (info.kind != "variational") {
    text += fmt::format(", {:g} of them burn-in; {} kept", std::min(info.burn_in, info.passes),
                        counted(std::ssize(found.draws), "draw", "draws"));
  } else {
    text += info.converged ? ", converged" : ", not converged";
  }
  return text + (info.stopped_early ? "; stopped early\n" : "\n");
}

std::string held_out_words_text(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  if (info.held_out_tokens == 0) return "";
  return fmt::format("held out, {}: perplexity {:.4g} (unigram {:.4g}, uniform {}) of {}\n",
                     printable(info.held_out_source), info.perplexity, info.unigram_perplexity, found.vocabulary(),
                     counted(info.held_out_tokens, "token", "tokens"));
}

std::string scalars_table(const FittedTopics& found) {
  const std::vector<ScalarSummary> scalars = summarize_scalars(found);
  if (scalars.empty()) return "";
  const bool drawn = scalars.front().q5.has_value();
  TextTable table(drawn ? std::vector<std::string>{"<hyperparameter", "mean", "5%", "95%", "ess"}
                        : std::vector<std::string>{"<hyperparameter", "value"});
  for (const ScalarSummary& scalar : scalars) {
    std::vector<std::string> cells = {scalar.name, number(scalar.mean)};
    if (drawn) cells.insert(cells.end(), {number(*scalar.q5), number(*scalar.q95), count(*scalar.ess)});
    table.add(std::move(cells));
  }
  return fmt::format("\n{}", table.text());
}

std::string topics_table(const FittedTopics& found, Index most, Index words) {
  const Eigen::MatrixXf phi = found.mean_phi();
  const Vec weights = found.mean_weights();
  const Index used = std::max<Index>(1, found.topics_in_use());
  const Index shown = std::min(most, used);
  TextTable table({"topic", "share", "weight", "<words"});
  for (Index k = 0; k < shown; ++k) {
    table.add({fmt::format("{}", k + 1), percent(found.prevalence[k]), number(weights[k], 3),
               words_in_a_row(found, phi, k, words)});
  }
  std::string text = fmt::format("\n{}", table.text());
  if (used > shown) text += fmt::format("... {} more\n", counted(used - shown, "topic", "topics"));
  return text;
}

std::string documents_table(const FittedTopics& found, Index most) {
  const Index shown = std::min(most, found.shares.cols());
  if (shown == 0) return "";
  TextTable table({"<document", "<topics"});
  for (Index n = 0; n < shown; ++n) {
    std::string topics;
    for (const TopicShare& one : top_topics(found.shares.col(n), topics_of_document, least_share_shown)) {
      topics += fmt::format("{}{}: {}", topics.empty() ? "" : ", ", one.topic + 1, percent(one.share));
    }
    table.add({found.document(n), std::move(topics)});
  }
  std::string text = fmt::format("\n{}", table.text());
  if (found.shares.cols() > shown) {
    text += fmt::format("... {} more\n", counted(found.shares.cols() - shown, "document", "documents"));
  }
  return text;
}

Json topics_json(const TopicsReport& report, Index first, Index count) {
  const FittedTopics& found = report.found;
  const Eigen::MatrixXf phi = found.mean_phi();
  const Vec weights = found.mean_weights();
  Json topics = Json::array();
  for (Index k = first; k < std::min(first + count, found.topics()); ++k) {
    Json words = Json::array();
    for (const WordShare& one : top_words(phi, k, report.words)) {
      words.push_back(
          {{"word", found.word(one.word)}, {"probability", one.probability}, {"lift", lift_of(found, one)}});
    }
    topics.push_back(
        {{"topic", k + 1}, {"share", found.prevalence[k]}, {"weight", weights[k]}, {"words", std::move(words)}});
  }
  return topics;
}

// The documents with most of a topic.
std::vector<TopicShare> documents_of(const FittedTopics& found, Index topic) {
  if (found.shares.cols() == 0) return {};
  const Eigen::VectorXf shares = found.shares.row(topic);
  return top_topics(shares, documents_of_topic, 0);
}

Json documents_json(const FittedTopics& found, Index most) {
  Json documents = Json::array();
  for (Index n = 0; n < std::min(most, found.shares.cols()); ++n) {
    Json topics = Json::array();
    for (const TopicShare& one : top_topics(found.shares.col(n), found.topics(), least_share_shown)) {
      topics.push_back({{"topic", one.topic + 1}, {"share", one.share}});
    }
    documents.push_back({{"document", found.document(n)}, {"topics", std::move(topics)}});
  }
  return documents;
}

Json held_out_words_json(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  Json curve = Json::array();
  for (std::size_t i = 0; i < found.held_out.passes.size(); ++i) {
    curve.push_back({{"passes", found.held_out.passes[i]},
                     {"seconds", found.held_out.seconds[i]},
                     {"perplexity", found.held_out.perplexity[i]}});
  }
  return {{"source", info.held_out_source},     {"tokens", info.held_out_tokens}, {"perplexity", info.perplexity},
          {"unigram", info.unigram_perplexity}, {"uniform", found.vocabulary()},  {"curve", std::move(curve)}};
}

}  // namespace

std::string TopicsReport::text() const {
  return what_was_fitted(found) + how_it_went(found) + held_out_words_text(found) + scalars_table(found) +
         topics_table(found, topics, words) + documents_table(found, documents);
}

std::string TopicsReport::topic_text(Index topic) const {
  const Eigen::MatrixXf phi = found.mean_phi();
  std::string text = fmt::format("topic {} of {}: {} of the tokens, weight {:.3g}\n\n", topic + 1, found.topics(),
                                 percent(found.prevalence[topic]), found.mean_weights()[topic]);
  TextTable table({"<word", "probability", "lift"});
  for (const WordShare& one : top_words(phi, topic, words)) {
    table.add({found.word(one.word), number(one.probability, 3), number(lift_of(found, one), 3)});
  }
  text += table.text();
  const std::vector<TopicShare> shares = documents_of(found, topic);
  if (shares.empty()) return text;
  TextTable largest({"<document", "share"});
  for (const TopicShare& one : shares) largest.add({found.document(one.topic), percent(one.share)});
  return fmt::format("{}\n{}", text, largest.text());
}

Json TopicsReport::topic_json(Index topic) const {
  Json json = topics_json(*this, topic, 1).front();
  for (const TopicShare& one : documents_of(found, topic)) {
    json["documents"].push_back({{"document", found.document(one.topic)}, {"share", one.share}});
  }
  return json;
}

Json TopicsReport::to_json() const {
  const TopicFitInfo& info = found.info;
  Json json = {{"file", info.data_source},
               {"method", info.method},
               {"kind", info.kind},
               {"documents", info.documents},
               {"vocabulary", found.vocabulary()},
               {"tokens", info.tokens},
               {"room", found.topics()},
               {"topics_in_use", found.topics_in_use()},
               {"sweeps", info.passes},
               {"burn_in", info.burn_in},
               {"draws", found.draws.size()},
               {"converged", info.converged},
               {"stopped_early", info.stopped_early},
               {"seed", info.seed},
               {"seconds", info.seconds}};
  json["configuration"] = parse_json("the configuration of the fit", info.configuration);
  if (info.held_out_tokens > 0) json["held_out"] = held_out_words_json(found);
  json["hyperparameters"] = Json::array();
  for (const ScalarSummary& scalar : summarize_scalars(found)) {
    json["hyperparameters"].push_back({{"name", scalar.name},
                                       {"mean", scalar.mean},
                                       {"q5", optional_number(scalar.q5)},
                                       {"q95", optional_number(scalar.q95)},
                                       {"ess_bulk", optional_number(scalar.ess)}});
  }
  json["topics"] = topics_json(*this, 0, topics);
  if (documents > 0) json["shares"] = documents_json(found, documents);
  json["warnings"] = topic_warnings(found);
  return json;
}

}  // namespace quasar
