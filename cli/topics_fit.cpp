// quasar topics fit documents
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <quasar/errors.hpp>

#include "front/fit_topics.hpp"
#include "front/read_corpus.hpp"
#include "front/topic_facts.hpp"
#include "front/topics_report.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/run_file.hpp"
#include "io/topic_file.hpp"
#include "progress.hpp"
#include "report/page.hpp"
#include "report/topics_page.hpp"
#include "terminal.hpp"
#include "topics.hpp"

namespace quasar::cli {
namespace {

struct Options {
  std::string data;
  Settings corpus, fit, parameters,
      checkpoints;  // of corpus_params, of topic_fit_params, of the method, of checkpoint_params
  std::vector<std::string> set;
  std::string held_out;
  std::optional<std::string> page;
  Durability durability{.out = "topics.nc"};
  std::string out = "topics.nc";
  bool quiet = false, json = false;
};

std::span<const ParamSpec> checkpoint_params() {
  static constexpr ParamSpec params[] = {
      {.name = "checkpoint_every",
       .doc = "passes over the documents between checkpoints; 0: about every thirty seconds",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 1e9}};
  return params;
}

void read_set(const std::vector<std::string>& assignments, Settings& parameters) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("--set {}: expected name=value", assignment));
    }
    const std::string name = assignment.substr(0, equals);
    if (!parameters.emplace(name, assignment.substr(equals + 1)).second) {
      throw UsageError(fmt::format("{} is given twice", name));
    }
  }
}

void fit(TopicFit& fit, const Options& options, double sweeps, double burn_in) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the fit goes on
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk, not the end
  std::vector<ChainProgress> progress(1);
  const std::stop_source stop;
  const Schedule schedule{.warmup = static_cast<std::int64_t>(burn_in),
                          .draws = std::max<std::int64_t>(1, static_cast<std::int64_t>(sweeps - burn_in))};
  const ProgressDisplay display(progress, schedule, options.quiet, stop, {.one = "", .many = "sweeps"});
  fit_topics_durably(fit, options.durability, progress.front(), stop.get_token());
}

int report(const Options& options, const FittedTopics& found) {
  const TopicsReport report{found};
  if (options.page) {
    const bool replace = options.durability.overwrite || options.durability.resume;
    write_page(*options.page, topics_page(found), replace ? IfExists::replace : IfExists::fail);
  }
  if (options.json) {
    nlohmann::ordered_json json = report.to_json();
    json["output"] = options.out;
    if (options.page) json["report"] = *options.page;
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else if (!options.quiet) {
    fmt::print("{}\n{}{} written\n", report.text(), printable(options.out),
               options.page ? " and " + printable(*options.page) : "");
  }
  for (const std::string& warning : topic_warnings(found)) warn(warning);
  if (!found.info.stopped_early) return 0;
  note("quasar: stopped early; {} has the topics so far, --resume goes on\n", printable(options.out));
  return interrupted;
}

void check_outputs(const Options& options) {
  std::vector<std::string> inputs = topic_inputs(options.data, options.held_out, options.corpus);
  check_output(options.durability, inputs);
  inputs.push_back(options.out);
  check_output(TableOutput{options.page, options.durability.overwrite || options.durability.resume, "--report"},
               inputs);
  if (options.page && same_file(*options.page, options.out)) throw UsageError("--out and --report name the same file");
  if (options.page) check_writable(*options.page);
}

void tell_of_words(const OpenCorpus& documents, bool quiet) {
  const std::string words = note_on_words(documents);
  if (!quiet && !words.empty()) note("quasar: {}\n", words);
}

int run_fit(Options options) {
  read_set(options.set, options.parameters);
  options.durability.out = options.out;
  options.durability.checkpoint_every =
      config_of_flags("topics fit", checkpoint_params(), options.checkpoints).integer("checkpoint_every");
  TopicFitSettings settings =
      topic_fit_settings(config_of_flags("topics fit", topic_fit_params(), options.fit), options.parameters);
  const Config reading = corpus_config("topics fit", options.corpus);
  check_outputs(options);
  OpenCorpus documents = read_corpus(options.data, reading);
  tell_of_words(documents, options.quiet);
  const double sweeps = settings.sweeps, burn_in = settings.burn_in;
  TopicTask task = topic_task(std::move(documents), options.held_out, reading, std::move(settings));
  task.reading = options.corpus;
  TopicFit fitting(std::move(task));
  if (already_fitted(options.durability, fitting.info())) {
    note("quasar: {} is complete; nothing to resume\n", printable(options.out));
  } else {
    fit(fitting, options, sweeps, burn_in);
  }
  return report(options, read_topics(options.out));  // what anybody finds there from now on
}

}  // namespace

Command add_topics_fit(CLI::App& topics) {
  auto options = std::make_shared<Options>();
  CLI::App* command = topics.add_subcommand("fit", "find the topics of documents");
  command
      ->add_option(
          "data", options->data,
          "the documents: a folder of texts, CSV, UCI bag of words, MatrixMarket, a text in each line, or packed")
      ->required()
      ->type_name("FILE");
  add_corpus_flags(*command, options->corpus);
  command
      ->add_option_function<std::string>(
          "--topics", [options](const std::string& text) { options->parameters["topics"] = text; },
          "topics that there is room for; a method that learns how many there are uses some of them")
      ->type_name("N");
  add_param_flags(*command, topic_fit_params(), options->fit);
  command->get_option("--method")->type_name("METHOD");
  for (const char* passes : {"--sweeps", "--burn-in", "--evaluate-every"}) command->get_option(passes)->type_name("N");
  command->add_option("--set", options->set, "a parameter of the method (name=value)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option(
          "--held-out", options->held_out,
          "words to judge the topics by: the share of the tokens that are kept back (0.1), or a file with other "
          "documents")
      ->type_name("FILE");
  command->add_option("--out", options->out, "the file of topics to write [topics.nc]")->type_name("TOPICS.NC");
  command->add_option("--report", options->page, "a page to write as well: words, shares, curves, search")
      ->type_name("PAGE.HTML");
  command->add_flag("--overwrite", options->durability.overwrite, "replace files that exist");
  command->add_flag("--resume", options->durability.resume, "go on with a fit that was stopped or killed");
  add_param_flags(*command, checkpoint_params(), options->checkpoints);
  command->add_flag("--quiet", options->quiet, "no text on standard output, no progress");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  quasar topics fit examples/notes.csv\n"
      "  quasar topics fit docword.kos.txt.gz --vocabulary vocab.kos.txt --topics 200 --held-out 0.1\n"
      "quasar list topics tells the methods, and what --set may set.");
  return [options] { return run_fit(*options); };
}

}  // namespace quasar::cli
