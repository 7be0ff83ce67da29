// Figure 3 of Simsekli, Badeau, Cemgil and Richard (2016): speech out of noise by alpha-stable matrix factorization, W
// and H by SGLD, PSGLD and HAMCMC, beside Gibbs sampling and plain filters. The paper has 100 + 5 components, alpha 1.2
// and 1.89, batches of a tenth of the entries, 2500 samples of which the last 200 are averaged, HAMCMC with five
// members, and 80 noisy sentences at 5 dB; its figure has no printed numbers.
//
// A dictionary is learned from clean sentences, every method begins where the same uphill moves lead, and step sizes
// are those of the best SDR on two sentences that are neither learned from nor tested. HAMCMC's members take turns: 500
// rounds of five are 2500 samples. Seconds are of the processor.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <quasar/errors.hpp>

#include "audio/separation_scores.hpp"
#include "audio/spectral_gain.hpp"
#include "core/blas_threads.hpp"
#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/finished_parts.hpp"
#include "experiments/noisy_speech.hpp"
#include "experiments/thread_stopwatch.hpp"
#include "experiments/two_at_a_time.hpp"
#include "speech/sound_plane.hpp"

namespace quasar {
namespace {

struct SpeechModels {
  SpeechModel stable, normal;  // alpha = 1.2, and 2: Itakura and Saito's factorization
};

using Cleaned = std::pair<Vec, double>;  // the sound, and the SDR that the posterior promises, NaN without one
using Clean = std::function<Cleaned(const Vec& noisy, const SpeechModels& models)>;

struct SpeechMethod {
  std::string name;
  std::vector<std::pair<std::string, Clean>> candidates;  // of which the best is chosen
};

struct SpeechScores {  // a number for each sentence and noise, sentence after sentence
  std::vector<double> sdr, promised, seconds;
  std::string chosen;
  bool lost = false;  // diverged
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(SpeechScores, sdr, promised, seconds, chosen, lost)
};

constexpr std::size_t noises = std::size(noise_names);
constexpr double none = std::numeric_limits<double>::quiet_NaN();

Clean by_gain(const std::function<Mat(const Mat& squares, Index quiet)>& gain) {
  return [gain](const Vec& noisy, const SpeechModels& models) {
    constexpr double quiet_seconds = 0.12;  // before anybody speaks
    const SpeechPlane& plane = models.stable.plane;
    Stft stft(stft_settings(plane));
    const Eigen::MatrixXcd transform = stft.transform(noisy);
    const auto hop = static_cast<double>(plane.hop);
    // Frames that begin before the sound does are mostly empty: they get the gain of the first one that does not.
    const Index first = plane.frame / plane.hop - 1,
                quiet = std::max<Index>(1, static_cast<Index>(quiet_seconds * sentences_rate / hop));
    const Mat of_whole = gain(transform.cwiseAbs2().rightCols(transform.cols() - first), quiet);
    Mat gains(transform.rows(), transform.cols());
    gains << of_whole.col(0).replicate(1, first), of_whole;
    const Eigen::MatrixXcd clean = transform.cwiseProduct(gains);
    return Cleaned{stft.inverse(clean, noisy.size()), none};
  };
}

Clean by_sampling(const Settings& settings, bool normal = false) {
  return [settings, normal](const Vec& noisy, const SpeechModels& models) {
    const Denoised found = denoise(noisy, sentences_rate, normal ? models.normal : models.stable,
                                   Config("denoise", denoise_params(), settings), {});
    return Cleaned{found.samples, found.expected_sdr};
  };
}

struct Sampling {
  std::string sampler, settings;  // without the step size
  std::vector<std::string> steps;
  int members = 1;
  const char* coordinates = "log";
  bool normal = false;  // alpha = 2
};

SpeechMethod sampled(const std::string& name, const Sampling& how, bool quick) {
  const int samples = quick ? 250 : 2500, averaged = quick ? 50 : 200;
  SpeechMethod method{name, {}};
  for (const std::string& step : how.steps) {
    const Settings settings{{"sampler", how.sampler},
                            {"coordinates", how.coordinates},
                            {"noise_alpha", how.normal ? "2" : "1.89"},
                            {"sampler_settings", fmt::format("{} step_size={}", how.settings, step)},
                            {"batch_share", "0.1"},
                            {"iterations", fmt::format("{}", samples / how.members)},
                            {"average", fmt::format("{}", averaged / how.members)}};
    method.candidates.emplace_back(fmt::format("step_size={}", step), by_sampling(settings, how.normal));
  }
  return method;
}

std::vector<SpeechMethod> speech_methods(bool quick) {
  const auto plain = [](const std::string& name, const Clean& clean) { return SpeechMethod{name, {{"", clean}}}; };
  const auto floor = [](const Mat& squares, Index quiet) { return spectral_subtraction(squares, quiet); };
  const auto directed = [](const Mat& squares, Index quiet) { return decision_directed_gain(squares, quiet); };
  const Settings gibbs{{"sampler", "gibbs"}, {"iterations", quick ? "20" : "60"}, {"average", quick ? "10" : "30"}};
  const Settings start{{"iterations", "0"}};
  const Settings normal{{"iterations", "0"}, {"rounds", "100"}, {"noise_alpha", "2"}};
  return {
      plain("noisy",
            [](const Vec& noisy, const SpeechModels&) {
              return Cleaned{noisy, none};
            }),
      plain("spectral subtraction", by_gain(floor)),
      plain("Wiener, noise of the first frames", by_gain(wiener_gain)),
      plain("Wiener, decision-directed", by_gain(directed)),
      plain("IS-NMF", by_sampling(normal, true)),
      plain("uphill start", by_sampling(start)),
      sampled("SGLD", {"sgld", "", {"1e-5", "1e-4", "5e-4"}}, quick),
      sampled("PSGLD", {"psgld", "", {"1e-6", "1e-5", "1e-4"}}, quick),
      sampled("HAMCMC, printed pairs", {"hamcmc", "memory=5 pairs=printed freeze=false", {"1e-2", "1e-1", "5e-1"}, 5},
              quick),
      sampled("HAMCMC, random pairs", {"hamcmc", "memory=5 pairs=random", {"1e-2", "1e-1", "5e-1"}, 5}, quick),
      sampled("SGLD, mirrored", {"sgld", "", {"1e-12", "1e-10", "1e-8"}, 1, "natural"}, quick),
      sampled("SGLD, alpha 2", {"sgld", "", {"1e-5", "1e-4", "5e-4"}, 1, "log", true}, quick),
      plain("quasar denoise", by_sampling({})),
      plain("Gibbs", by_sampling(gibbs)),
  };
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

SpeechScores score(const Clean& clean, const std::vector<NoisySentence>& sentences, const SpeechModels& models) {
  SpeechScores found;
  for (const NoisySentence& sentence : sentences) {
    SeparationScorer scorer(sentence.clean);
    for (const Vec& noisy : sentence.noisy) {
      const ThreadStopwatch watch;
      try {
        const auto [samples, promised] = clean(noisy, models);
        found.seconds.push_back(watch.seconds());
        found.sdr.push_back(scorer.score(samples, 0).sdr);
        if (!std::isnan(promised)) found.promised.push_back(promised);
      } catch (const Diverged&) {
        found.lost = true;
        return found;
      }
    }
  }
  return found;
}

SpeechScores run_method(const SpeechMethod& method, const NoisySpeech& speech, const SpeechModels& models) {
  const std::pair<std::string, Clean>* best = &method.candidates.front();
  double best_sdr = -std::numeric_limits<double>::infinity();
  for (const auto& candidate : method.candidates) {
    if (method.candidates.size() == 1) break;
    const SpeechScores tried = score(candidate.second, speech.tuned, models);
    if (tried.lost || !(mean_of(tried.sdr) > best_sdr)) continue;
    best = &candidate, best_sdr = mean_of(tried.sdr);
  }
  SpeechScores found = score(best->second, speech.test, models);
  found.chosen = best->first;
  return found;
}

// Of sentences, each the mean over its noises: noises of one sentence are not independent.
struct MeanAndError {
  double mean, error;
};

MeanAndError over_sentences(const std::vector<double>& values, std::size_t first, std::size_t count) {
  std::vector<double> means;
  for (std::size_t begin = 0; begin < values.size(); begin += noises) {
    double sum = 0;
    for (std::size_t n = first; n < first + count; ++n) sum += values[begin + n];
    means.push_back(sum / static_cast<double>(count));
  }
  const double mean = mean_of(means);
  double squares = 0;
  for (const double one : means) squares += (one - mean) * (one - mean);
  const auto n = static_cast<double>(means.size());
  return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

// Sentence by sentence, which differ by more than the methods do.
std::vector<double> differences(const std::vector<double>& ours, const std::vector<double>& others) {
  std::vector<double> found(ours.size());
  std::ranges::transform(ours, others, found.begin(), std::minus());
  return found;
}

void add_rows(const std::string& method, const SpeechScores& scores, ExperimentResult& result) {
  const auto add = [&](const std::string& quantity, const MeanAndError& found) {
    result.rows.push_back({method, quantity, found.mean, found.error, std::nullopt});
  };
  if (scores.lost) {
    result.rows.push_back({method, "diverged", 1, std::nullopt, std::nullopt});
    return;
  }
  add("SDR", over_sentences(scores.sdr, 0, noises));
  for (std::size_t n = 0; n < noises; ++n)
    add(fmt::format("SDR, {}", noise_names[n]), over_sentences(scores.sdr, n, 1));
  if (!scores.promised.empty()) add("promised SDR", over_sentences(scores.promised, 0, noises));
  add("seconds a sentence", over_sentences(scores.seconds, 0, noises));
  if (!scores.chosen.empty()) result.settings[method] = scores.chosen;
}

struct SpeechJob {
  SpeechMethod method;
  SpeechScores scores;
};

// How much better one method is than another, for each of the same sentences.
void add_difference(const SpeechJob& job, const SpeechJob& beside, ExperimentResult& result, bool each_noise = false) {
  if (job.method.name == beside.method.name || job.scores.lost || beside.scores.lost) return;
  const std::vector<double> more = differences(job.scores.sdr, beside.scores.sdr);
  const auto add = [&](const std::string& of, const MeanAndError& found) {
    result.rows.push_back({job.method.name, fmt::format("SDR{}, more than {}", of, beside.method.name), found.mean,
                           found.error, std::nullopt});
  };
  add("", over_sentences(more, 0, noises));
  for (std::size_t n = 0; each_noise && n < noises; ++n) {
    add(fmt::format(", {}", noise_names[n]), over_sentences(more, n, 1));
  }
}

// Than the noisy sound and than SGLD; than the best filter, noise by noise; and those of methods that lie close
// together.
void add_differences(const std::vector<SpeechJob>& jobs, ExperimentResult& result) {
  const auto named = [&](std::string_view name) -> const SpeechJob& {
    return *std::ranges::find(jobs, name, [](const SpeechJob& job) { return std::string_view(job.method.name); });
  };
  for (const char* other : {"noisy", "SGLD"}) {
    for (const SpeechJob& job : jobs) add_difference(job, named(other), result);
  }
  for (const SpeechJob& job : jobs) add_difference(job, named("Wiener, decision-directed"), result, true);
  add_difference(named("PSGLD"), named("HAMCMC, printed pairs"), result);
  add_difference(named("PSGLD"), named("HAMCMC, random pairs"), result);
  add_difference(named("HAMCMC, random pairs"), named("HAMCMC, printed pairs"), result);
}

SpeechModels learn_models(const NoisySpeech& speech, const ExperimentOptions& options) {
  Settings settings{{"seed", std::to_string(options.seed)}};
  if (options.quick) settings.insert({{"components", "20"}, {"rounds", "40"}});
  const auto learn = [&](const char* alpha) {
    settings["alpha"] = alpha;
    return learn_speech(speech.training, sentences_rate, Config("denoise train", speech_training_params(), settings),
                        {});
  };
  options.on_method("the dictionary");
  SpeechModels found{learn("1.2"), {}};
  options.on_method("the dictionary of IS-NMF");
  found.normal = learn("2");
  return found;
}

}  // namespace

ExperimentResult run_hamcmc_alpha_stable(const ExperimentOptions& options) {
  const FinishedParts finished(options.work_dir);
  const NoisySpeech speech = read_noisy_speech(options);
  const SpeechModels models = learn_models(speech, options);
  std::vector<SpeechJob> jobs;
  for (SpeechMethod& method : speech_methods(options.quick)) jobs.push_back({std::move(method), {}});
  const std::string settings = fmt::format("seed {}{}", options.seed, options.quick ? ", quick" : "");
  const auto run = [&](SpeechJob& job) {
    const SingleThreadedBlas single;
    std::string tried = settings;
    for (const auto& candidate : job.method.candidates) tried += fmt::format("; {}", candidate.first);
    job.scores = finished.of(job.method.name, tried, [&] { return run_method(job.method, speech, models); });
  };
  two_at_a_time(
      jobs, [](const SpeechJob& job) { return std::string_view(job.method.name); }, run, options.on_method);

  ExperimentResult result;
  result.settings["sentences"] = fmt::format("{} to learn from, {} to choose steps on, {} in {} noises",
                                             speech.training.size(), speech.tuned.size(), speech.test.size(), noises);
  for (const SpeechJob& job : jobs) add_rows(job.method.name, job.scores, result);
  add_differences(jobs, result);
  result.figures.push_back(
      {"figure-3",
       "Simsekli et al. (2016), Figure 3: signal-to-distortion ratio of speech taken out of noise at 5 dB, over test "
       "sentences. The paper draws SGLD, PSGLD, HAMCMC and Gibbs sampling and prints no numbers; filters, the uphill "
       "start and random pairs are ours.",
       1,
       {beside_print(result.rows, "SDR", false)}});
  return result;
}

}  // namespace quasar
