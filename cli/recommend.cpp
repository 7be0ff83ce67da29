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
#include "io/printable.hpp"
#include "io/quoted_field.hpp"
#include "io/text_output.hpp"
#include "param_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

struct Options {
  std::string run;
  RecommendFiles files;
  Settings given;  // of recommend_params
  TableOutput output;
  bool quiet = false, json = false;
};

void check(const Options& options) {
  const RecommendFiles& files = options.files;
  const bool named = !files.user.empty() || !files.users.empty() || !files.fold_in.empty();
  if (files.evaluate.empty() && !named) {
    throw UsageError("recommend to whom? Give --user, --users or --fold-in, or --evaluate to judge recommendations");
  }
  if (!files.evaluate.empty() && named) {
    throw UsageError("--evaluate judges by the users of its file; leave --user, --users and --fold-in out");
  }
  if (!files.evaluate.empty() && options.output.out) throw UsageError("--evaluate writes no file; leave --out out");
  if (files.evaluate.empty() && options.given.contains("relevant")) {
    throw UsageError("--relevant belongs to --evaluate");
  }
  const std::string inputs[] = {options.run, files.users, files.fold_in, files.rated, files.items};
  check_output(options.output, inputs);
}

std::array<std::string, 2> ends(double interval) {
  const double tail = 50 * (1 - interval);
  return {fmt::format("q{:g}", tail), fmt::format("q{:g}", 100 - tail)};
}

using Use = std::function<void(const std::string& user, Index place, const std::string& item, const Recommended&)>;

struct Found {
  Index draws = 0;                        // that were used
  bool full = true;                       // every user has got as many items as were asked for
  std::vector<std::string> in_vain = {};  // users for whom there is no item
};

// use(...) for each item that is recommended to each user.
Found recommend_each(const Run& run, const Recommender& recommender, const RecommendSettings& settings,
                     const Use& use) {
  Found found;
  found.draws = recommend(*run.source, run.layout.size(), *recommender.scores, recommender.wanted, settings,
                          [&](Index user, std::span<const Recommended> best) {
                            const std::string& label = recommender.user_label(user);
                            Index place = 0;
                            for (const Recommended& item : best)
                              use(label, ++place, recommender.item_label(item.item), item);
                            found.full = found.full && place == settings.top;
                            if (place == 0) found.in_vain.push_back(label);
                          });
  return found;
}

Found write_csv(const Run& run, const Recommender& recommender, const RecommendSettings& settings,
                const TableOutput& output) {
  TextOutput out{std::filesystem::path(*output.out)};
  const auto [lower, upper] = ends(settings.interval);
  out.print("user,rank,item,mean,sd,{},{},probability\n", lower, upper);
  Found found = recommend_each(
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
  return found;
}

std::pair<std::string, Found> as_text(const Run& run, const Recommender& recommender,
                                      const RecommendSettings& settings) {
  const auto [lower, upper] = ends(settings.interval);
  TextTable table({"<user", "rank", "<item", "mean", "sd", lower, upper, "probability"});
  const Found found = recommend_each(
      run, recommender, settings, [&](const auto& user, Index place, const auto& item, const Recommended& best) {
        table.add({user, fmt::format("{}", place), item, number(best.mean), number(best.sd, 2), number(best.lower),
                   number(best.upper), number(best.probability, 2)});
      });
  return {table.text(), found};
}

Json as_json(const Run& run, const Recommender& recommender, const RecommendSettings& settings) {
  Json json = {{"model", run.info.model}, {"draws", 0}, {"interval", settings.interval}};
  Json all = Json::array();
  const Found found = recommend_each(run, recommender, settings,
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
  json["draws"] = found.draws;
  json["recommendations"] = std::move(all);
  json["users_without_items"] = found.in_vain;
  json["notes"] = recommender.notes;
  return json;
}

void print_recommendations(const Options& options, const Run& run, const Recommender& recommender,
                           const RecommendSettings& settings) {
  if (options.json) {
    Json json = as_json(run, recommender, settings);
    fmt::print("{}\n", as_utf8(json).dump(2));
    return;
  }
  Found found;
  if (options.output.out) {
    found = write_csv(run, recommender, settings, options.output);
  } else {
    std::string text;
    std::tie(text, found) = as_text(run, recommender, settings);
    fmt::print("{}", text);
  }
  if (options.quiet) return;
  if (!found.in_vain.empty()) {
    const std::size_t others = found.in_vain.size() - 1;
    note("quasar: no item is left for user '{}'{}\n", printable(found.in_vain.front()),
         others == 0 ? "" : fmt::format(" and {} more", others));
  }
  note("{}{} for each of {} by {}; mean, sd and interval are of the expected rating{}\n", found.full ? "" : "at most ",
       counted(settings.top, "item", "items"), counted(std::ssize(recommender.wanted.users), "user", "users"),
       counted(found.draws, "draw", "draws"),
       options.output.out ? fmt::format("; {} written", *options.output.out) : "");
}

void print_scores(const Options& options, const Run& run, const Recommender& recommender,
                  const std::vector<std::string>& notes, const RecommendationScores& found, Index top) {
  const auto scores = found.named(top);
  if (options.json) {
    Json json = {{"model", run.info.model},
                 {"draws", found.ratings.draws},
                 {"users", found.ranking.users},
                 {"users_not_fitted", recommender.users_not_fitted},
                 {"rows", found.ratings.scores.rows}};
    for (const auto& [name, value] : scores) json["scores"][name] = value;
    json["notes"] = notes;
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
  const Config config = config_of_flags("recommend", recommend_params(), options.given);
  const RecommendSettings settings = recommend_settings(config);
  check(options);
  const Run run = open_run(options.run);
  const FittedModel model = model_of_ratings(run, options.run);
  RecommendRequest request = read_request(options.files, run.constants);
  request.relevant = config.real("relevant");
  const Recommender recommender = make_recommender(model, run.constants, request);
  std::vector<std::string> notes = recommender.notes;
  PredictedFile ratings;
  if (request.evaluate) {
    ratings = predict_table(model, run.constants, *request.evaluate);
    if (!ratings.note.empty()) notes.push_back(fmt::format("{}: {}", options.files.evaluate, ratings.note));
  }
  if (!options.quiet) {
    for (const std::string& text : notes) note("quasar: {}\n", text);
  }
  if (varying_weights(run).size() > 0) {
    note("warning: the step size of the run changes, and draws should weigh as it does: here all weigh the same\n");
  }
  if (request.evaluate)
    print_scores(options, run, recommender, notes, judge(run, recommender, *ratings.rows, settings), settings.top);
  else
    print_recommendations(options, run, recommender, settings);
  return 0;
}

}  // namespace

Command add_recommend(CLI::App& app) {
  auto options = std::make_shared<Options>();
  RecommendFiles& files = options->files;
  CLI::App* command = app.add_subcommand("recommend", "the best items for users, by a model of their ratings");
  command
      ->add_option("file", options->run,
                   "a run file (netCDF) of bpmf or mf, or the folder run.nc.part of a run in progress")
      ->required()
      ->type_name("RUN.NC");
  command->add_option("--user", files.user, "a user, by the label that the ratings have")->type_name("NAME");
  command->add_option("--users", files.users, "a file with such labels, one in each line")->type_name("FILE");
  command
      ->add_option("--fold-in", files.fold_in,
                   "ratings of new users, who are recommended to by them; without --user: all of them. Ratings of "
                   "new items, which are recommended too")
      ->type_name("FILE");
  command
      ->add_option("--rated", files.rated, "leave out what users have rated there; as a rule the file that was fitted")
      ->type_name("FILE");
  command->add_option("--items", files.items, "a file with the labels of the only items to choose from")
      ->type_name("FILE");
  command
      ->add_option("--evaluate", files.evaluate,
                   "judge recommendations by these ratings: precision, recall and NDCG of the lists, errors of the "
                   "ratings")
      ->type_name("FILE");
  command->add_option("--out", options->output.out, "a CSV file to write; default: a table on standard output")
      ->type_name("TABLE.CSV");
  add_param_flags(*command, recommend_params(), options->given);
  command->add_flag("--overwrite", options->output.overwrite, "replace a file that exists");
  command->add_flag("--quiet", options->quiet, "no word of what was done");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Example:\n"
      "  quasar sample --model bpmf --sampler gibbs --data examples/ratings.csv --out ratings.nc\n"
      "  quasar recommend ratings.nc --fold-in examples/ratings-newcomer.csv --top 5");
  return [options] { return run_recommend(*options); };
}

}  // namespace quasar::cli
