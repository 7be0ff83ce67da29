// Section 4.3 of Simsekli, Badeau, Cemgil and Richard (2016): a Gaussian factorization of MovieLens-1M by distributed
// SGLD, PSGLD and HAMCMC on cyclic diagonals of 4 x 4 blocks, with the step sizes of their Table 3. The published
// version has rank 10 and leaves out 50 iterations, the longer one (on arXiv) rank 50 and 100. Both draw curves
// and print no numbers.
//
// What tells the methods apart is mostly how far they go in an iteration, their effective step e: the step size of
// SGLD; that of PSGLD over lambda = 5, beside which its mean gradients are nothing; that of HAMCMC over M = 2, since
// its members take turns and one pair does not show in 10^5 dimensions; for SGHMC, which is there beside them, the
// learning rate over the momentum's decay. So all methods are run at the effective steps of all three. Two chains of
// SGLD that take turns are what HAMCMC would be without its pairs.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <span>

#include "core/blas_threads.hpp"
#include "experiments/bpmf_ratings.hpp"
#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/finished_parts.hpp"
#include "experiments/two_at_a_time.hpp"

namespace quasar {
namespace {

constexpr double regularization = 5, momentum_decay = 0.1;
constexpr int members = 2;                    // of HAMCMC
constexpr std::int64_t predicted_every = 10;  // iterations: a prediction takes longer than ten of them

struct Version {
  const char* name;
  Index rank;
  std::int64_t burn_in;
};
constexpr std::array<Version, 2> versions{{{"published version", 10, 50}, {"longer version", 50, 100}}};

struct Length {
  std::vector<std::int64_t> shown;  // iterations after which errors are told
  std::uint64_t chains;
  std::int64_t total() const { return shown.back(); }
};

struct Method {
  const char *name, *sampler;
  double as_published;  // its effective step there; 0: it is not there
  Settings (*settings)(double effective_step);
  std::int64_t members = 1;  // that take turns
  int chains = 1;            // which the members are; 1: they are those of an ensemble
};

std::string text(double value) { return fmt::format("{:g}", value); }

const std::array<Method, 5>& methods() {
  static const std::array<Method, 5> all{{
      {"DSGLD", "dsgld", 1e-4,
       [](double e) {
         return Settings{{"step_size", text(e)}};
       }},
      {"DPSGLD", "dpsgld", 2e-4,
       [](double e) {
         return Settings{
             {"step_size", text(regularization * e)}, {"averaging", "0.9"}, {"regularization", text(regularization)}};
       }},
      {"DSGHMC", "dsghmc", 0,
       [](double e) {
         return Settings{{"learning_rate", text(momentum_decay * e)}, {"momentum_decay", text(momentum_decay)}};
       }},
      {"DHAMCMC", "dhamcmc", 1.5e-4,
       [](double e) {
         return Settings{{"step_size", text(members * e)},
                         {"memory", text(members)},
                         {"initial_scale", "1"},
                         {"shift", "100"},
                         {"pairs", "printed"},
                         {"freeze", "false"}};
       },
       members},
      {"2 chains of DSGLD", "dsgld", 0,
       [](double e) {
         return Settings{{"step_size", text(members * e)}};
       },
       members, members},
  }};
  return all;
}
constexpr std::array effective_steps{1e-4, 1.5e-4, 2e-4};

struct Job {
  const Version* version;
  const Method* method;
  double effective_step;
  std::uint64_t chain;
  RatingOutcome outcome = {};

  bool as_published() const { return effective_step == method->as_published; }
  std::string name() const {
    return fmt::format("K = {}, e = {}: {}{}", version->rank, text(effective_step), method->name,
                       as_published() ? " (as published)" : "");
  }
};

// An iteration moves one member. The last of every ten after the burn-in is predicted from, and of the members that are
// moved together with it the last move of each.
RatingMethod rating_method(const Job& job, const Length& length) {
  const std::int64_t together = job.method->members, thin = predicted_every / together;
  const std::int64_t first = job.version->burn_in / together + thin - 1;
  return {.sampler = job.method->sampler,
          .model = {{"rank", std::to_string(job.version->rank)}, {"blocks", "4"}, {"start_sd", "0.3"}},
          .settings = job.method->settings(job.effective_step),
          .schedule = {first, length.total() / together - first, thin},
          .factorization = "mf",
          .chains = job.method->chains};
}
// Which of the draws that are predicted from is that of an iteration.
std::size_t draw_at(const Job& job, std::int64_t iteration) {
  return static_cast<std::size_t>(job.method->members * (iteration - job.version->burn_in) / predicted_every - 1);
}

std::vector<Job> all_jobs(const ExperimentOptions& options, const Length& length) {
  std::vector<Job> jobs;
  for (const Version& version : versions) {
    for (const double effective_step : effective_steps) {
      for (const Method& method : methods()) {
        for (std::uint64_t chain = 0; chain < length.chains; ++chain) {
          Job job{&version, &method, effective_step, chain};
          const bool slow = version.rank > versions.front().rank;
          if (!options.quick || !slow || job.as_published()) jobs.push_back(std::move(job));
        }
      }
    }
  }
  return jobs;
}

struct Mean {
  double value;
  std::optional<double> error;  // where there are several
};

template <class Value>
Mean mean_over(std::span<const Job> chains, const Value& value) {
  Vec values(std::ssize(chains));
  for (Index i = 0; i < values.size(); ++i) values[i] = value(chains[static_cast<std::size_t>(i)].outcome);
  const double mean = values.mean();
  const auto n = static_cast<double>(values.size());
  if (n < 2) return {mean, std::nullopt};
  return {mean, std::sqrt((values.array() - mean).square().sum() / (n * (n - 1)))};
}

void report(std::span<const Job> chains, const Length& length, ExperimentResult& result) {
  const Job& first = chains.front();
  const auto add = [&](const std::string& quantity, const auto& value) {
    const Mean mean = mean_over(chains, value);
    result.rows.push_back({first.name(), quantity, mean.value, mean.error, std::nullopt});
  };
  for (const std::int64_t iterations : length.shown) {
    const std::size_t draw = draw_at(first, iterations);
    const auto at = [&](const std::vector<double>& rmse) { return draw < rmse.size() ? rmse[draw] : Scores::none; };
    add(fmt::format("RMSE averaged, {} iterations", iterations),
        [&](const RatingOutcome& outcome) { return at(outcome.rmse); });
    add(fmt::format("RMSE of one draw, {} iterations", iterations),
        [&](const RatingOutcome& outcome) { return at(outcome.single_rmse); });
  }
  add("seconds for 100 iterations",
      [](const RatingOutcome& outcome) { return 100 * outcome.seconds / static_cast<double>(outcome.iterations); });
}

// The error of the averaged prediction, averaged over the chains.
Series learning_curve(std::span<const Job> chains, const Length& length) {
  const Job& first = chains.front();
  const double step = static_cast<double>(predicted_every) / static_cast<double>(first.method->members);
  std::vector<double> means;
  for (std::size_t draw = 0; draw <= draw_at(first, length.total()); ++draw) {
    means.push_back(mean_over(chains, [&](const RatingOutcome& outcome) {
                      return draw < outcome.rmse.size() ? outcome.rmse[draw] : Scores::none;
                    }).value);
  }
  return curve(first.method->name, means, static_cast<double>(first.version->burn_in) + step, step);
}

Figure figure_of(std::span<const Job> jobs, const Length& length) {
  constexpr double common_step = effective_steps.back();
  const Axis iterations{.label = "iterations"}, rmse{.label = "RMSE of the averaged prediction"};
  Figure figure{
      "figure-5",
      "Simsekli et al. (2016), Figure 5, of which the paper prints no numbers: errors on the test ratings. Above "
      "with the published step sizes, below all methods at the same effective step.",
      static_cast<int>(versions.size()),
      {}};
  for (const bool as_published : {true, false}) {
    for (const Version& version : versions) {
      const std::string steps = as_published ? "as published" : fmt::format("all at e = {}", text(common_step));
      Panel panel{fmt::format("{}, K = {}: {}", version.name, version.rank, steps), iterations, rmse, {}};
      for (std::size_t i = 0; i < jobs.size(); i += length.chains) {
        const Job& job = jobs[i];
        const bool shown = as_published ? job.as_published() : job.effective_step == common_step;
        if (job.version == &version && shown) {
          panel.series.push_back(learning_curve(jobs.subspan(i, length.chains), length));
        }
      }
      if (panel.series.size() > 1) figure.panels.push_back(std::move(panel));  // one curve compares nothing
    }
  }
  return figure;
}

}  // namespace

ExperimentResult run_hamcmc_distributed_mf(const ExperimentOptions& options) {
  const SingleThreadedBlas one_thread;
  const Length length = options.quick ? Length{{300, 600}, 1} : Length{{300, 600, 1200, 3000}, 3};
  const Table ratings = read_movielens(options.data_dir);
  const RatingSplit split = split_ratings(ratings, 10, 0, options.seed);
  std::vector<Job> jobs = all_jobs(options, length);
  const FinishedParts finished(options.work_dir);
  two_at_a_time(
      jobs, [](const Job& job) { return job.name(); },
      [&](Job& job) {
        const RatingMethod method = rating_method(job, length);
        const std::uint64_t seed = options.seed + job.chain;
        job.outcome =
            finished.of(job.name(), describe(split, method, seed), [&] { return run_on_ratings(split, method, seed); });
      },
      options.on_method);

  ExperimentResult result{{{"ratings", fmt::format("{}, a tenth of them for the test", ratings.rows())},
                           {"blocks", "4 x 4"},
                           {"chains", std::to_string(length.chains)},
                           {"iterations", std::to_string(length.total())},
                           {"e", "effective step: how far an iteration goes"}},
                          {}};
  for (const Version& version : versions) {
    result.settings[version.name] = fmt::format("rank {}, averaged after {} iterations", version.rank, version.burn_in);
  }
  for (std::size_t i = 0; i < jobs.size(); i += length.chains) {
    report(std::span(jobs).subspan(i, length.chains), length, result);
  }
  result.figures.push_back(figure_of(jobs, length));
  return result;
}

}  // namespace quasar
