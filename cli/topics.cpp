// quasar topics fit|show|infer|score
#include "topics.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "diagnostics/wording.hpp"
#include "front/prediction_params.hpp"
#include "io/topic_file.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

std::span<const ParamSpec> work_params() {
  static constexpr ParamSpec params[] = {seed_param,
                                         threads_param("threads; 0: one per core. Results do not depend on it")};
  return params;
}

}  // namespace

void add_topics_file(CLI::App& command, std::string& file) {
  command.add_option("file", file, "a file of topics, as quasar topics fit writes it")
      ->required()
      ->type_name("TOPICS.NC");
}

void add_corpus_flags(CLI::App& command, Settings& given) {
  add_param_flags(command, corpus_params(), given);
  command.get_option("--vocabulary")->type_name("FILE");
  for (const char* column : {"--document", "--word", "--count", "--text"}) {
    command.get_option(column)->type_name("COLUMN");
  }
  command.get_option("--stop-words")->type_name("FILE");
}

Config corpus_config(std::string_view command, const Settings& given) {
  return config_of_flags(command, corpus_params(), given);
}

void add_reading(CLI::App& command, ReadingOptions& options) {
  add_topics_file(command, options.file);
  command.add_option("data", options.data, "the new documents, of any kind that quasar topics fit reads")
      ->required()
      ->type_name("FILE");
  add_corpus_flags(command, options.corpus);
  for (const ParamSpec& spec : corpus_params()) {
    if (spec.name != "min_length" && spec.name != "stop_words") continue;
    command.get_option(flag_of(spec.name))->description(fmt::format("{} [as in the fit]", spec.doc));
  }
  add_param_flags(command, work_params(), options.work);
}

ReadDocuments read_for(const ReadingOptions& options, std::string_view command) {
  const Config work = config_of_flags(command, work_params(), options.work);
  ReadDocuments read{read_topics(options.file), {}};
  const Config corpus = corpus_config(command, cut_as_fitted(read.topics.info.configuration, options.corpus));
  read.documents = read_corpus_by({read.topics.vocabulary(), read.topics.words}, options.data, corpus);
  read.seed = static_cast<std::uint64_t>(work.integer("seed"));
  read.threads = work.integer("threads") > 0 ? static_cast<int>(work.integer("threads")) : available_threads();
  if (const std::string words = note_on_words(read.documents); !words.empty()) note("quasar: {}\n", words);
  return read;
}

Command add_topics(CLI::App& app) {
  CLI::App* topics =
      app.add_subcommand("topics", "what documents are about: find topics, show them, read new documents by them");
  std::map<std::string, Command> commands;
  commands["fit"] = add_topics_fit(*topics);
  commands["show"] = add_topics_show(*topics);
  commands["infer"] = add_topics_infer(*topics);
  commands["score"] = add_topics_score(*topics);
  topics->footer("quasar topics COMMAND --help tells more.");  // after the commands, which would take it for their own
  return [topics, commands = std::move(commands)] {
    const auto chosen = topics->get_subcommands();
    if (!chosen.empty()) return commands.at(chosen.front()->get_name())();
    std::vector<std::string> names;
    for (const CLI::App* command : topics->get_subcommands({})) names.push_back(command->get_name());
    throw UsageError("topics needs a command: " + diagnostics::in_a_row(names, "or"));
  };
}

}  // namespace quasar::cli
