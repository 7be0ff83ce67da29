// Figure 4 of Chen, Fox and Guestrin (2014): a Bayesian neural network of 784-100-10 units on MNIST by SGD, SGD with
// momentum, SGLD and SGHMC; 800 passes over 50 000 images in batches of 500, the precision of each group of weights
// drawn after each pass, the predictions of the passes from 50 on averaged. The paper has curves, no numbers.
//
// Step sizes, and for the optimisers the precision, are those of the least error on the other 10 000 training images
// after a short run; SGHMC has the settings of the authors' program. An optimiser is where it is: nothing is averaged.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>

#include <quasar/chain.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/blas_threads.hpp"
#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/two_at_a_time.hpp"
#include "io/idx.hpp"
#include "models/network/network.hpp"
#include "models/network/network_predictor.hpp"
#include "predict/predictive_average.hpp"

namespace quasar {
namespace {

constexpr Index classes = 10, hidden = 100, training = 50'000, batch = 500;
constexpr std::int64_t steps_in_pass = training / batch, burn_in = 50;

using Pixels = NetworkData<float>;

std::shared_ptr<const Pixels> take_images(const Images& images, Index begin, Index count) {
  constexpr float range = 256;
  auto data = std::make_shared<Pixels>();
  data->inputs = InputRows<float>(images.pixels.middleCols(begin, count).transpose().cast<float>() / range);
  data->response.resize(count);
  for (Index i = 0; i < count; ++i) data->response[i] = images.labels[static_cast<std::size_t>(begin + i)];
  data->input_names.resize(static_cast<std::size_t>(images.pixels.rows()));
  for (std::size_t i = 0; i < data->input_names.size(); ++i) data->input_names[i] = fmt::format("pixel_{}", i + 1);
  for (Index i = 0; i < classes; ++i) data->classes.push_back(std::to_string(i));
  return data;
}

struct Mnist {
  std::shared_ptr<const Pixels> train, validation, test;
};

Mnist read_mnist(const std::string& data_dir) {
  if (data_dir.empty()) {
    throw UsageError("this experiment reads MNIST: --data-dir names the folder that has its four files in mnist/");
  }
  const std::filesystem::path folder = std::filesystem::path(data_dir) / "mnist";
  const auto read = [&](const std::string& part, Index wanted) {
    const auto file = folder / (part + "-images-idx3-ubyte.gz");
    Images images = read_idx_images(file, folder / (part + "-labels-idx1-ubyte.gz"));
    const bool digits = std::ranges::all_of(images.labels, [](int label) { return label < classes; });
    if (images.pixels.cols() != wanted || !digits) {
      throw DataError(fmt::format("{}: this part of MNIST has {} images of ten digits", file.string(), wanted));
    }
    return images;
  };
  constexpr Index validation = 10'000, test = 10'000;
  const Images train = read("train", training + validation);
  return {take_images(train, 0, training), take_images(train, training, validation),
          take_images(read("t10k", test), 0, test)};
}

struct Candidate {  // settings; the validation error decides which
  Settings settings;
  double precision = 0;  // of the weights, fixed; 0: precisions are drawn
};

struct Method {
  std::string name;
  const char* sampler;
  std::vector<Candidate> candidates;  // the first is the best of those that were tried by hand
};

constexpr bool samples(const Candidate& candidate) { return candidate.precision == 0; }

std::vector<Method> methods() {
  const auto step = [](const char* size, double precision = 0) { return Candidate{{{"step_size", size}}, precision}; };
  const auto rate = [](const char* decay, double precision = 0) {
    Settings settings{{"learning_rate", "2e-6"}, {"momentum_decay", decay}};
    if (precision == 0) settings["noise_variance"] = "0";
    return Candidate{settings, precision};
  };
  return {{"SGHMC", "sghmc", {rate("0.01")}},
          {"SGLD", "sgld", {step("1e-4"), step("4e-5"), step("2e-4"), step("1e-5"), step("2e-6")}},
          {"SGD with momentum", "sgd-momentum", {rate("0.01", 5), rate("0.01", 1), rate("0.01", 20)}},
          {"SGD", "sgd", {step("4e-5", 1), step("4e-5", 5), step("1e-4", 1), step("1e-5", 1)}}};
}

struct Trace {  // by pass, from 1
  std::vector<double> test, single, validation, seconds;
  std::int64_t diverged_at = 0;  // the step; 0: never
};

// Sees the draw at the end of each pass. Its own work is not part of the time of the chain.
class Watch final : public Sink {
 public:
  Watch(const Mnist& mnist, const NetworkShape& shape, bool averages)
      : test_(mnist.test, shape), validation_(mnist.validation, shape), averages_(averages) {}

  void on_draw(const Draw& draw) override {
    const double now = seconds();
    trace.seconds.push_back(now - watching_);
    const bool first = !averages_ || std::ssize(trace.seconds) <= burn_in;
    trace.test.push_back(test_.add(draw.values, first).scores().error);
    trace.single.push_back(test_.average->last().error);
    trace.validation.push_back(validation_.add(draw.values, first).scores().error);
    watching_ += seconds() - now;
  }

  Trace trace;

 private:
  struct Predictions {
    Predictions(std::shared_ptr<const Pixels> images, const NetworkShape& shape) : network(std::move(images), shape) {}

    PredictiveAverage& add(std::span<const double> draw, bool first) {
      if (first) average.emplace(network.fork());
      average->add(draw, Rng(0));
      return *average;
    }

    NetworkPredictor<float> network;
    std::optional<PredictiveAverage> average = std::nullopt;
  };

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  Predictions test_, validation_;
  bool averages_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double watching_ = 0;
};

struct Job {
  const Method* method;
  Candidate candidate;
  std::int64_t passes;
  Trace trace = {};
};

void run(const Mnist& mnist, std::uint64_t seed, Job& job) {
  constexpr double certain = 1e12;  // a Gamma prior of this shape leaves a precision where it is
  const NetworkShape shape{{mnist.train->inputs.cols(), hidden, classes}};
  const bool drawn = samples(job.candidate);
  const GammaPrior prior = drawn ? GammaPrior{} : GammaPrior{certain, certain / job.candidate.precision};
  const SamplerEntry& sampler = find_sampler(job.method->sampler);
  Settings settings = job.candidate.settings;
  settings["batch_size"] = std::to_string(batch);
  settings["batch_order"] = "shuffled";
  ChainSpec spec;  // what is kept is the last step of each pass
  spec.schedule = {steps_in_pass - 1, steps_in_pass * job.passes - (steps_in_pass - 1), steps_in_pass};
  spec.seed = seed;
  const auto chain = sampler.make(std::make_unique<Network<float>>(mnist.train, shape, prior),
                                  Config(sampler.name, sampler.params, settings), spec);
  Watch watch(mnist, shape, drawn);
  try {
    chain->run_to(spec.schedule.total(), watch, {});
  } catch (const Diverged&) {
    watch.trace.diverged_at = chain->iteration() + 1;
  }
  job.trace = std::move(watch.trace);
}

void run_all(const Mnist& mnist, const ExperimentOptions& options, std::vector<Job>& jobs) {
  two_at_a_time(
      jobs, [](const Job& job) { return fmt::format("{}, {} passes", job.method->name, job.passes); },
      [&](Job& job) { run(mnist, options.seed, job); }, options.on_method);
}

double last_or_worst(const Job& job) { return job.trace.diverged_at > 0 ? 1 : job.trace.validation.back(); }

// The candidates of the least validation error after a short run.
std::vector<Candidate> choose(const Mnist& mnist, const ExperimentOptions& options, const std::vector<Method>& all) {
  constexpr std::int64_t trial = 75;
  std::vector<Job> jobs;
  for (const Method& method : all) {
    if (method.candidates.size() == 1) continue;
    for (const Candidate& candidate : method.candidates) jobs.push_back({&method, candidate, trial});
  }
  run_all(mnist, options, jobs);
  std::vector<Candidate> best;
  for (const Method& method : all) {
    const Job* least = nullptr;
    for (const Job& job : jobs) {
      if (job.method == &method && (!least || last_or_worst(job) < last_or_worst(*least))) least = &job;
    }
    best.push_back(least ? least->candidate : method.candidates.front());
  }
  return best;
}

class Report {
 public:
  Report(const Job& job, ExperimentResult& result) : job_(&job), result_(&result) {}

  void add_all() {
    const Trace& trace = job_->trace;
    if (trace.diverged_at > 0) return add("diverged_at", static_cast<double>(trace.diverged_at));
    for (const std::int64_t pass : {50, 100, 200, 400, 800}) {
      if (pass <= std::ssize(trace.test)) add_error(fmt::format("test error, pass {}", pass), at(trace.test, pass));
    }
    const auto last = std::ssize(trace.test);
    if (samples(job_->candidate)) {
      add_error(fmt::format("test error of a single sample, pass {}", last), trace.single.back());
    }
    add_error(fmt::format("validation error, pass {}", last), trace.validation.back());
    add_arrival();
    add("seconds a pass", trace.seconds.back() / static_cast<double>(last));
  }

 private:
  static double at(const std::vector<double>& values, std::int64_t pass) {
    return values[static_cast<std::size_t>(pass - 1)];
  }

  // Where the error was two percent for the first time: not a row where it never was.
  void add_arrival() {
    const auto& errors = job_->trace.test;
    const auto found = std::find_if(errors.begin(), errors.end(), [](double error) { return error <= 0.02; });
    if (found == errors.end()) return;
    const std::int64_t pass = found - errors.begin() + 1;
    add("first pass with a test error of 2 %", static_cast<double>(pass));
    add("seconds until then", at(job_->trace.seconds, pass));
  }

  // With the standard error of a share of the images.
  void add_error(const std::string& quantity, double error) {
    constexpr double images = 10'000;
    result_->rows.push_back({job_->method->name, quantity, error, std::sqrt(error * (1 - error) / images), {}});
  }
  void add(const std::string& quantity, double value) {
    result_->rows.push_back({job_->method->name, quantity, value, {}, {}});
  }

  const Job* job_;
  ExperimentResult* result_;
};

// From the end of the burn-in on, as the paper draws it.
Figure figure_of(const std::vector<Job>& jobs) {
  Panel panel{"", {.label = "pass over the training images"}, {.label = "test error"}, {}};
  for (const Job& job : jobs) {
    const std::span errors(job.trace.test);
    if (std::ssize(errors) < burn_in) continue;
    panel.series.push_back(curve(job.method->name, errors.subspan(burn_in - 1), burn_in, 1));
  }
  return {"figure-4",
          "Chen, Fox and Guestrin (2014), Figure 4: test error on MNIST after the burn-in; the predictions of the "
          "samplers are averaged, an optimiser is where it is. The paper draws curves and prints no numbers.",
          1,
          {panel}};
}

std::string describe(const Candidate& candidate) {
  std::string text;
  for (const auto& [name, value] : candidate.settings) text += fmt::format("{} {}, ", name, value);
  return text + (samples(candidate) ? "precisions drawn" : fmt::format("precision {}", candidate.precision));
}

}  // namespace

ExperimentResult run_sghmc_mnist(const ExperimentOptions& options) {
  const SingleThreadedBlas one_thread;
  const std::int64_t passes = options.quick ? 100 : 800;
  const Mnist mnist = read_mnist(options.data_dir);
  const std::vector<Method> all = methods();
  std::vector<Candidate> chosen;
  if (options.quick) {
    for (const Method& method : all) chosen.push_back(method.candidates.front());
  } else {
    chosen = choose(mnist, options, all);
  }
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < all.size(); ++i) jobs.push_back({&all[i], chosen[i], passes});
  run_all(mnist, options, jobs);

  ExperimentResult result{{{"network", "784-100-10, sigmoid"},
                           {"images", "50000 for training, 10000 for validation, 10000 for the test"},
                           {"batch_size", std::to_string(batch)},
                           {"passes", fmt::format("{}, averaged from {} on", passes, burn_in)}},
                          {}};
  for (const Job& job : jobs) {
    result.settings[job.method->name] = describe(job.candidate);
    Report(job, result).add_all();
  }
  result.figures.push_back(figure_of(jobs));
  return result;
}

}  // namespace quasar
