// Figure 3.1a of Roychowdhury (2017): documents drawn from a gamma process, and how well VGP, VnGP, SGP and the
// negative binomial process, and beside them VIBP and VBP, tell their words that were kept back. 200 atoms, 3000
// documents, 200 words.
//
// The paper prints neither alpha, gamma, c nor the Dirichlet law of the topics; what we took is in the settings, chosen
// so that topics of few words with weights of one order tell more than the frequencies of the words do. All methods
// should be between a single topic and the topics that made the documents, in shares that are inferred from what was
// not kept back: the true shares no method can know.
#include <fmt/core.h>

#include <cmath>

#include <quasar/gamma_process.hpp>

#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/topic_curves.hpp"

namespace quasar {
namespace {

constexpr GammaProcess process{.alpha = 10, .gamma = 10, .c = 1.5};
constexpr Index rounds = 20, words = 200;
constexpr double word_prior = 0.005;

struct Size {
  Index documents, atoms;
  int restarts;
  Index iterations, sgp_burn_in, snbp_burn_in;
};
constexpr Size full{3000, 200, 10, 60, 1000, 1000}, quick{300, 200, 2, 12, 50, 50};
constexpr Index kept = 30;  // draws after burn-in

struct Drawn {
  Corpus corpus;
  TopicDraw topics;
  Mat z;  // topics x documents
};

// Atoms round by round, the first of them; phi_k ~ Dirichlet(word_prior), z_nk ~ Poisson(g_k), d_vn ~ Poisson(phi z).
Drawn draw_documents(const Size& size, const Rng& rng) {
  Stream atoms = rng.stream("atoms"), topics = rng.stream("topics");
  Vec weights = draw_gamma_process(process, rounds, atoms).weights;
  weights.conservativeResize(std::min(weights.size(), size.atoms));
  Drawn drawn{{.vocabulary = words}, {{}, weights}, Mat(weights.size(), size.documents)};
  Mat phi(weights.size(), words);
  for (Index k = 0; k < weights.size(); ++k) {
    Vec row(words);
    topics.dirichlet(Vec::Constant(words, word_prior), row);
    phi.row(k) = row.transpose();
  }
  for (Index n = 0; n < size.documents; ++n) {
    Stream draws = rng.child("document", static_cast<std::uint64_t>(n)).stream("counts");
    for (Index k = 0; k < weights.size(); ++k) drawn.z(k, n) = static_cast<double>(draws.poisson(weights[k]));
    const Vec rates = phi.transpose() * drawn.z.col(n);
    std::vector<std::uint32_t> seen, counts;
    for (Index v = 0; v < words; ++v) {
      const std::int64_t count = draws.poisson(rates[v]);
      if (count > 0) seen.push_back(static_cast<std::uint32_t>(v)), counts.push_back(static_cast<std::uint32_t>(count));
    }
    drawn.corpus.add({seen, counts});
  }
  drawn.topics.phi = phi.cast<float>();
  return drawn;
}

// z / sum z is the share of each topic.
double score_of_truth(const Drawn& drawn, const TokenSplit& split) {
  HeldOutPredictions predictions(split);
  predictions.add(drawn.topics.phi, drawn.z * drawn.z.colwise().sum().cwiseMax(1).cwiseInverse().asDiagonal());
  return predictions.score().per_token();
}

double score_of_true_topics(const Drawn& drawn, const TokenSplit& split, const Rng& rng) {
  HeldOutPredictions predictions(split);
  predictions.add(drawn.topics, {.discarded = 50, .kept = 50}, rng.child("fold in"));
  return predictions.score().per_token();
}

// The mean over restarts; those that converge early stay where they are.
TopicCurve mean_curve(const std::vector<TopicCurve>& curves, Index iterations) {
  TopicCurve mean;
  const auto count = static_cast<double>(curves.size());
  for (Index i = 0; i < iterations; ++i) {
    double sum = 0;
    for (const TopicCurve& c : curves) sum += c.per_word[std::min(static_cast<std::size_t>(i), c.per_word.size() - 1)];
    mean.steps.push_back(static_cast<double>(i + 1));
    mean.per_word.push_back(sum / count);
  }
  for (const TopicCurve& c : curves)
    mean.seconds_per_step += c.seconds_per_step / count, mean.topics += c.topics / count;
  mean.of_average = mean.per_word.back();
  return mean;
}

class Comparison {
 public:
  Comparison(const TokenSplit& split, const Size& size, const ExperimentOptions& options, ExperimentResult& result)
      : split_(split), size_(size), options_(options), result_(result) {}

  void add_level(const std::string& name, double per_word) {
    result_.rows.push_back({name, "log likelihood per word", per_word, std::nullopt, std::nullopt});
    panel_.series.push_back(
        {.name = name, .x = {1, static_cast<double>(size_.iterations)}, .y = {per_word, per_word}, .plain = true});
  }

  void add_ascent(const std::string& name, const std::string& method, Settings settings, const PrintedTopics& printed) {
    options_.on_method(name);
    settings["word_prior"] = prior_;
    std::vector<TopicCurve> curves;
    for (int i = 0; i < size_.restarts; ++i) {
      curves.push_back(topic_curve(topic_candidate(method), split_, settings, {.steps = size_.iterations},
                                   options_.seed + static_cast<std::uint64_t>(i)));
    }
    add(name, mean_curve(curves, size_.iterations), printed);
  }

  // The first draws after burn-in.
  void add_draws(const std::string& name, Settings settings, Index burn_in, const PrintedTopics& printed) {
    options_.on_method(name);
    settings["word_prior"] = prior_;
    TopicCurve curve = topic_curve(topic_candidate(name), split_, settings, {.steps = burn_in + kept, .averaged = kept},
                                   options_.seed);
    curve.per_word.erase(curve.per_word.begin(), curve.per_word.end() - kept);
    curve.steps.resize(static_cast<std::size_t>(kept));
    for (std::size_t i = 0; i < curve.steps.size(); ++i) curve.steps[i] = static_cast<double>(i + 1);
    add(name, curve, printed);
  }

  Panel panel() && { return std::move(panel_); }

 private:
  void add(const std::string& name, const TopicCurve& curve, const PrintedTopics& printed) {
    add_topic_rows(name, curve, printed, result_);
    panel_.series.push_back({.name = name, .x = curve.steps, .y = curve.per_word});
  }

  const TokenSplit& split_;
  const Size& size_;
  const ExperimentOptions& options_;
  ExperimentResult& result_;
  std::string prior_ = fmt::format("{}", word_prior);
  Panel panel_{"synthetic documents",
               {.label = "iteration; of SGP and SNBP after burn-in"},
               {.label = "held-out log likelihood per word"},
               {}};
};

}  // namespace

ExperimentResult run_gamma_process_synthetic(const ExperimentOptions& options) {
  const Size& size = options.quick ? quick : full;
  const Rng rng = Rng(options.seed).child("gamma-process-synthetic");
  const Drawn drawn = draw_documents(size, rng);
  const TokenSplit split = split_tokens(drawn.corpus, 0.2, rng);
  ExperimentResult result{
      {{"documents", fmt::format("{}, {} words, {} tokens, of which 20 % are kept back", drawn.corpus.documents(),
                                 words, drawn.corpus.tokens())},
       {"gamma process", fmt::format("alpha {}, gamma {}, c {}, {} rounds: {} atoms; not printed", process.alpha,
                                     process.gamma, process.c, rounds, drawn.z.rows())},
       {"topics", fmt::format("Dirichlet({}), which the methods know; not printed", word_prior)},
       {"restarts", fmt::format("{} of the variational methods: means", size.restarts)},
       {"burn-in", fmt::format("{} sweeps of SGP, {} of SNBP; then {}, whose predictions are averaged",
                               size.sgp_burn_in, size.snbp_burn_in, kept)}},
      {}};
  Comparison comparison(split, size, options, result);
  result.rows.push_back(
      {"true topics and shares", "log likelihood per word", score_of_truth(drawn, split), std::nullopt, std::nullopt});
  comparison.add_level("true topics, shares inferred", score_of_true_topics(drawn, split, rng));
  comparison.add_level("one topic", unigram_score(split.seen, split).per_token());
  const std::string room = options.quick ? "40" : "125";
  const Settings learned{{"topics", room}}, fixed{{"topics", room}, {"scales", "fixed"}};  // the documents have p = 1/2
  comparison.add_ascent("VGP", "VGP", fixed, {.seconds = 15});
  comparison.add_ascent("VnGP", "VnGP", fixed, {});
  comparison.add_ascent("VGP, scales learned", "VGP", learned, {});
  comparison.add_ascent("VnGP, scales learned", "VnGP", learned, {});
  for (const char* method : {"VIBP", "VBP"}) comparison.add_ascent(method, method, learned, {});
  comparison.add_draws("SGP", {{"topics", options.quick ? "20" : "50"}}, size.sgp_burn_in,
                       {.seconds = 141.6, .topics = 50});
  comparison.add_draws("SNBP", {{"topics", room}}, size.snbp_burn_in, {});
  result.figures.push_back(
      {"figure-3.1a",
       "Roychowdhury (2017), Figure 3.1a: held-out log likelihood per word on documents drawn from a gamma "
       "process. The paper draws VGP, VnGP, SGP and SNBP and prints no numbers of the curves; VIBP, VBP, learned "
       "scales and the lines are ours.",
       1,
       {std::move(comparison).panel()}});
  return result;
}

}  // namespace quasar
