#include "optimize_problem.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "commands.hpp"
#include "front/manifolds/karcher_mean.hpp"
#include "front/manifolds/pca.hpp"
#include "front/manifolds/problem_data.hpp"
#include "front/manifolds/problems.hpp"
#include "front/manifolds/procrustes.hpp"
#include "front/text_table.hpp"
#include "io/json_text.hpp"
#include "io/npy.hpp"
#include "io/quoted_field.hpp"
#include "io/text_output.hpp"
#include "param_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;

volatile std::sig_atomic_t stop_asked = 0;
extern "C" void ask_to_stop(int) { stop_asked = 1; }

// A line that is written over itself, on terminals alone.
bool watch_progress(const Progress& progress) {
  if (terminal_size().columns > 0 && std::isfinite(progress.value)) {
    note("\r\033[Kstep {}, {:.4g} passes: cost {:.6g}, gradient {:.2g}", progress.steps, progress.passes,
         progress.value, progress.gradient_norm);
  }
  return stop_asked == 0;
}

struct Answer {
  Solved how;
  Json facts;                             // what the problem alone tells
  std::string text;                       // the same for people
  Mat result;                             // what --out writes
  std::vector<std::string> columns = {};  // the header of a CSV file
};

Json rows_json(const Mat& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (const double value : matrix.row(i)) row.push_back(value);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string matrix_text(const Mat& matrix) {
  constexpr Index most = 10;
  if (matrix.rows() > most || matrix.cols() > most) {
    return fmt::format("{} x {} numbers: --out FILE.npy or FILE.csv writes them\n", matrix.rows(), matrix.cols());
  }
  TextTable table(std::vector<std::string>(static_cast<std::size_t>(matrix.cols()), ""));
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::vector<std::string> row;
    for (const double value : matrix.row(i)) row.push_back(number(value, 6));
    table.add(row);
  }
  return table.text();
}

Answer answer_karcher_mean(const std::string& data, const Settings& settings) {
  std::vector<Mat> matrices = read_matrices(data);
  const SolvedMean found = naming_data(
      printable(data), [&] { return karcher_mean(std::move(matrices), settings, throughout(watch_progress)); });
  return {.how = found,
          .facts = {{"variance", found.variance}, {"mean", rows_json(found.mean)}},
          .text = fmt::format("mean squared distance {:.6g}\n\n{}", found.variance, matrix_text(found.mean)),
          .result = found.mean};
}

std::string components_text(const SolvedPca& found, const std::vector<std::string>& names) {
  TextTable table({"<component", "variance", "share", "together"});
  const auto share = [&](double part) { return found.total > 0 ? fmt::format("{:.4f}", part / found.total) : "-"; };
  double sum = 0;
  for (Index k = 0; k < found.variances.size(); ++k) {
    sum += found.variances[k];
    table.add({std::to_string(k + 1), number(found.variances[k], 6), share(found.variances[k]), share(sum)});
  }
  constexpr Index most_named = 40, most_shown = 8;
  if (names.empty() || std::ssize(names) > most_named || found.components.cols() > most_shown) return table.text();
  std::vector<std::string> heads = {"<"};
  for (Index k = 0; k < found.components.cols(); ++k) heads.push_back(std::to_string(k + 1));
  TextTable loadings(heads);
  for (Index i = 0; i < found.components.rows(); ++i) {
    std::vector<std::string> row = {names[static_cast<std::size_t>(i)]};
    for (const double value : found.components.row(i)) row.push_back(number(value, 4));
    loadings.add(row);
  }
  return table.text() + "\n" + loadings.text();
}

Answer answer_pca(const std::string& data, const Settings& settings) {
  PcaData observations = read_observations(data);
  const std::vector<std::string> names = observations.names;
  const SolvedPca found =
      naming_data(printable(data), [&] { return pca(std::move(observations), settings, throughout(watch_progress)); });
  const auto list = [](const Vec& values) { return Json(std::vector<double>(values.begin(), values.end())); };
  return {.how = found,
          .facts = {{"rows", found.rows},
                    {"rank", found.rank},
                    {"total_variance", found.total},
                    {"variances", list(found.variances)},
                    {"mean", list(found.mean)},
                    {"scale", list(found.scale)},
                    {"columns", names},
                    {"components", rows_json(found.components.transpose())}},
          .text = components_text(found, names),
          .result = found.components.transpose(),
          .columns = names};
}

Answer answer_procrustes(const std::string& data, const std::string& onto, const Settings& settings) {
  const Mat from = read_matrix(data), to = read_matrix(onto);
  const SolvedProcrustes found = naming_data(fmt::format("{} onto {}", printable(data), printable(onto)), [&] {
    return procrustes(from, to, settings, throughout(watch_progress));
  });
  return {.how = found,
          .facts = {{"residual", found.residual}, {"q", rows_json(found.q)}},
          .text = fmt::format("residual {:.6g}\n\n{}", found.residual, matrix_text(found.q)),
          .result = found.q};
}

Answer answer_problem(const ProblemFlags& flags, const std::string& data, const Settings& settings) {
  if (flags.problem == "procrustes") return answer_procrustes(data, flags.onto, settings);
  return flags.problem == "pca" ? answer_pca(data, settings) : answer_karcher_mean(data, settings);
}

// The flags of a model's mode that mean the same here; the others have no meaning.
Settings settings_of(const GivenSettings& given) {
  if (!given.model.empty()) throw UsageError("--set model. does not go with --problem: it has no model");
  Settings settings = given.sampler;
  for (const auto& [name, value] : given.run) {
    if (name == "data") continue;
    if (name != "seed" && name != "tolerance" && name != "max_iterations") {
      throw UsageError(fmt::format("{} does not go with --problem{}", flag_of(name),
                                   name == "method" ? "; --set solver= names one" : ""));
    }
    if (!settings.emplace(name, value).second) throw UsageError(fmt::format("{} is given twice", name));
  }
  return settings;
}

void check_onto(const ProblemFlags& flags) {
  const bool takes_it = flags.problem == "procrustes";
  if (takes_it && flags.onto.empty()) {
    throw UsageError("--problem procrustes: --onto FILE names the points to come near to");
  }
  if (!takes_it && !flags.onto.empty()) {
    throw UsageError(fmt::format("--onto does not go with --problem {}", flags.problem));
  }
}

void check_result_file(const ProblemFlags& flags, const std::string& data) {
  if (flags.out && !flags.out->ends_with(".npy") && !flags.out->ends_with(".csv")) {
    throw UsageError(fmt::format("--out {}: a result is NAME.npy or NAME.csv", *flags.out));
  }
  const std::string inputs[] = {data, flags.onto};
  check_output(TableOutput{flags.out, flags.overwrite}, inputs);
  if (flags.out) const AtomicFile removed_at_once(*flags.out);
}

void write_csv_result(const Answer& answer, const std::string& path, IfExists if_exists) {
  TextOutput out{std::filesystem::path(path)};
  for (Index c = 0; c < answer.result.cols(); ++c) {
    const auto place = static_cast<std::size_t>(c);
    if (c > 0) out.write(",");
    out.write(place < answer.columns.size() ? quoted_field(answer.columns[place]) : fmt::format("x{}", c + 1));
  }
  out.write("\n");
  for (Index r = 0; r < answer.result.rows(); ++r) {
    for (Index c = 0; c < answer.result.cols(); ++c) {
      if (c > 0) out.write(",");
      out.write_number(answer.result(r, c));
    }
    out.write("\n");
  }
  out.finish();
  out.commit(if_exists);
}

void write_result(const Answer& answer, const ProblemFlags& flags) {
  if (!flags.out) return;
  const IfExists if_exists = flags.overwrite ? IfExists::replace : IfExists::fail;
  flags.out->ends_with(".npy") ? write_npy(*flags.out, answer.result, if_exists)
                               : write_csv_result(answer, *flags.out, if_exists);
}

void print_answer(const Answer& answer, const ProblemFlags& flags, const std::string& data) {
  const Solved& how = answer.how;
  if (flags.json) {
    Json json = {{"problem", flags.problem},
                 {"solver", how.solver},
                 {"stop", to_string(how.stop)},
                 {"cost", how.progress.value},
                 {"gradient_norm", how.progress.gradient_norm},
                 {"iterations", how.progress.steps},
                 {"passes", how.progress.passes},
                 {"halvings", how.progress.halvings},
                 {"seconds", how.seconds}};
    json.update(answer.facts);
    if (flags.out) json["output"] = *flags.out;
    fmt::print("{}\n", as_utf8(json).dump(2));
    return;
  }
  fmt::print("{} on {}, {}: gradient norm {:.2g}; {} iterations, {:.4g} passes over the data; {}; {:.2f} s\n",
             flags.problem, printable(data), how.solver, how.progress.gradient_norm, how.progress.steps,
             how.progress.passes, to_string(how.stop), how.seconds);
  if (how.progress.halvings > 0)
    fmt::print("{} steps that led out of the manifold were halved\n", how.progress.halvings);
  fmt::print("{}", answer.text);
  if (flags.out) fmt::print("\n{} written\n", printable(*flags.out));
}

void warn_of_stop(const Solved& how, const Settings& settings) {
  const double length = how.progress.gradient_norm;
  if (how.stop == ManifoldStop::iteration_limit) {
    const char* more = how.solver == "sgd"               ? "Its steps never settle: try"
                       : settings.contains("max_passes") ? "Try a greater --set max_passes=, more --max-iterations, or"
                                                         : "Try more --max-iterations, or";
    warn(fmt::format("not converged: the gradient is {:.2g} long after {} iterations. {} another --set solver=", length,
                     how.progress.steps, more));
  } else if (how.stop == ManifoldStop::no_decrease) {
    warn(
        fmt::format("the gradient is {:.2g} long, and no step lowers the cost by more than its rounding. Try a greater "
                    "--tolerance if that is short enough, another --set solver={} if it is not",
                    length, how.solver == "trust_region" ? "" : ", such as trust_region,"));
  }
}

}  // namespace

void ProblemFlags::add_to(CLI::App& command) {
  command.add_option("--problem", problem, "solve this on a manifold instead: see quasar list problems")
      ->type_name("karcher-mean|pca|procrustes");
  command.add_option("--onto", onto, "of procrustes: the points to come near to")->type_name("FILE");
  command.add_option("--out", out, "of a problem: write the answer, as NAME.npy or NAME.csv")->type_name("FILE");
  command.add_flag("--overwrite", overwrite, "replace a file that exists");
}

int solve_problem(const ProblemFlags& flags, const GivenSettings& given) {
  const ProblemEntry& entry = problem(flags.problem);
  const Settings settings = settings_of(given);
  const auto data = given.run.find("data");
  if (data == given.run.end() || data->second.empty()) {
    throw UsageError(fmt::format("--problem {}: --data FILE is missing", flags.problem));
  }
  check_onto(flags);
  entry.config(settings);  // what is wrong with them is told before data is read, which may take long
  check_result_file(flags, data->second);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  const Answer answer = answer_problem(flags, data->second, settings);
  if (terminal_size().columns > 0) note("\r\033[K");
  if (answer.result.size() == 0) {
    note("quasar: stopped early, before anything was found\n");
    return interrupted;
  }
  if (answer.how.stop == ManifoldStop::not_finite) {
    throw RunError(fmt::format("solver {}: no step leads to a point of the manifold. Try another --set solver=",
                               answer.how.solver));
  }
  write_result(answer, flags);
  print_answer(answer, flags, data->second);
  warn_of_stop(answer.how, settings);
  if (answer.how.stop != ManifoldStop::interrupted) return 0;
  note("quasar: stopped early; this is the point reached\n");
  return interrupted;
}

}  // namespace quasar::cli
