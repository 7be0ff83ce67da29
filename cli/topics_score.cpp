// quasar topics score topics.nc documents
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>

#include <quasar/errors.hpp>

#include "diagnostics/wording.hpp"
#include "front/infer_topics.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "terminal.hpp"
#include "topics.hpp"

namespace quasar::cli {
namespace {

struct Options {
  ReadingOptions reading;
  double held_out = usual_share_held_out;
  bool json = false;
};

int run_score(const Options& options) {
  if (!(options.held_out > 0 && options.held_out < 1)) {
    throw UsageError(fmt::format("--held-out {}: a share of the tokens is between 0 and 1", options.held_out));
  }
  const ReadDocuments read = read_for(options.reading, "topics score");
  const TopicScore score = score_topics(*read.documents.documents, read.topics, options.held_out,
                                        {.threads = read.threads}, Rng(read.seed).child("score"));
  if (options.json) {
    const nlohmann::ordered_json json = {{"file", options.reading.data},
                                         {"documents", read.documents.documents->documents()},
                                         {"tokens", score.topics.tokens},
                                         {"draws", read.topics.draws.size()},
                                         {"perplexity", score.topics.perplexity()},
                                         {"log_likelihood_per_token", score.topics.per_token()},
                                         {"unigram", score.unigram.perplexity()},
                                         {"uniform", score.uniform},
                                         {"unknown_tokens", read.documents.left_out}};
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else {
    fmt::print("{}: perplexity {:.4g} (unigram {:.4g}, uniform {:g}) of {}, by {}\n", printable(options.reading.data),
               score.topics.perplexity(), score.unigram.perplexity(), score.uniform,
               diagnostics::counted(score.topics.tokens, "held-out token", "held-out tokens"),
               diagnostics::counted(std::ssize(read.topics.draws), "draw", "draws"));
  }
  return 0;
}

}  // namespace

Command add_topics_score(CLI::App& topics) {
  auto options = std::make_shared<Options>();
  CLI::App* command = topics.add_subcommand("score", "how well topics tell words of new documents that are kept back");
  add_reading(*command, options->reading);
  command->add_option("--held-out", options->held_out, "the share of the tokens that are kept back [0.2]")
      ->type_name("X");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "The other words of a document show which topics it has, and those tell the words that were kept back. "
      "Perplexity is\n"
      "how many words it is as hard to choose from: the fewer the better.\n"
      "Example:\n  quasar topics score topics.nc new.csv");
  return [options] { return run_score(*options); };
}

}  // namespace quasar::cli
