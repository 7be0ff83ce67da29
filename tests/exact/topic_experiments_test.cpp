// The experiments on topics, quick: what lies between the lines that it has to lie between, and what they need.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>
#include <quasar/rng.hpp>

#include "experiments/topic_curves.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

constexpr const char* per_word = "log likelihood per word";

double value_in(const ExperimentResult& result, const std::string& method, const std::string& quantity) {
  for (const ExperimentRow& row : result.rows) {
    if (row.method == method && row.quantity == quantity) return row.value;
  }
  throw std::out_of_range(method + ": " + quantity);
}

ExperimentResult quick_run(const char* experiment, const std::string& data_dir = "") {
  ExperimentOptions options;
  options.quick = true;
  options.data_dir = data_dir;
  return find_experiment(experiment).run(options);
}

// Documents of 60 tokens with the words of one of two kinds, in turn.
Corpus two_kinds(Index documents, std::uint64_t seed = 2) {
  Corpus corpus{.vocabulary = 40};
  Stream draws = Rng(seed).stream("documents");
  for (Index n = 0; n < documents; ++n) {
    std::vector<std::uint32_t> words, counts;
    for (std::uint32_t v = 0; v < 20; ++v) {
      const auto count = static_cast<std::uint32_t>(draws.poisson(3));
      if (count > 0) words.push_back(v + (n % 2 == 0 ? 0 : 20)), counts.push_back(count);
    }
    corpus.add({words, counts});
  }
  return corpus;
}

// Of two kinds of 20 words, all alike, the best is -log 20; who cannot tell them apart has -log 40.
TEST(TopicCurves, RiseToWhatCanBeKnown) {
  const TokenSplit split = split_tokens(two_kinds(100), 0.2, Rng(3));
  for (const char* name : {"VGP", "VnGP", "VBP", "VIBP", "SGP", "SNBP"}) {
    const TopicCandidate candidate = topic_candidate(name);
    const TopicCurve curve = topic_curve(candidate, split, {{"topics", "6"}}, {60, 2, 10}, 1);
    EXPECT_GT(curve.of_average, -std::log(40.0) + 0.3) << name;
    EXPECT_LT(curve.of_average, -std::log(20.0)) << name;
    EXPECT_GE(curve.topics, 2) << name;
    ASSERT_EQ(curve.steps.size(), curve.per_word.size());
    EXPECT_GT(curve.steps.back(), 2);
    EXPECT_GE(curve.seconds.back(), curve.seconds.front());
    EXPECT_EQ(curve.of_average == curve.per_word.back(), !candidate.draws) << name;
  }
}

// Three hundred documents are too few to find the topics.
TEST(GammaProcessSynthetic, NoMethodKnowsMoreThanTheTruth) {
  const ExperimentResult result = quick_run("gamma-process-synthetic");
  const double truth = value_in(result, "true topics and shares", per_word),
               inferred = value_in(result, "true topics, shares inferred", per_word),
               one = value_in(result, "one topic", per_word);
  EXPECT_LT(one, inferred);
  EXPECT_LT(inferred, truth);
  for (const char* method :
       {"VGP", "VnGP", "VGP, scales learned", "VnGP, scales learned", "VIBP", "VBP", "SGP", "SNBP"}) {
    EXPECT_GT(value_in(result, method, per_word), one - 0.1) << method;
    EXPECT_LT(value_in(result, method, per_word), inferred) << method;
  }
  ASSERT_EQ(result.figures.at(0).panels.size(), 1U);
  EXPECT_EQ(result.figures.at(0).panels.at(0).series.size(), 10U);
  for (const Series& series : result.figures.at(0).panels.at(0).series) EXPECT_EQ(series.x.size(), series.y.size());
}

void write_uci(const Corpus& corpus, const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);  // what is inside tells that it is plain, whatever its name is
  out << corpus.documents() << '\n' << corpus.vocabulary << '\n' << corpus.nonzeros() << '\n';
  for (Index n = 0; n < corpus.documents(); ++n) {
    const Document document = corpus.document(n);
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      out << n + 1 << ' ' << document.words[i] + 1 << ' ' << document.counts[i] << '\n';
    }
  }
}

TEST(GammaProcessCorpora, ComparesAllMethods) {
  const test::TempFolder folder;
  write_uci(two_kinds(60), folder.path() / "uci-bow-kos" / "docword.kos.txt.gz");
  const ExperimentResult result = quick_run("gamma-process-corpora", folder.path());
  const double one = value_in(result, "KOS, one topic", per_word);
  EXPECT_NEAR(one, -std::log(40.0), 0.05);
  for (const char* method : {"VGP", "VnGP", "VBP", "VIBP", "SGP", "SNBP"}) {
    EXPECT_GT(value_in(result, std::string("KOS, ") + method, per_word), one) << method;
  }
  EXPECT_EQ(result.figures.at(0).panels.size(), 3U);
}

// Later documents are of the same two kinds: 40 is the perplexity of one topic, 20 that of the truth. With the errors
// of phi from 120 documents, 0.075 of a word's probability, 480 tokens have 20.06 +- 0.07: 19.7 is five deviations
// below.
TEST(Newsgroups, AllMethodsTellTheWordsOfLaterDocuments) {
  const test::TempFolder folder;
  const auto file = [&](const std::string& part) {
    return folder.path() / "20newsgroups" / ("docword.20news." + part + ".txt.gz");
  };
  write_uci(two_kinds(120), file("train"));
  write_uci(two_kinds(40, 3), file("test"));
  for (const char* experiment : {"nphmc-topics", "mcem-topics"}) {
    const ExperimentResult result = quick_run(experiment, folder.path());
    EXPECT_EQ(value_in(result, "uniform", "perplexity"), 40);
    EXPECT_NEAR(value_in(result, "unigram", "perplexity"), 40, 1);
    int methods = 0;
    for (const ExperimentRow& row : result.rows) {
      EXPECT_NE(row.quantity, "diverged_at") << row.method;
      if (row.quantity != "topics in use") continue;
      ++methods;
      EXPECT_GE(row.value, 2) << row.method;
      EXPECT_LT(value_in(result, row.method, "perplexity"), 30) << row.method;
      EXPECT_GT(value_in(result, row.method, "perplexity"), 19.7) << row.method;
    }
    EXPECT_GE(methods, 9) << experiment;
    ASSERT_EQ(result.figures.at(0).panels.size(), 2U);
  }
  write_uci(Corpus{.vocabulary = 3}, file("test"));
  EXPECT_THROW(quick_run("mcem-topics", folder.path()), DataError);
  EXPECT_THROW(quick_run("mcem-topics"), UsageError);
}

TEST(GammaProcessCorpora, SaysWhatItNeeds) {
  EXPECT_THROW(quick_run("gamma-process-corpora"), UsageError);
  EXPECT_THROW(quick_run("gamma-process-corpora", "/nowhere"), DataError);
}

}  // namespace
}  // namespace quasar
