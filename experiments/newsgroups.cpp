#include "experiments/newsgroups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include <quasar/errors.hpp>

#include "experiments/thread_stopwatch.hpp"
#include "experiments/two_at_a_time.hpp"
#include "io/documents.hpp"
#include "models/topics/gamma_gp.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/nb_lda.hpp"
#include "samplers/stochastic_topics.hpp"

namespace quasar {
namespace {

constexpr double share_kept_back = 0.2;
constexpr Index rarer = 4;  // are measurements in the burn-in

// Every so many of them: documents of one group stand together.
Corpus thinned(const Corpus& all, Index count) {
  Corpus some{.vocabulary = all.vocabulary};
  const Index every = std::max<Index>(1, all.documents() / count);
  for (Index n = 0; n < all.documents(); n += every) some.add(all.document(n));
  return some;
}

Corpus read_part(const ExperimentOptions& options, const char* part, Index quick_count) {
  const auto file =
      std::filesystem::path(options.data_dir) / "20newsgroups" / fmt::format("docword.20news.{}.txt.gz", part);
  Corpus all = read_documents(file, {}).corpus.counts;
  return options.quick ? thinned(all, quick_count) : all;
}

struct NewsRun {
  NewsMethod method;
  // At each measurement; NaN: nothing is averaged yet.
  std::vector<double> steps = {}, seconds = {}, of_draw = {}, of_average = {};
  double seconds_per_step = 0, topics = 0;
  Index lost_at = 0;  // 0: it is not
};

class NewsFit {
 public:
  NewsFit(const NewsComparison& comparison, const Newsgroups& news, std::uint64_t seed, NewsRun& run)
      : schedule_(comparison.schedule),
        run_(run),
        judged_(news.judged),
        average_(news.judged),
        rng_(Rng(seed).child(run.method.name)) {
    Settings settings = run.method.settings;
    settings["topics"] = std::to_string(comparison.topics);
    method_ = run.method.make(std::make_shared<DocumentsInMemory>(news.fitted),
                              Config(run.method.name, run.method.params(), settings), {.seed = seed, .threads = 1});
  }

  void run() {
    const bool whole = run_.method.whole_passes;
    const Index burn_in = whole ? schedule_.sweeps / 2 : schedule_.burn_in;
    const Index all = whole ? schedule_.sweeps : schedule_.burn_in + schedule_.kept;
    const Index every =
        whole ? std::max<Index>(1, schedule_.sweeps * schedule_.every / (schedule_.burn_in + schedule_.kept))
              : schedule_.every;
    double seconds = 0;
    for (Index step = 1; step <= all; ++step) {
      const ThreadStopwatch watch;
      if (!moves()) {
        run_.lost_at = step;
        return;
      }
      seconds += watch.seconds();
      run_.seconds_per_step = seconds / static_cast<double>(step);
      const bool kept = step > burn_in;
      if (step % (kept ? every : every * rarer) == 0) measure(step, seconds, kept);
    }
    run_.topics = static_cast<double>(count_in_use(method_->prevalence()));
  }

 private:
  bool moves() {
    try {
      method_->step();
    } catch (const RunError&) {
      return false;
    }
    return std::ranges::all_of(method_->scalars(), [](const NamedNumber& n) { return std::isfinite(n.value); });
  }

  void measure(Index step, double seconds, bool kept) {
    const TopicDraw draw = method_->draw();
    const Mat shares = infer_shares(judged_->seen, draw, {}, rng_.at(static_cast<std::uint64_t>(step)));
    HeldOutPredictions now(judged_);
    now.add(draw.phi, shares);
    run_.steps.push_back(static_cast<double>(step));
    run_.seconds.push_back(seconds);
    run_.of_draw.push_back(now.score().perplexity());
    if (kept) average_.add(draw.phi, shares);
    run_.of_average.push_back(average_.score().perplexity());
  }

  const NewsSchedule& schedule_;
  NewsRun& run_;
  std::shared_ptr<const TokenSplit> judged_;
  HeldOutPredictions average_;
  Rng rng_;
  std::unique_ptr<TopicMethod> method_;
};

void add_rows(const NewsRun& run, std::vector<ExperimentRow>& rows) {
  const NewsMethod& method = run.method;
  const auto add = [&](const char* quantity, double value, std::optional<double> printed = {}) {
    rows.push_back({method.name, quantity, value, std::nullopt, printed});
  };
  if (run.lost_at > 0) {
    add("diverged_at", static_cast<double>(run.lost_at));
    return;
  }
  add("perplexity", run.of_average.back(), method.perplexity);
  add("perplexity of the last draw", run.of_draw.back());
  add("CPU seconds an iteration", run.seconds_per_step, method.seconds);
  add("topics in use", run.topics);
}

Series line(const char* name, double value, double from, double to) {
  return {.name = name, .x = {from, to}, .y = {value, value}, .plain = true};
}

struct Level {  // what needs no topics
  const char* name;
  double perplexity;
};

// Of single draws: those of the burn-in too.
Figure figure_of(const NewsComparison& comparison, const std::vector<NewsRun>& runs, std::span<const Level> levels) {
  Panel by_step{
      "20 Newsgroups", {.label = "iteration; of Gibbs a sweep"}, {.label = "perplexity of a draw", .log = true}, {}};
  Panel by_time{
      "20 Newsgroups", {.label = "CPU seconds", .log = true}, {.label = "perplexity of a draw", .log = true}, {}};
  double last_step = 1, first_second = 1e9, last_second = 0;
  for (const NewsRun& run : runs) {
    if (run.steps.empty()) continue;
    by_step.series.push_back({.name = run.method.name, .x = run.steps, .y = run.of_draw});
    last_step = std::max(last_step, run.steps.back());
    by_time.series.push_back({.name = run.method.name, .x = run.seconds, .y = run.of_draw});
    first_second = std::min(first_second, run.seconds.front());
    last_second = std::max(last_second, run.seconds.back());
  }
  for (const auto& [name, perplexity] : levels) {
    by_step.series.push_back(line(name, perplexity, 1, last_step));
    by_time.series.push_back(line(name, perplexity, first_second, last_second));
  }
  return {comparison.figure, comparison.caption, 2, {std::move(by_step), std::move(by_time)}};
}

}  // namespace

Newsgroups read_newsgroups(const ExperimentOptions& options) {
  if (options.data_dir.empty()) {
    throw UsageError(
        "this experiment reads 20 Newsgroups: --data-dir names the folder that has "
        "20newsgroups/docword.20news.{train,test}.txt.gz");
  }
  Newsgroups news{read_part(options, "train", 400), nullptr};
  const Corpus later = read_part(options, "test", 100);
  if (later.vocabulary != news.fitted.vocabulary) {
    throw DataError(fmt::format("{}: the two parts of 20 Newsgroups have {} and {} words", options.data_dir,
                                news.fitted.vocabulary, later.vocabulary));
  }
  news.judged =
      std::make_shared<TokenSplit>(split_tokens(later, share_kept_back, Rng(options.seed).child("newsgroups")));
  return news;
}

NewsMethod gamma_nb_by_gibbs(std::optional<double> printed) {
  return {"Gibbs, gamma-nb", gamma_nb_params, make_gamma_nb, {}, true, printed};
}

NewsMethod nb_lda_by_gibbs(std::optional<double> printed) {
  return {"Gibbs, nb-lda", nb_lda_params, make_nb_lda, {}, true, printed};
}

NewsMethod gamma_gp_by_gibbs() { return {"Gibbs, gamma-gp", gamma_gp_params, make_gamma_gp, {}, true}; }

NewsMethod news_by_gradients(const std::string& name, const std::string& model, const std::string& sampler,
                             const std::string& sampler_settings, std::optional<double> perplexity,
                             std::optional<double> seconds) {
  return {fmt::format("{}, {}", name, model),
          stochastic_topics_params,
          make_stochastic_topics,
          {{"model", model}, {"sampler", sampler}, {"sampler_settings", sampler_settings}, {"batch_size", "100"}},
          false,
          perplexity,
          seconds};
}

ExperimentResult compare_on_newsgroups(NewsComparison comparison, const ExperimentOptions& options) {
  const Newsgroups news = read_newsgroups(options);
  const NewsSchedule& schedule = comparison.schedule;
  ExperimentResult result{
      {{"documents",
        fmt::format("{} to fit, {} tokens; {} later ones, of whose {} tokens {} are told by the others",
                    news.fitted.documents(), news.fitted.tokens(), news.judged->seen.documents(),
                    news.judged->seen.tokens() + news.judged->held_out.tokens(), news.judged->held_out.tokens())},
       {"words", std::to_string(news.fitted.vocabulary)},
       {"topics", fmt::format("room for {}", comparison.topics)},
       {"iterations",
        fmt::format("{} of burn-in and {} more, on minibatches of 100 documents; Gibbs: {} sweeps over all, half "
                    "of them burn-in",
                    schedule.burn_in, schedule.kept, schedule.sweeps)},
       {"predictions", fmt::format("averaged over a draw every {} iterations", schedule.every)}},
      {}};
  const Level levels[] = {{"uniform", static_cast<double>(news.fitted.vocabulary)},
                          {"unigram", unigram_score(news.fitted, *news.judged).perplexity()}};
  for (const auto& [name, perplexity] : levels) {
    result.rows.push_back({name, "perplexity", perplexity, std::nullopt, std::nullopt});
  }
  std::vector<NewsRun> runs;
  for (const NewsMethod& method : comparison.methods) runs.push_back({.method = method});
  two_at_a_time(
      runs, [](const NewsRun& run) { return std::string_view(run.method.name); },
      [&](NewsRun& run) { NewsFit(comparison, news, options.seed, run).run(); }, options.on_method);
  for (const NewsRun& run : runs) add_rows(run, result.rows);
  result.figures.push_back(figure_of(comparison, runs, levels));
  return result;
}

}  // namespace quasar
