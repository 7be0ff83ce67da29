// quasar topics show topics.nc
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

#include <quasar/errors.hpp>

#include "front/topics_report.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/topic_file.hpp"
#include "report/page.hpp"
#include "report/topics_page.hpp"
#include "topics.hpp"

namespace quasar::cli {
namespace {

constexpr Index documents_shown = 20;

struct Options {
  std::string file;
  Settings given;
  std::optional<std::string> page;
  bool overwrite = false, documents = false, json = false;
};

std::span<const ParamSpec> show_params() {
  static constexpr ParamSpec params[] = {
      {.name = "topics",
       .doc = "topics to show, the largest first",
       .type = ParamSpec::integer,
       .init = "20",
       .min = 1,
       .max = 1e6},
      {.name = "words", .doc = "words of each", .type = ParamSpec::integer, .init = "10", .min = 1, .max = 1e6},
      {.name = "topic",
       .doc = "one topic alone, with probabilities; 0: all",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 1e6},
  };
  return params;
}

void require_topic(const FittedTopics& found, Index topic) {
  if (topic > found.topics()) {
    throw UsageError(fmt::format("--topic {}: there are {}", topic, found.topics()));
  }
}

int run_show(const Options& options) {
  const Config config = config_of_flags("topics show", show_params(), options.given);
  const std::string inputs[] = {options.file};
  check_output(TableOutput{options.page, options.overwrite, "--report"}, inputs);
  const FittedTopics found = read_topics(options.file);
  const Index one = config.integer("topic");
  require_topic(found, one);
  if (options.documents && found.shares.cols() == 0) {
    throw UsageError(fmt::format("{} has no shares of documents: fit with --shares yes", options.file));
  }
  const TopicsReport report{found, config.integer("topics"), config.integer("words"),
                            !options.documents ? 0
                            : options.json     ? found.shares.cols()
                                               : documents_shown};
  if (options.page) {
    write_page(*options.page, topics_page(found), options.overwrite ? IfExists::replace : IfExists::fail);
  }
  if (options.json) {
    fmt::print("{}\n", as_utf8(one > 0 ? report.topic_json(one - 1) : report.to_json()).dump(2));
  } else {
    fmt::print("{}", one > 0 ? report.topic_text(one - 1) : report.text());
    if (options.page) fmt::print("\n{} written\n", printable(*options.page));
  }
  return 0;
}

}  // namespace

Command add_topics_show(CLI::App& topics) {
  auto options = std::make_shared<Options>();
  CLI::App* command = topics.add_subcommand("show", "the words of topics, their shares, and how the fit went");
  add_topics_file(*command, options->file);
  add_param_flags(*command, show_params(), options->given);
  command->add_flag("--documents", options->documents, "the topics of documents as well");
  command->add_option("--report", options->page, "a page to write as well: words, shares, curves, search")
      ->type_name("PAGE.HTML");
  command->add_flag("--overwrite", options->overwrite, "replace a page that exists");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n  quasar topics show topics.nc --topics 50 --words 15\n  quasar topics show topics.nc --topic 3");
  return [options] { return run_show(*options); };
}

}  // namespace quasar::cli
