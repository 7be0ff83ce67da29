// quasar recommend run.nc --user X
#include "front/recommend.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "front/predict.hpp"
#include "front/run_summary.hpp"
#include "front/text_table.hpp"
#include "io/durable_run.hpp"
#include "io/json_text.hpp"
#include "io/quoted_field.hpp"
#include "io/text_output.hpp"
#include "param_flags.hpp"
#include "predict/posterior_predictions.hpp"
#include "predict/ranking_scores.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

constexpr Choice rankings[] = {{"mean"}, {"lower"}, {"upper"}, {"probability"}};
constexpr ParamSpec flags[] = {
    {.name = "top",
     .doc = "how many items for each user",
     .type = ParamSpec::integer,
     .init = "10",
     .min = 1,
     .max = 1e6},
    {.name = "rank-by",
     .doc = "mean, lower or upper end of the interval of the expected rating, or probability to be among the top",
     .type = ParamSpec::choice,
     .init = "mean",
     .choices = rankings},
    {.name = "interval",
     .doc = "level of the central interval of the expected rating",
     .type = ParamSpec::real,
     .init = "0.9",
     .min = 0.001,
     .max = 0.999},
    {.name = "relevant",
     .doc = "with --evaluate: the least rating of an item that a user likes",
     .type = ParamSpec::real,
     .init = "4"},
    {.name = "draws",
     .doc = "use at most so many draws, evenly spread; 0: all",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15},
    {.name = "threads",
     .doc = "threads; 0: one per core. Recommendations do not depend on it",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 4096},
};

struct Options {
  std::string run;
  RecommendRequest request;
  Settings given;  // of the flags above
  TableOutput output;
  bool quiet = false, json = false;
};

RankBy rank_by(const std::string& name) {
  for (std::size_t i = 0; i < std::size(rankings); ++i) {
    if (rankings[i].value == name) return static_cast<RankBy>(i);
  }
  return RankBy::mean;
}

RecommendSettings settings_of(const Config& config) {
  return {config.integer("top"),
          rank_by(config.text("rank-by")),
          config.real("interval"),
          config.integer("draws"),
          static_cast<std::uint64_t>(config.integer("seed")),
          static_cast<int>(config.integer("threads"))};
}

void check(const Options& options) {
  const RecommendRequest& request = options.request;
  const bool named = !request.user.empty() || !request.users.empty() || !request.fold_in.empty();
  if (request.evaluate.empty() && !named) {
    throw UsageError("recommend to whom? Give --user, --users or --fold-in, or --evaluate to judge recommendations");
  }
  if (!request.evaluate.empty() && named) {
    throw UsageError("--evaluate judges by the users of its file; leave --user, --users and --fold-in out");
  }
  if (!request.evaluate.empty() && options.output.out) throw UsageError("--evaluate writes no file; leave --out out");
  if (request.evaluate.empty() && options.given.contains("relevant")) {
    throw UsageError("--relevant belongs to --evaluate");
  }
  const std::string inputs[] = {options.run, request.users, request.fold_in, request.rated, request.items};
  check_output(options.output, inputs);
}

std::array<std::string, 2> ends(double interval) {
  const double tail = 50 * (1 - interval);
  return {fmt::format("q{:g}", tail), fmt::format("q{:g}", 100 - tail)};
}

using Use = std::function<void(const std::string& user, Index place, const std::string& item, const Recommended&)>;

// use(...) for each item that is recommended to each user; returns how many draws were used.
Index recommend_each(const Run& run, const Recommender& recommender, const RecommendSettings& settings,
                     const Use& use) {
  return recommend(*run.source, run.layout.size(), *recommender.scores, recommender.wanted, settings,
                   [&](Index user, std::span<const Recommended> best) {
                     Index place = 0;
                     for (const Recommended& item : best)
                       use(recommender.user_label(user), ++place, recommender.item_label(item.item), item);
                   });
}

Index write_csv(const Run& run, const Recommender& recommender, const RecommendSettings& settings,
                const TableOutput& output) {
  TextOutput out{std::filesystem::path(*output.out)};
  const auto [lower, upper] = ends(settings.interval);
  out.print("user,rank,item,mean,sd,{},{},probability\n", lower, upper);
  const Index draws = recommend_each(
      run, recommender, settings, [&](const auto& user, Index place, const auto& item, const Recommended& best) {
        out.print("{},{},{}", quoted_field(user), place, quoted_field(item));
        for (const double number : {best.mean, best.sd, best.lower, best.upper, best.probability}) {
          out.write(",");
          out.write_number(number);
        }
        out.write("\n");
      });
  out.finish();
  out.commit(output.overwrite ? IfExists::replace : IfExists::fail);
  return draws;
}

std::pair<std::string, Index> as_text(const Run& run, const Recommender& recommender,
                                      const RecommendSettings& settings) {
  const auto [lower, upper] = ends(settings.interval);
  TextTable table({"<user", "rank", "<item", "mean", "sd", lower, upper, "probability"});
  const Index draws = recommend_each(
      run, recommender, settings, [&](const auto& user, Index place, const auto& item, const Recommended& best) {
        table.add({user, fmt::format("{}", place), item, number(best.mean), number(best.sd, 2), number(best.lower),
                   number(best.upper), number(best.probability, 2)});
      });
  return {table.text(), draws};
}

Json as_json(const Run& run, const Recommender& recommender, const RecommendSettings& settings) {
  Json json = {{"model", run.info.model}, {"draws", 0}, {"interval", settings.interval}};
  Json all = Json::array();
  json["draws"] = recommend_each(run, recommender, settings,
                                 [&](const auto& user, Index place, const auto& item, const Recommended& best) {
                                   all.push_back({{"user", user},
                                                  {"rank", place},
                                                  {"item", item},
                                                  {"mean", best.mean},
                                                  {"sd", best.sd},
                                                  {"lower", best.lower},
                                                  {"upper", best.upper},
                                                  {"probability", best.probability}});
                                 });
  json["recommendations"] = std::move(all);
  return json;
}

void run_recommendations(const Options& options, const Run& run, const Recommender& recommender,
                         const RecommendSettings& settings) {
  if (options.json) {
    Json json = as_json(run, recommender, settings);
    fmt::print("{}\n", as_utf8(json).dump(2));
    return;
  }
  Index draws = 0;
  if (options.output.out) {
    draws = write_csv(run, recommender, settings, options.output);
  } else {
    std::string text;
    std::tie(text, draws) = as_text(run, recommender, settings);
    fmt::print("{}", text);
  }
  if (options.quiet) return;
  note("{} for each of {} by {}; mean, sd and interval are of the expected rating{}\n",
       counted(settings.top, "item", "items"), counted(std::ssize(recommender.wanted.users), "user", "users"),
       counted(draws, "draw", "draws"), options.output.out ? fmt::format("; {} written", *options.output.out) : "");
}

struct Evaluation {
  RankingScores ranking;
  PredictionSummary ratings;
};

Evaluation evaluate(const Options& options, const Run& run, const Recommender& recommender,
                    const RecommendSettings& settings) {
  RankingScorer scorer(settings.top);
  recommend(*run.source, run.layout.size(), *recommender.scores, recommender.wanted, settings,
            [&](Index user, std::span<const Recommended> best) {
              std::vector<Index> items;
              for (const Recommended& item : best) items.push_back(item.item);
              const Relevant& relevant = recommender.relevant.at(user);
              scorer.add(items, relevant.items, relevant.out_of_reach);
            });
  const PredictedFile pairs = predict_file(run, options.run, options.request.evaluate);
  return {scorer.result(),
          predict(*run.source, run.layout.size(), *pairs.rows,
                  {settings.interval, settings.most_draws, settings.seed, settings.threads}, [](const auto&) {})};
}

void run_evaluation(const Options& options, const Run& run, const Recommender& recommender,
                    const RecommendSettings& settings) {
  const Evaluation found = evaluate(options, run, recommender, settings);
  std::vector<std::pair<std::string, double>> scores = {
      {fmt::format("precision@{}", settings.top), found.ranking.precision},
      {fmt::format("recall@{}", settings.top), found.ranking.recall},
      {fmt::format("ndcg@{}", settings.top), found.ranking.ndcg}};
  for_each_score(found.ratings.scores,
                 [&](std::string_view name, double value) { scores.emplace_back(std::string(name), value); });
  if (options.json) {
    Json json = {{"model", run.info.model},
                 {"draws", found.ratings.draws},
                 {"users", found.ranking.users},
                 {"users_not_fitted", recommender.users_not_fitted},
                 {"rows", found.ratings.scores.rows}};
    for (const auto& [name, value] : scores) json["scores"][name] = value;
    fmt::print("{}\n", as_utf8(json).dump(2));
    return;
  }
  TextTable table({"<score", "value"});
  for (const auto& [name, value] : scores) table.add({name, number(value)});
  fmt::print("{}, {}, {}{}\n\n{}", counted(found.ranking.users, "user", "users"),
             counted(found.ratings.scores.rows, "rating", "ratings"), counted(found.ratings.draws, "draw", "draws"),
             recommender.users_not_fitted > 0 ? fmt::format("; {} not in the training data left out of the lists",
                                                            counted(recommender.users_not_fitted, "user", "users"))
                                              : "",
             table.text());
}

int run_recommend(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left and a file at its limit are errors like a full disk
  std::signal(SIGXFSZ, SIG_IGN);
  const Config config("recommend", flags, options.given);
  check(options);
  RecommendRequest request = options.request;
  request.relevant = config.real("relevant");
  const Run run = open_run(options.run);
  const Recommender recommender = make_recommender(run, options.run, request);
  const bool all_new = !request.fold_in.empty() && request.user.empty() && request.users.empty();
  if (request.rated.empty() && !all_new && !options.quiet) {
    note("quasar: items that users have rated are recommended too; --rated names the file of those ratings\n");
  }
  if (varying_weights(run).size() > 0) {
    note("warning: the step size of the run changes, and draws should weigh as it does: here all weigh the same\n");
  }
  const auto act = request.evaluate.empty() ? run_recommendations : run_evaluation;
  act(options, run, recommender, settings_of(config));
  return 0;
}

}  // namespace

Command add_recommend(CLI::App& app) {
  auto options = std::make_shared<Options>();
  RecommendRequest& request = options->request;
  CLI::App* command = app.add_subcommand("recommend", "the best items for users, by a model of their ratings");
  command
      ->add_option("file", options->run, "a run file (netCDF) of bpmf, or the folder run.nc.part of a run in progress")
      ->required();
  command->add_option("--user", request.user, "a user, by the label that the ratings have");
  command->add_option("--users", request.users, "a file with such labels, one in each line");
  command->add_option("--fold-in", request.fold_in,
                      "ratings of new users, who are recommended to by them; without --user: all of them");
  command->add_option("--rated", request.rated,
                      "leave out what users have rated there; as a rule the file that was fitted");
  command->add_option("--items", request.items, "a file with the labels of the only items to choose from");
  command->add_option("--evaluate", request.evaluate,
                      "judge recommendations by these ratings: precision, recall and NDCG of the lists, errors of the "
                      "ratings");
  command->add_option("--out", options->output.out, "a CSV file to write; default: a table on standard output");
  add_param_flags(*command, flags, options->given);
  command->add_flag("--overwrite", options->output.overwrite, "replace a file that exists");
  command->add_flag("--quiet", options->quiet, "no word of what was done");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run_recommend(*options); };
}

}  // namespace quasar::cli
