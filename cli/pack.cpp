// quasar pack data.csv, quasar pack --ratings ratings.csv, quasar pack --corpus texts
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/errors.hpp>

#include "commands.hpp"
#include "front/pack_ratings.hpp"
#include "front/read_corpus.hpp"
#include "io/csv_rows.hpp"
#include "io/packed_corpus.hpp"
#include "io/packed_ratings.hpp"
#include "io/packed_table.hpp"
#include "io/packed_writer.hpp"
#include "models/factorization/synthetic_ratings.hpp"
#include "param_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;

struct RatingOptions {
  bool asked = false;
  Settings settings;  // user, item, rating, duplicates
};

struct CorpusOptions {
  bool asked = false;
  Settings settings;  // corpus_params
};

struct Options {
  std::string file;
  RatingOptions ratings;
  CorpusOptions corpus;
  std::optional<std::string> out;
  bool overwrite = false, verify = false, json = false;
};

volatile std::sig_atomic_t stop_requested = 0;

// Interrupts reading as well: a pipe may be silent for long.
void let_signals_stop() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requested = 1; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

// data.csv and data.csv.gz become data.qpk, beside them.
fs::path output_of(const Options& options) {
  if (options.out) return *options.out;
  if (options.file.starts_with(synthetic_mark)) throw UsageError("--out has to name the file to write");
  std::error_code ignored;
  if (fs::exists(options.file, ignored) && !fs::is_regular_file(options.file, ignored)) {
    throw UsageError(fmt::format("{} is no regular file, so --out has to name the one to write", options.file));
  }
  fs::path out = options.file;
  if (out.extension() == ".gz") out.replace_extension();
  return out.replace_extension(".qpk");
}

void check_output(const Options& options, const fs::path& out) {
  std::error_code ignored;
  if (fs::equivalent(out, options.file, ignored)) {
    throw UsageError(fmt::format("{} is the table itself; --out names another file", out.string()));
  }
  if (!options.overwrite && fs::exists(out, ignored)) {
    throw UsageError(fmt::format("{} exists; --overwrite replaces it, --out names another file", out.string()));
  }
}

// On a terminal, how many rows are done, a few times a second.
class RowCounter {
 public:
  ~RowCounter() {
    if (shown_) note("\r\033[K");
  }
  void show(Index rows) {
    constexpr Index rows_per_look = 1024;
    if (columns_ == 0 || rows % rows_per_look != 0) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    note("\r{} rows", rows);
    last_ = now;
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  int columns_ = terminal_size().columns;
  Clock::time_point last_ = Clock::now();
  bool shown_ = false;
};

void pack_rows(CsvRows& csv, PackedWriter& writer) {
  RowCounter counter;
  std::vector<double> row;
  while (csv.next(row)) {
    if (stop_requested != 0) throw RunError("stopped");
    writer.add(row);
    counter.show(writer.rows());
  }
}

// What a packed file is.
struct Packed {
  nlohmann::ordered_json facts;  // in figures
  std::string in_words, content_hash;
};

Packed described(const Table& table) {
  if (table.levels.empty()) {
    return {{{"rows", table.rows()}, {"columns", table.columns()}},
            fmt::format("{} rows of {} columns", table.rows(), table.columns()),
            table.content_hash};
  }
  const std::size_t users = table.levels[0].size(), items = table.levels[1].size();
  return {{{"ratings", table.rows()}, {"users", users}, {"items", items}},
          fmt::format("{} ratings by {} users of {} items", table.rows(), users, items),
          table.content_hash};
}

Packed described(const PackedCorpus& corpus) {
  const DocumentSource& documents = *corpus.documents;
  return {{{"documents", documents.documents()},
           {"words", documents.vocabulary()},
           {"entries", corpus.nonzeros},
           {"tokens", documents.tokens()}},
          fmt::format("{} documents of {} words, {} tokens", documents.documents(), documents.vocabulary(),
                      documents.tokens()),
          corpus.content_hash};
}

void report(const Options& options, const fs::path& file, const Packed& packed) {
  const auto bytes = fs::file_size(file);
  if (options.json) {
    nlohmann::ordered_json facts = {{"output", file.string()}};
    facts.update(packed.facts);
    facts.update({{"bytes", bytes}, {"data_hash", packed.content_hash}});
    fmt::print("{}\n", facts.dump());
  } else {
    fmt::print("{} {}: {}, {} bytes\n", file.string(), options.verify ? "is sound" : "written", packed.in_words, bytes);
  }
}

Packed pack_table(const Options& options, const fs::path& out, IfExists if_exists) {
  CsvRows csv{InputFile(options.file)};
  PackedWriter writer(out, csv.names());
  pack_rows(csv, writer);
  writer.finish(csv.source().content_hash(), if_exists);
  return described(open_packed_table(out));
}

Packed pack_rating_file(const Options& options, const fs::path& out, IfExists if_exists) {
  pack_ratings(options.file, options.ratings.settings, out, if_exists, [] {
    if (stop_requested != 0) throw RunError("stopped");
  });
  return described(open_packed_ratings(out));
}

Packed pack_corpus(const Options& options, const fs::path& out, IfExists if_exists) {
  const Config config = config_of_flags("pack --corpus", corpus_params(), options.corpus.settings);
  const DocumentsRead read = read_corpus_into_memory(options.file, config);
  if (stop_requested != 0) throw RunError("stopped");
  if (const std::string left_out = note_on_words(read); !left_out.empty()) note("quasar: {}\n", left_out);
  write_packed_corpus(out, read.corpus, if_exists);
  return described(open_packed_corpus(out));
}

int pack(const Options& options) {
  const fs::path out = output_of(options);
  check_output(options, out);
  if (is_packed_table(options.file) || is_packed_ratings(options.file) || is_packed_corpus(options.file)) {
    throw DataError(fmt::format("{}: is packed already", options.file));
  }
  const IfExists if_exists = options.overwrite ? IfExists::replace : IfExists::fail;
  const auto& write = options.corpus.asked ? pack_corpus : options.ratings.asked ? pack_rating_file : pack_table;
  report(options, out, write(options, out, if_exists));
  return 0;
}

Packed verified(const fs::path& file) {
  if (is_packed_corpus(file)) return described(verify_packed_corpus(file));
  return described(is_packed_ratings(file) ? verify_packed_ratings(file) : verify_packed_table(file));
}

void require(bool asked, const Settings& settings, std::string_view what, std::string_view flag) {
  if (asked || settings.empty()) return;
  throw UsageError(fmt::format("{} is for {}: give {} too", flag_of(settings.begin()->first), what, flag));
}

int run_pack(const Options& options) {
  require(options.ratings.asked, options.ratings.settings, "ratings", "--ratings");
  require(options.corpus.asked, options.corpus.settings, "documents", "--corpus");
  if (options.ratings.asked && options.corpus.asked) throw UsageError("a file holds ratings or documents, not both");
  if (options.verify) {
    report(options, options.file, verified(options.file));
    return 0;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk
  let_signals_stop();
  try {
    return pack(options);
  } catch (const std::exception&) {  // what was begun has been removed
    if (stop_requested == 0) throw;
    note("quasar: stopped; nothing was written\n");
    return interrupted;
  }
}

}  // namespace

Command add_pack(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("pack", "write a table, ratings or documents in a form that is read a part at a time");
  command
      ->add_option(
          "file", options->file,
          "a table: CSV, also gzipped; with --ratings any file of ratings, with --corpus any of documents, or a folder")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", options->out, "the file to write; default: the name of the table with .qpk at its end")
      ->type_name("TABLE.QPK");
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--verify", options->verify, "FILE is packed: read all of it and compare it with its checksums");
  command->add_flag("--ratings", options->ratings.asked,
                    "FILE holds ratings: a user, an item and a rating in each line, for models of ratings");
  const auto rating_option = [&](const char* flag, const std::string& key, const char* doc) {
    const auto keep = [options, key](const std::string& value) { options->ratings.settings[key] = value; };
    return command->add_option_function<std::string>(flag, keep, doc)->type_name("NAME");
  };
  rating_option("--user", "user", "with --ratings: the column of users; default: the one called user, or the first");
  rating_option("--item", "item", "with --ratings: the column of items; default: item, or the second");
  rating_option("--rating", "rating", "with --ratings: the column of ratings; default: rating, or the third");
  rating_option("--duplicates", "duplicates", "with --ratings: what to do where a user has rated an item twice [error]")
      ->type_name("error|keep|mean|last");
  command->add_flag(
      "--corpus", options->corpus.asked,
      "FILE holds documents: UCI bag of words, MatrixMarket, CSV or texts; the options below are for them");
  add_param_flags(*command, corpus_params(), options->corpus.settings);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run_pack(*options); };
}

}  // namespace quasar::cli
