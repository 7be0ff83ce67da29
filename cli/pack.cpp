// quasar pack data.csv
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "commands.hpp"
#include "io/csv_rows.hpp"
#include "io/packed_table.hpp"
#include "io/packed_writer.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file;
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

void report(const Options& options, const fs::path& file, const Table& table) {
  const auto bytes = fs::file_size(file);
  if (options.json) {
    const nlohmann::ordered_json facts = {{"output", file.string()},
                                          {"rows", table.rows()},
                                          {"columns", table.columns()},
                                          {"bytes", bytes},
                                          {"data_hash", table.content_hash}};
    fmt::print("{}\n", facts.dump());
  } else {
    fmt::print("{} {}: {} rows of {} columns, {} bytes\n", file.string(), options.verify ? "is sound" : "written",
               table.rows(), table.columns(), bytes);
  }
}

int pack(const Options& options) {
  const fs::path out = output_of(options);
  check_output(options, out);
  if (is_packed_table(options.file)) throw DataError(fmt::format("{}: is packed already", options.file));
  CsvRows csv{InputFile(options.file)};
  PackedWriter writer(out, csv.names());
  pack_rows(csv, writer);
  writer.finish(csv.source().content_hash(), options.overwrite ? IfExists::replace : IfExists::fail);
  report(options, out, open_packed_table(out));
  return 0;
}

int run_pack(const Options& options) {
  if (options.verify) {
    report(options, options.file, verify_packed_table(options.file));
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
  CLI::App* command = app.add_subcommand("pack", "write a CSV table in a form that --data reads a few rows at a time");
  command->add_option("file", options->file, "a table: CSV, also gzipped")->required();
  command->add_option("--out", options->out, "the file to write; default: the name of the table with .qpk at its end");
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--verify", options->verify, "FILE is packed: read all of it and compare it with its checksums");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run_pack(*options); };
}

}  // namespace quasar::cli
