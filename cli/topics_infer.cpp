// quasar topics infer topics.nc documents
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include <quasar/errors.hpp>

#include "front/infer_topics.hpp"
#include "front/read_corpus.hpp"
#include "front/topic_facts.hpp"
#include "front/topic_shares.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/text_output.hpp"
#include "io/topic_file.hpp"
#include "terminal.hpp"
#include "topics.hpp"

namespace quasar::cli {
namespace {

constexpr Index documents_shown = 20;

struct Options {
  ReadingOptions reading;
  TableOutput out;
  bool json = false;
};

int run_infer(const Options& options) {
  const std::string inputs[] = {options.reading.file, options.reading.data};
  check_output(options.out, inputs);
  const ReadDocuments read = read_for(options.reading, "topics infer");
  const TopicShares shares{
      read.topics, read.documents,
      infer_shares(*read.documents.documents, read.topics, {.threads = read.threads}, Rng(read.seed).child("infer"))};
  if (options.out.out) {
    TextOutput out{std::filesystem::path(*options.out.out)};
    shares.write_csv(out);
    out.finish();
    out.commit(options.out.overwrite ? IfExists::replace : IfExists::fail);
  }
  if (options.json) {
    nlohmann::ordered_json json = shares.to_json();
    if (options.out.out) json["output"] = *options.out.out;
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else {
    fmt::print("{}", shares.text(documents_shown));
    if (options.out.out) fmt::print("\n{} written\n", printable(*options.out.out));
  }
  for (const std::string& warning : shares.warnings()) warn(warning);
  return 0;
}

}  // namespace

Command add_topics_infer(CLI::App& topics) {
  auto options = std::make_shared<Options>();
  CLI::App* command = topics.add_subcommand("infer", "the shares of topics in new documents");
  add_reading(*command, options->reading);
  command
      ->add_option("--out", options->out.out,
                   "a table to write as well: the share of every topic in every document (CSV)")
      ->type_name("TABLE.CSV");
  command->add_flag("--overwrite", options->out.overwrite, "replace a file that exists");
  command->add_flag("--json", options->json, "one JSON object on standard output: all shares");
  command->footer("Example:\n  quasar topics infer topics.nc new.csv --out shares.csv");
  return [options] { return run_infer(*options); };
}

}  // namespace quasar::cli
