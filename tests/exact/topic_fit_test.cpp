// The loop that fits topics, on a method whose every state is known: what is looked at, what is kept and when, what is
// told of it, and that a fit that is taken up again goes on as if it had never stopped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "front/fit_topics.hpp"
#include "front/infer_topics.hpp"
#include "front/topic_facts.hpp"
#include "front/topics_report.hpp"
#include "io/topic_file.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::TempFolder;

constexpr Index words = 4;

// After t steps topic k has t + k tokens, and a law over words that t and k decide.
class Counter : public TopicMethod {
 public:
  Counter(double passes_per_step, bool grows, double converges_at)
      : per_step_(passes_per_step), grows_(grows), converges_at_(converges_at) {}

  void step() override { ++t; }
  double data_passes() const override { return per_step_ * static_cast<double>(t); }
  bool converged() const override { return data_passes() >= converges_at_; }
  double objective() const override { return -1.0 / static_cast<double>(t); }
  Index topics() const override { return grows_ ? 2 + t % 3 : 3; }
  Vec prevalence() const override { return Vec::LinSpaced(topics(), 0, static_cast<double>(topics() - 1)).array() + t; }
  TopicDraw draw() const override {
    Eigen::MatrixXf phi = Eigen::MatrixXf::Constant(topics(), words, 0.1F);
    for (Index k = 0; k < topics(); ++k) phi(k, (t + k) % words) = 0.7F;
    return {phi, Vec::Constant(topics(), static_cast<double>(t))};
  }
  std::vector<NamedNumber> scalars() const override {
    return {{"twice", t == breaks_at ? std::numeric_limits<double>::quiet_NaN() : 2.0 * static_cast<double>(t)}};
  }
  bool shares(Index document, Out out) const override {
    out.setZero();
    out[(document + t) % topics()] = 1;
    return true;
  }
  void save(Writer& out) const override { out("t", t); }
  void load(Reader& in) override { in("t", t); }

  Index t = 0;
  inline static Index breaks_at = -1;

 private:
  double per_step_;
  bool grows_;
  double converges_at_;
};

constexpr double never = std::numeric_limits<double>::infinity();
std::span<const ParamSpec> no_params() { return {}; }
template <int steps_in_a_pass, bool grows>
std::unique_ptr<TopicMethod> make_counter(std::shared_ptr<const DocumentSource>, const Config&, const TopicRun&) {
  return std::make_unique<Counter>(1.0 / steps_in_a_pass, grows, never);
}
std::unique_ptr<TopicMethod> make_climber(std::shared_ptr<const DocumentSource>, const Config&, const TopicRun&) {
  return std::make_unique<Counter>(1, false, 7);
}

const TopicMethodEntry sampler{.name = "counter", .doc = "", .params = no_params, .make = make_counter<1, false>};
const TopicMethodEntry in_batches{
    .name = "batches", .doc = "", .kind = TopicKind::stochastic, .params = no_params, .make = make_counter<3, false>};
const TopicMethodEntry growing{
    .name = "growing", .doc = "", .count = TopicCount::open, .params = no_params, .make = make_counter<1, true>};
const TopicMethodEntry climber{
    .name = "climber", .doc = "", .kind = TopicKind::variational, .params = no_params, .make = make_climber};

OpenCorpus documents() {
  Corpus corpus;
  corpus.vocabulary = words;
  for (std::uint32_t n = 0; n < 6; ++n) {
    const std::uint32_t of_document[] = {n % 2, 2 + n % 2}, counts[] = {20, 10 + n};
    corpus.add({of_document, counts});
  }
  return {std::make_shared<DocumentsInMemory>(corpus), {"a", "b", "c", "d"}, {}, 12, "memory", "hash", "counts"};
}

TopicFitSettings settings_of(const TopicMethodEntry& method, double sweeps, double burn_in, Index draws) {
  TopicFitSettings settings;
  settings.method = &method;
  settings.sweeps = sweeps;
  settings.burn_in = burn_in;
  settings.draws = draws;
  settings.evaluate_every = sweeps / 4;
  return settings;
}

TopicTask task_of(const TopicMethodEntry& method, double sweeps, double burn_in, Index draws,
                  const std::string& held_out = "") {
  const Config reading("documents", corpus_params(), {});
  return topic_task(documents(), held_out, reading, settings_of(method, sweeps, burn_in, draws));
}

FittedTopics fitted(TopicTask task) {
  TopicFit fit(std::move(task));
  ChainProgress progress;
  return fit_topics(fit, progress, {});
}

// By its largest weight a draw tells after how many steps it was made.
std::vector<double> steps_of(const FittedTopics& found) {
  std::vector<double> steps;
  for (const TopicDraw& draw : found.draws) steps.push_back(draw.weights.maxCoeff());
  return steps;
}

TEST(TopicFit, DrawsAreKeptEvenlyAfterTheBurnIn) {
  FittedTopics found = fitted(task_of(sampler, 12, 4, 4));
  EXPECT_EQ(steps_of(found), (std::vector<double>{6, 8, 10, 12}));
  EXPECT_EQ(found.trace.moments(), 12U);
  EXPECT_EQ(found.trace.passes.back(), 12);
  EXPECT_EQ(found.trace.scalar(4, 0), 10);
  EXPECT_EQ(found.trace.topics_in_use.front(), 3);
  EXPECT_FALSE(found.info.stopped_early);
  EXPECT_EQ(found.info.passes, 12);

  // Topics come with the largest first: what was topic 2 is topic 0, in phi, weights, shares and prevalence.
  EXPECT_GT(found.prevalence[0], found.prevalence[2]);
  EXPECT_NEAR(found.prevalence.sum(), 1, 1e-12);
  EXPECT_EQ(found.draws[0].phi(0, (6 + 2) % words), 0.7F);
  EXPECT_NEAR(found.mean_phi().row(0).sum(), 1, 1e-6);
  for (Index n = 0; n < 6; ++n) {
    EXPECT_NEAR(found.shares.col(n).sum(), 1, 1e-6);
    double mean = 0;  // of topic 0: it had document n at steps t with (n + t) % 3 == 2
    for (const int t : {6, 8, 10, 12}) mean += (n + t) % 3 == 2 ? 0.25 : 0;
    EXPECT_NEAR(found.shares(0, n), mean, 1e-6);
  }

  found = fitted(task_of(in_batches, 4, 2, 3));  // a third of a pass in a step
  EXPECT_EQ(steps_of(found), (std::vector<double>{8, 10, 12}));
  found = fitted(task_of(sampler, 5, 2, 100));  // no more than there are steps
  EXPECT_EQ(steps_of(found), (std::vector<double>{3, 4, 5}));
}

TEST(TopicFit, AVariationalMethodEndsWhenItHasConverged) {
  const FittedTopics found = fitted(task_of(climber, 100, 0, 1));
  EXPECT_EQ(steps_of(found), (std::vector<double>{7}));
  EXPECT_TRUE(found.info.converged);
  EXPECT_FALSE(found.info.stopped_early);
  EXPECT_EQ(found.trace.objective.back(), -1.0 / 7);
  EXPECT_TRUE(topic_warnings(fitted(task_of(climber, 5, 0, 1))).front().starts_with("not converged after 5 passes"));
  FittedTopics by_minibatches = fitted(task_of(climber, 5, 0, 1));
  by_minibatches.info.method = "vgp-svi";  // which makes all its sweeps
  for (const std::string& warning : topic_warnings(by_minibatches)) EXPECT_FALSE(warning.starts_with("not converged"));
}

TEST(TopicFit, TopicsThatAreOthersInEachDraw) {
  FittedTopics found = fitted(task_of(growing, 8, 5, 3));  // of 6, 7 and 8 steps: 2, 3 and 4 topics
  EXPECT_EQ(found.topics(), 4);
  EXPECT_EQ(found.draws[0].weights, (Vec(4) << 6, 6, 0, 0).finished());
  EXPECT_NEAR(found.draws[0].phi.row(3).sum(), 1, 1e-6);
  EXPECT_EQ(found.mean_phi(), found.draws.back().phi);
  EXPECT_EQ(found.shares.rows(), 4);
  found = fitted(task_of(growing, 9, 6, 3));  // the last has 2 topics
  EXPECT_EQ(found.topics(), 4);
  EXPECT_EQ(found.topics_in_use(), 2);
  EXPECT_EQ(found.prevalence.tail(2).sum(), 0);
  EXPECT_EQ(infer_shares(*documents().documents, found, {}, Rng(1)).bottomRows(2).sum(), 0);
  ASSERT_EQ(found.shares.rows(), 4);  // as many as the other draws have, as the file has them
  EXPECT_EQ(found.shares.bottomRows(2).sum(), 0);
  EXPECT_TRUE(found.shares.colwise().sum().isOnes(1e-6F));
}

// Tokens that are held out are not fitted; by the method's own shares their probabilities can be told by hand.
TEST(TopicFit, HeldOutTokens) {
  const TopicTask task = task_of(sampler, 8, 4, 2, "0.25");
  const std::shared_ptr<const TokenSplit> split = task.held_out->split;
  EXPECT_EQ(split->seen.tokens() + split->held_out.tokens(), documents().documents->tokens());
  const FittedTopics found = fitted(task);
  EXPECT_EQ(found.info.tokens, split->seen.tokens());
  EXPECT_EQ(found.held_out.passes, (std::vector<double>{2, 4, 6, 8}));
  double last = 0, mean = 0;
  const auto probability = [](Index n, std::uint32_t v, Index t) {
    const Index topic = (n + t) % 3;
    return static_cast<Index>(v) == (t + topic) % words ? 0.7 : 0.1;
  };
  for (Index n = 0; n < 6; ++n) {
    const Document document = split->held_out.document(n);
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      const std::uint32_t v = document.words[i];
      last += document.counts[i] * std::log(probability(n, v, 8));
      mean += document.counts[i] * std::log((probability(n, v, 6) + probability(n, v, 8)) / 2);
    }
  }
  const auto tokens = static_cast<double>(split->held_out.tokens());
  EXPECT_NEAR(found.held_out.perplexity.back(), std::exp(-last / tokens), 1e-5);
  EXPECT_NEAR(found.info.perplexity, std::exp(-mean / tokens), 1e-5);
  EXPECT_EQ(found.info.held_out_tokens, split->held_out.tokens());
  EXPECT_NEAR(found.info.unigram_perplexity, unigram_score(split->seen, *split).perplexity(), 1e-12);
}

// As quasar topics score does by default.
TEST(TopicFit, OtherDocumentsAreJudgedByAFifthOfTheirTokens) {
  const TempFolder folder;
  const std::string file = folder.write("other.csv", "document,word,count\nx,a,400\nx,d,300\ny,b,500\n").string();
  const TopicTask task = task_of(sampler, 8, 4, 2, file);
  const TokenSplit& split = *task.held_out->split;
  EXPECT_EQ(split.seen.tokens() + split.held_out.tokens(), 1200);
  const OpenCorpus other = read_corpus(file, Config("documents", corpus_params(), {}));
  const Rng rng = Rng(task.settings.seed).child("held-out");
  EXPECT_EQ(split.held_out.tokens(), split_tokens(*other.documents->whole(), 0.2, rng).held_out.tokens());
  EXPECT_EQ(task.documents.documents->tokens(), documents().documents->tokens());
}

TEST(TopicFit, WhatIsNotFiniteStopsIt) {
  Counter::breaks_at = 3;
  const std::string message = test::error_message<RunError>([] { fitted(task_of(sampler, 8, 4, 2)); });
  Counter::breaks_at = -1;
  EXPECT_TRUE(message.starts_with("twice is nan after 3 passes over the documents")) << message;
}

void expect_same(const FittedTopics& a, const FittedTopics& b) {
  ASSERT_EQ(a.draws.size(), b.draws.size());
  for (std::size_t i = 0; i < a.draws.size(); ++i) {
    EXPECT_EQ(a.draws[i].phi, b.draws[i].phi);
    EXPECT_EQ(a.draws[i].weights, b.draws[i].weights);
  }
  EXPECT_EQ(a.prevalence, b.prevalence);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.trace.scalars, b.trace.scalars);
  EXPECT_EQ(a.held_out.perplexity, b.held_out.perplexity);
  EXPECT_EQ(a.info.perplexity, b.info.perplexity);
}

// Saved after any number of steps, before, between and after draws, a fit goes on to the same end.
TEST(TopicFit, GoesOnFromWhereItWasSaved) {
  for (const TopicMethodEntry* method : {&sampler, &growing, &in_batches}) {
    const FittedTopics whole = fitted(task_of(*method, 8, 4, 2, "0.25"));
    for (int steps = 1; steps < 8; ++steps) {
      TopicFit first(task_of(*method, 8, 4, 2, "0.25")), second(task_of(*method, 8, 4, 2, "0.25"));
      for (int i = 0; i < steps; ++i) first.step();
      Writer out;
      first.save(out);
      Reader in(out.bytes());
      second.load(in);
      EXPECT_TRUE(in.at_end());
      ChainProgress progress;
      expect_same(fit_topics(second, progress, {}), whole);
    }
  }
}

TEST(TopicFit, StoppedItKeepsItsFolderAndCanBeResumed) {
  TempFolder folder;
  Durability durability{.out = folder.file("t.nc"), .checkpoint_every = 2};
  ChainProgress progress;
  std::stop_source stop;
  stop.request_stop();
  TopicFit stopped(task_of(sampler, 8, 4, 2));
  stopped.step();
  EXPECT_TRUE(fit_topics_durably(stopped, durability, progress, stop.get_token()).info.stopped_early);
  EXPECT_TRUE(read_topics(durability.out).info.stopped_early);
  EXPECT_TRUE(std::filesystem::exists(folder.file("t.nc.part")));

  durability.resume = true;
  EXPECT_FALSE(already_fitted(durability, stopped.info()));
  TopicFit other(task_of(sampler, 9, 4, 2));
  EXPECT_EQ(test::error_message<UsageError>([&] { already_fitted(durability, other.info()); }),
            folder.file("t.nc.part").string() +
                " cannot be resumed: evaluate_every: 2 there, 2.25 here; sweeps: 8 there, 9 here. Resume it as it "
                "was begun, or start anew with --overwrite alone");
  TopicFit resumed(task_of(sampler, 8, 4, 2));
  expect_same(fit_topics_durably(resumed, durability, progress, {}), fitted(task_of(sampler, 8, 4, 2)));
  EXPECT_FALSE(std::filesystem::exists(folder.file("t.nc.part")));
  EXPECT_TRUE(already_fitted(durability, resumed.info()));
}

TEST(TopicFit, SettingsThatContradict) {
  const auto refused = [](const Settings& fit) {
    return test::error_message<UsageError>([&] { topic_fit_settings(Config("topics", topic_fit_params(), fit), {}); });
  };
  EXPECT_EQ(refused({{"sweeps", "10"}, {"burn_in", "10"}}),
            "--burn-in = 10: must be below --sweeps = 10, or nothing is left to keep");
  EXPECT_EQ(refused({{"sweeps", "0"}}),
            "--sweeps = '0': must be a number of passes over the documents, above 0, or auto");
  EXPECT_EQ(refused({{"method", "gamma-pg"}}), "unknown method 'gamma-pg'; did you mean 'gamma-gp'?");
  const TopicFitSettings by_default = topic_fit_settings(Config("topics", topic_fit_params(), {}), {});
  EXPECT_EQ(by_default.burn_in, by_default.sweeps / 2);
}

TEST(TopicFacts, WhatIsToldOfTopics) {
  FittedTopics found = fitted(task_of(sampler, 12, 4, 4));
  const std::string text = TopicsReport{found, 2, 2}.text();
  EXPECT_NE(text.find("memory: 6 documents, 4 words"), std::string::npos) << text;
  EXPECT_NE(text.find("counter: 3 of 3 topics in use"), std::string::npos) << text;
  EXPECT_NE(text.find("... 1 topic more"), std::string::npos) << text;
  const auto warnings = topic_warnings(found);
  EXPECT_EQ(warnings.front(), "all 3 topics are in use, so that there may be more: --topics 6 makes room");
  const auto falls = [&](const std::vector<double>& curve) {
    found.held_out.perplexity = curve;
    const auto told = topic_warnings(found);
    return std::ranges::count(told, "the held-out perplexity still falls: --sweeps 24 may lower it") == 1;
  };
  EXPECT_TRUE(falls({900, 800, 700, 650, 600, 560, 530, 510, 495}));
  EXPECT_FALSE(falls({900, 600, 500, 520, 480, 530, 470, 515, 505}));  // it wavers
  EXPECT_EQ(topics_that_hold((Vec(3) << 0.6, 0.39, 0.01).finished(), 0.99), 2);
  const Eigen::MatrixXf phi = (Eigen::MatrixXf(1, 4) << 0.1F, 0.4F, 0.1F, 0.4F).finished();
  const std::vector<WordShare> top = top_words(phi, 0, 3);
  EXPECT_EQ(top[0].word, 1);  // of equals the first
  EXPECT_EQ(top[2].word, 0);
}

}  // namespace
}  // namespace quasar
