// quasar summary run.nc
#include "summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <quasar/layout.hpp>

#include "commands.hpp"
#include "io/durable_run.hpp"
#include "terminal.hpp"
#include "text_table.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr double rhat_limit = 1.01, ess_per_chain = 100, ebfmi_limit = 0.3, least_acceptance = 0.02;

// Energy Bayesian fraction of missing information (Betancourt 2016), the smallest over chains.
double smallest_ebfmi(const Mat& energy) {
  double smallest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < energy.cols(); ++c) {
    const auto e = energy.col(c);
    const Index n = e.size();
    const double moved = (e.tail(n - 1) - e.head(n - 1)).squaredNorm();
    smallest = std::min(smallest, moved / (e.array() - e.mean()).square().sum());
  }
  return smallest;
}

void warn_about_steps(const Run& run, RunSummary& summary) {
  if (run.info.divergences > 0) {
    summary.warnings.push_back(
        fmt::format("{} divergent transitions after warm-up: the draws may be biased. Try --set target_accept=0.95, or "
                    "another parameterisation",
                    run.info.divergences));
  }
  const Mat accepted = statistic(run, "acceptance_rate");
  if (accepted.size() > 0 && accepted.mean() < least_acceptance) {
    summary.warnings.push_back(fmt::format(
        "acceptance is {:.2g}: nearly every proposal was rejected. Try a smaller step_size", accepted.mean()));
  }
  const Mat depth = statistic(run, "reached_max_tree_depth");
  if (depth.sum() > 0) {
    summary.warnings.push_back(fmt::format(
        "{:.0f} trajectories reached the maximum depth: slow, not wrong. Try --set max_depth=12 or a better metric",
        depth.sum()));
  }
  const Mat energy = statistic(run, "energy");
  if (energy.rows() > 3 && smallest_ebfmi(energy) < ebfmi_limit) {
    summary.warnings.push_back(
        fmt::format("E-BFMI is {:.2f} (below {}): the tails are explored slowly. Try another parameterisation",
                    smallest_ebfmi(energy), ebfmi_limit));
  }
}

// "tau (1.034), mu (1.020) and 3 more"
std::string worst_of(const RunSummary& summary, const std::vector<std::size_t>& which, double Summary::*value) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(which.size(), 3); ++i) {
    text += fmt::format("{}{} ({:.4g})", i ? ", " : "", summary.names[which[i]], summary.rows[which[i]].*value);
  }
  return which.size() > 3 ? fmt::format("{} and {} more", text, which.size() - 3) : text;
}

template <class Bad>
std::vector<std::size_t> find_bad(const RunSummary& summary, Bad bad) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    if (bad(summary.rows[i])) found.push_back(i);
  }
  return found;
}

void warn_about_convergence(RunSummary& summary) {
  const auto stuck = find_bad(summary, [](const Summary& s) { return !(s.sd > 0); });
  if (!stuck.empty() && summary.draws > 1) {
    summary.warnings.push_back(fmt::format("never moved: {}", worst_of(summary, stuck, &Summary::mean)));
  }
  auto bad = find_bad(summary, [](const Summary& s) { return s.rhat > rhat_limit; });
  std::sort(bad.begin(), bad.end(), [&](auto a, auto b) { return summary.rows[a].rhat > summary.rows[b].rhat; });
  if (!bad.empty())
    summary.warnings.push_back(fmt::format("R-hat above {}: {}. The chains disagree; run longer", rhat_limit,
                                           worst_of(summary, bad, &Summary::rhat)));
  const double enough = ess_per_chain * static_cast<double>(summary.chains);
  for (const auto& [name, value] : {std::pair{"bulk", &Summary::ess_bulk}, {"tail", &Summary::ess_tail}}) {
    auto few = find_bad(summary, [&, v = value](const Summary& s) { return s.*v < enough; });
    std::sort(few.begin(), few.end(),
              [&, v = value](auto a, auto b) { return summary.rows[a].*v < summary.rows[b].*v; });
    if (!few.empty())
      summary.warnings.push_back(fmt::format("{} ESS below {:.0f} ({:.0f} per chain): {}. Run longer", name, enough,
                                             ess_per_chain, worst_of(summary, few, value)));
  }
}

}  // namespace

RunSummary summarize_run(const Run& run) {
  RunSummary summary;
  summary.names = element_names(run.layout);
  summary.chains = run.chains();
  summary.draws = run.draws();
  Summarizer summarizer(summary.draws, summary.chains);
  for_each_element(run, [&](Index, const Mat& draws) { summary.rows.push_back(summarizer(draws)); });
  if (run.info.stopped_early)
    summary.warnings.emplace_back("the run was stopped early: these are the draws made until then");
  warn_about_steps(run, summary);
  warn_about_convergence(summary);
  return summary;
}

nlohmann::ordered_json to_json(const RunSummary& summary, const RunInfo& info) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const Summary& s = summary.rows[i];
    parameters.push_back({{"name", summary.names[i]},
                          {"mean", s.mean},
                          {"sd", s.sd},
                          {"q5", s.q5},
                          {"q50", s.q50},
                          {"q95", s.q95},
                          {"mcse_mean", s.mcse_mean},
                          {"ess_bulk", s.ess_bulk},
                          {"ess_tail", s.ess_tail},
                          {"rhat", s.rhat}});
  }
  return {{"parameters", parameters},
          {"chains", summary.chains},
          {"draws", summary.draws},
          {"divergences", info.divergences},
          {"gradient_evaluations", info.gradient_evaluations},
          {"sampling_seconds", info.sampling_seconds},
          {"sampler", info.sampler},
          {"model", info.model},
          {"warnings", summary.warnings}};
}

void print_summary(const RunSummary& summary, const RunInfo& info, std::size_t most) {
  fmt::print("{}{}, {}: {} chains of {} draws after {} of warm-up; {} gradients; {:.2f} s + {:.2f} s\n\n", info.model,
             info.data_source.empty() ? "" : " on " + info.data_source, info.sampler, summary.chains, summary.draws,
             info.schedule.warmup, info.gradient_evaluations, info.warmup_seconds, info.sampling_seconds);
  TextTable table({"<", "mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat"});
  for (std::size_t i = 0; i < std::min(most, summary.rows.size()); ++i) {
    const Summary& s = summary.rows[i];
    table.add({summary.names[i], number(s.mean), fmt::format("{:.2g}", s.mcse_mean), number(s.sd), number(s.q5),
               number(s.q50), number(s.q95), count(s.ess_bulk), count(s.ess_tail),
               std::isnan(s.rhat) ? "-" : fmt::format("{:.3f}", s.rhat)});
  }
  table.print(stdout);
  if (summary.rows.size() > most) fmt::print("… and {} more; quasar summary shows all\n", summary.rows.size() - most);
}

void print_warnings(const RunSummary& summary) {
  for (const std::string& warning : summary.warnings) note("warning: {}\n", warning);
}

Command add_summary(CLI::App& app) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("summary", "means, errors, effective draws and R-hat of a run file");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] {
    const Run run = open_run(options->file);
    const RunSummary summary = summarize_run(run);
    if (options->json) {
      fmt::print("{}\n", to_json(summary, run.info).dump(2));
    } else {
      print_summary(summary, run.info, summary.rows.size());
    }
    print_warnings(summary);
    return 0;
  };
}

}  // namespace quasar::cli
