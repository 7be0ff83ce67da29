// Figures 3.1b to 3.1f of Roychowdhury (2017) on the corpora at hand, KOS and NIPS: held-out log likelihood per word
// over time, seconds of an iteration over the number of topics, and what the Dirichlet law of the words does to VGP.
//
// The paper's numbers are those of PsyRev, which is not among the data; it draws KOS and prints nothing of it.
#include <fmt/core.h>

#include <filesystem>

#include <quasar/errors.hpp>

#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/topic_curves.hpp"
#include "io/documents.hpp"

namespace quasar {
namespace {

struct CorpusFile {
  const char *name, *file;
};
constexpr CorpusFile files[] = {{"KOS", "uci-bow-kos/docword.kos.txt.gz"},
                                {"NIPS", "uci-bow-nips/docword.nips7605.txt.gz"}};

Corpus first_documents(const Corpus& all, Index count) {
  Corpus some{.vocabulary = all.vocabulary};
  for (Index n = 0; n < std::min(count, all.documents()); ++n) some.add(all.document(n));
  return some;
}

Corpus read(const ExperimentOptions& options, const CorpusFile& file) {
  if (options.data_dir.empty()) {
    throw UsageError(fmt::format("this experiment reads documents: --data-dir names the folder that has {} and {}",
                                 files[0].file, files[1].file));
  }
  Corpus all = read_documents(std::filesystem::path(options.data_dir) / file.file, {}).corpus.counts;
  return options.quick ? first_documents(all, 200) : all;
}

struct Size {
  Index topics, iterations, sweeps, every;
  std::vector<Index> rooms;  // for the time of an iteration
  std::vector<const char*> word_priors;
};

Size size_of(bool quick) {
  if (quick) return {10, 10, 20, 5, {5, 10}, {"0.05", "0.5"}};
  return {100, 100, 200, 5, {25, 50, 100, 200}, {"0.01", "0.05", "0.2", "0.4", "1"}};
}

class Comparison {
 public:
  Comparison(const CorpusFile& file, const ExperimentOptions& options, ExperimentResult& result)
      : name_(file.name),
        options_(options),
        size_(size_of(options.quick)),
        result_(result),
        corpus_(read(options, file)),
        split_(split_tokens(corpus_, 0.2, Rng(options.seed).child(name_))) {
    result_.settings[name_] = fmt::format("{} documents, {} words, {} tokens, of which 20 % are kept back",
                                          corpus_.documents(), corpus_.vocabulary, corpus_.tokens());
  }

  Panel likelihoods() {
    Panel panel{name_, {.label = "CPU seconds", .log = true}, {.label = "held-out log likelihood per word"}, {}};
    double most = 0, least = 1e9;
    for (const char* method : {"VGP", "VnGP", "VIBP", "VBP", "SGP", "SNBP"}) {
      const TopicCurve curve = run(method, {});
      add_topic_rows(fmt::format("{}, {}", name_, method), curve, {}, result_);
      panel.series.push_back({.name = method, .x = curve.seconds, .y = curve.per_word});
      most = std::max(most, curve.seconds.back()), least = std::min(least, curve.seconds.front());
    }
    const double one_topic = unigram_score(split_.seen, split_).per_token();
    result_.rows.push_back({name_ + ", one topic", "log likelihood per word", one_topic, std::nullopt, std::nullopt});
    panel.series.push_back({.name = "one topic", .x = {least, most}, .y = {one_topic, one_topic}, .plain = true});
    return panel;
  }

  Panel seconds() {
    Panel panel{name_, {.label = "topics", .log = true}, {.label = "CPU seconds an iteration", .log = true}, {}};
    for (const char* method : {"VGP", "VnGP", "VIBP", "VBP", "SNBP"}) {
      for (const Index topics : size_.rooms) {
        options_.on_method(fmt::format("{}: a step of {} with {} topics", name_, method, topics));
        const double seconds =
            seconds_of_a_step(topic_candidate(method), split_.seen, {{"topics", std::to_string(topics)}}, 2);
        add_point(method, Series::Mark::line, static_cast<double>(topics), seconds, panel);
        result_.rows.push_back({fmt::format("{}, {}, {} topics", name_, method, topics), "CPU seconds an iteration",
                                seconds, std::nullopt, std::nullopt});
      }
    }
    return panel;
  }

  Panel word_priors() {
    Panel panel{name_ + ", VGP",
                {.label = "shapes of the topics' Dirichlet law", .log = true},
                {.label = "held-out log likelihood per word"},
                {}};
    for (const char* prior : size_.word_priors) {
      const TopicCurve curve = run("VGP", {{"word_prior", prior}});
      add_point("VGP", Series::Mark::line, std::stod(prior), curve.of_average, panel);
      result_.rows.push_back({fmt::format("{}, VGP, word prior {}", name_, prior), "log likelihood per word",
                              curve.of_average, std::nullopt, std::nullopt});
    }
    return panel;
  }

 private:
  TopicCurve run(const std::string& method, Settings settings) {
    options_.on_method(fmt::format("{}: {}", name_, method));
    settings["topics"] = std::to_string(size_.topics);
    const TopicCandidate candidate = topic_candidate(method);
    const TopicSchedule schedule = candidate.draws
                                       ? TopicSchedule{size_.sweeps, size_.every, size_.sweeps / size_.every / 2}
                                       : TopicSchedule{size_.iterations};
    return topic_curve(candidate, split_, settings, schedule, options_.seed);
  }

  std::string name_;
  const ExperimentOptions& options_;
  Size size_;
  ExperimentResult& result_;
  Corpus corpus_;
  TokenSplit split_;
};

}  // namespace

ExperimentResult run_gamma_process_corpora(const ExperimentOptions& options) {
  const Size size = size_of(options.quick);
  ExperimentResult result{
      {{"topics", fmt::format("room for {}; SGP begins with so many", size.topics)},
       {"word prior", "each method's own: 0.4 of the variational methods, 0.05 of SGP and SNBP"},
       {"iterations",
        fmt::format(
            "{} at most of the variational methods, {} sweeps of SGP and SNBP, of which the second half is averaged",
            size.iterations, size.sweeps)}},
      {}};
  Figure figure{"figure-3.1",
                "Roychowdhury (2017), Figures 3.1b to 3.1f, on KOS and NIPS: held-out log likelihood per word over the "
                "time of the "
                "processor; the time of an iteration over the number of topics; VGP over the shapes of the topics' "
                "Dirichlet law. "
                "The paper's curves are of PsyRev, KOS and the New York Times, and it prints numbers of PsyRev alone.",
                2,
                {}};
  std::vector<Panel> later;
  for (const CorpusFile& file : std::span(files).first(options.quick ? 1 : 2)) {
    Comparison comparison(file, options, result);
    figure.panels.push_back(comparison.likelihoods());
    later.push_back(comparison.seconds());
    if (&file == files) later.push_back(comparison.word_priors());
  }
  for (Panel& panel : later) figure.panels.push_back(std::move(panel));
  result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace quasar
