#include "front/topic_shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "front/topic_facts.hpp"
#include "io/quoted_field.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index topics_shown = 3, words_shown = 4;
constexpr double least_share = 0.01;

}  // namespace

std::string TopicShares::title(Index document) const {
  return documents.titles.empty() ? fmt::format("document {}", document + 1)
                                  : documents.titles[static_cast<std::size_t>(document)];
}

std::string TopicShares::text(Index most) const {
  const Eigen::MatrixXf phi = topics.mean_phi();
  const auto described = [&](const TopicShare& one) {
    return fmt::format("{:.0f} % {} ({})", 100 * one.share, one.topic + 1,
                       words_in_a_row(topics, phi, one.topic, words_shown));
  };
  TextTable table({"<document", "<topics"});
  const Index shown = std::min(most, shares.cols());
  for (Index n = 0; n < shown; ++n) {
    std::string largest;
    for (const TopicShare& one : top_topics(shares.col(n), topics_shown, least_share)) {
      largest += fmt::format("{}{}", largest.empty() ? "" : ", ", described(one));
    }
    table.add({title(n), std::move(largest)});
  }
  std::string text = table.text();
  if (shown < shares.cols()) text += fmt::format("... {} more: --out writes all\n", shares.cols() - shown);
  return text;
}

Json TopicShares::to_json() const {
  Json all = Json::array();
  for (Index n = 0; n < shares.cols(); ++n) {
    Json of_document = Json::array();
    for (const float share : shares.col(n)) of_document.push_back(share);
    all.push_back({{"document", title(n)}, {"shares", std::move(of_document)}});
  }
  return {{"file", documents.source},
          {"topics", topics.topics()},
          {"tokens", documents.documents->tokens()},
          {"unknown_tokens", documents.left_out},
          {"documents", std::move(all)},
          {"warnings", warnings()}};
}

void TopicShares::write_csv(TextOutput& out) const {
  out.write("document");
  for (Index k = 0; k < shares.rows(); ++k) out.print(",topic_{}", k + 1);
  out.write("\n");
  for (Index n = 0; n < shares.cols(); ++n) {
    out.write(quoted_field(title(n)));
    for (const float share : shares.col(n)) out.print(",{}", share);
    out.write("\n");
  }
}

std::vector<std::string> TopicShares::warnings() const {
  const Corpus* all = documents.documents->whole();
  if (!all) return {};
  Index without = 0;
  for (Index n = 0; n < all->documents(); ++n) without += all->document(n).words.empty() ? 1 : 0;
  if (without == 0) return {};
  return {fmt::format("{} no word that the topics know: what is said of {} is what holds for any document",
                      diagnostics::counted(without, "document has", "documents have"), without == 1 ? "it" : "them")};
}

}  // namespace quasar
