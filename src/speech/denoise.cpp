// Cleaning: the noisy spectrogram is a mixture of speech, whose dictionary is given, and of noise, whose W is found.
// Any sampler of the registry draws activations and noise from where a few uphill rounds lead, Phi is drawn between its
// steps, and the posterior mean of speech is the noisy transform times the mean of the gain v_speech / v: Wiener's
// filter, averaged over draws.
#include "speech/denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/place.hpp"
#include "samplers/sampler_settings.hpp"
#include "speech/denoising_target.hpp"
#include "speech/sound_plane.hpp"

namespace quasar {

namespace {

using RowsFirst = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Means over draws of the gain g, of g^2 and of the variance that is left of the speech given W, H and Phi.
struct GainAverage final : Sink {
  Index bins, frames;
  RowsFirst gain, squared, left;
  double draws = 0;

  GainAverage(Index rows, Index columns)
      : bins(rows), frames(columns), gain(RowsFirst::Zero(rows, columns)), squared(gain), left(gain) {}

  void on_draw(const Draw& draw) override {
    const Index size = bins * frames;
    const Eigen::Map<const RowsFirst> g(draw.values.data(), bins, frames),
        rest(draw.values.data() + size, bins, frames);
    draws += 1;
    gain += (g - gain) / draws;
    squared += (g.cwiseAbs2() - squared) / draws;
    left += (rest - left) / draws;
  }
};

// Steps fit the curvature of log activations, which is about that of a count of the bins of a frame, and the noise of a
// batch, which enlarges it. Those that divide by the size of mean gradients, a small number, need smaller ones; those
// that divide by the curvature larger ones.
double denoising_step(const SamplerEntry& sampler, double share) {
  if (has_parameter(sampler, "regularization")) return 1e-6 * share;
  if (has_parameter(sampler, "memory") && has_parameter(sampler, "pairs")) return 5e-3 * share;
  return 5e-4 * share;
}

// Samplers that are exact learn their step size themselves.
Settings denoising_sampler_settings(const SamplerEntry& sampler, const Config& config, Index entries) {
  Settings settings = parsed_settings(config.text("sampler_settings"));
  const auto set = [&](const std::string& name, const std::string& value) {
    if (has_parameter(sampler, name)) settings.try_emplace(name, value);
  };
  if (settings.contains("batch_size")) throw UsageError("sampler_settings: the size of a batch goes by batch_share");
  const double share = config.real("batch_share");
  if (share < 1 && !has_parameter(sampler, "batch_size")) {
    throw UsageError(fmt::format("batch_share = {}: {} looks at all entries; leave it at 1", share, sampler.name));
  }
  const auto batch = std::max<Index>(1, std::llround(share * static_cast<double>(entries)));
  if (sampler.stochastic && !settings.contains("learning_rate")) {
    set("step_size", fmt::format("{}", denoising_step(sampler, share)));
  }
  set("estimator", share < 1 ? "minibatch" : "full");
  if (share < 1) set("batch_size", fmt::format("{}", batch));
  return settings;
}

// Rounds cost about as much as two steps each.
class WorkDone {
 public:
  WorkDone(const Config& config, const DenoiseProgress& progress)
      : all_(2 * config.integer("rounds") + config.integer("iterations")), progress_(progress) {}

  void add_round() { add(2); }
  void add(std::int64_t steps) {
    done_ += steps;
    const double share = all_ > 0 ? static_cast<double>(done_) / static_cast<double>(all_) : 1;
    if (progress_ && !progress_(std::min(share, 1.0))) throw RunError("stopped before the end");
  }

 private:
  std::int64_t all_, done_ = 0;
  const DenoiseProgress& progress_;
};

std::unique_ptr<Chain> denoising_chain(const SamplerEntry& sampler, DenoisingStart start, const Config& config,
                                       Index entries) {
  const Config settings(sampler.name, sampler.params, denoising_sampler_settings(sampler, config, entries));
  const std::int64_t iterations = config.integer("iterations"), kept = std::min(config.integer("average"), iterations);
  ChainSpec spec{.schedule = {.warmup = iterations - kept, .draws = kept, .thin = 1},
                 .seed = static_cast<std::uint64_t>(config.integer("seed"))};
  spec.initial = std::move(start.x);
  return sampler.make(std::move(start.target), settings, spec);
}

// UsageError, before the work: a sampler that does not take the model, or settings that it does not take. By the first
// frames.
void check_sampler(const SamplerEntry& sampler, const Mat& squares, const SpeechModel& model, const Config& config) {
  const Mat first = squares.leftCols(std::min<Index>(squares.cols(), 4));
  Settings few = {{"rounds", "3"}};
  for (const char* name : {"sampler", "coordinates"}) few[name] = config.text(name);
  const Config quick("denoise", denoise_params(), few);
  try {
    denoising_chain(sampler, denoising_start(first, model, quick, Rng(1), [] {}), config, first.size());
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).find("augmentation") == std::string_view::npos) throw;
    throw UsageError(
        fmt::format("sampler = {}: does not take sound; use sgld, psgld, hamcmc or gibbs for instance", sampler.name));
  }
}

GainAverage average_gains(const Mat& squares, const SpeechModel& model, const Config& config,
                          const DenoiseProgress& progress) {
  const SamplerEntry& sampler = find_sampler(config.text("sampler"));
  const std::int64_t iterations = config.integer("iterations");
  if (iterations > 0) check_sampler(sampler, squares, model, config);
  const Rng rng(static_cast<std::uint64_t>(config.integer("seed")));
  WorkDone work(config, progress);
  work.add(0);
  DenoisingStart start = denoising_start(squares, model, config, rng.child("uphill"), [&] { work.add_round(); });
  GainAverage gains(squares.rows(), squares.cols());
  if (iterations == 0) {
    Vec values(start.target->layout().size());
    start.target->constrain(start.x, values, rng);
    gains.on_draw({0, 0, 0, false, {values.data(), at(values.size())}, {}});
    return gains;
  }
  const std::unique_ptr<Chain> chain = denoising_chain(sampler, std::move(start), config, squares.size());
  constexpr std::int64_t slice = 10;
  while (!chain->finished()) {
    const std::int64_t before = chain->iteration();
    chain->run_to(before + slice, gains, {});
    work.add(chain->iteration() - before);
  }
  return gains;
}

// Frames of nothing but zeros, as in pauses that were cut out, are not what a microphone ever hears: they have no part
// in what is learned, nor in what is cleaned.
Mat at_sounding(const Mat& found, const std::vector<Index>& sounding, Index frames) {
  Mat all = Mat::Zero(found.rows(), frames);
  all(Eigen::all, sounding) = found;
  return all;
}

// What makes the result doubtful.
std::vector<std::string> notes_on_level(double rms, double learned) {
  constexpr double step = 1.0 / 32768, far = 40;
  std::vector<std::string> notes;
  if (rms < step) {
    notes.push_back(
        fmt::format("fainter than one step of 16 bits: its level is {:.2g}, that of a step {:.2g}", rms, step));
  }
  const double louder = 20 * std::log10(rms / learned);
  if (std::abs(louder) > far) {
    notes.push_back(fmt::format("its level is {:.0f} dB {} that of the speech that was learned from", std::abs(louder),
                                louder > 0 ? "above" : "below"));
  }
  return notes;
}

Denoised silence(Index samples, const SpeechPlane& plane) {
  const Index frames = Stft(stft_settings(plane)).frames(samples);
  const Mat nothing = Mat::Zero(plane.bins(), frames);
  return {.samples = Vec::Zero(samples),
          .noisy = nothing,
          .clean = nothing,
          .spread = nothing,
          .notes = {"silence from beginning to end: there is nothing to clean"}};
}

constexpr Choice denoise_coordinates[] = {{"log"}, {"natural"}};

}  // namespace

std::span<const ParamSpec> denoise_params() {
  static constexpr std::array params{
      ParamSpec{.name = "sampler",
                .doc = "what draws activations and noise: a sampler of quasar list samplers",
                .type = ParamSpec::text,
                .init = "sgld"},
      ParamSpec{.name = "sampler_settings",
                .doc = "of the sampler: name=value with blanks between",
                .type = ParamSpec::text,
                .init = ""},
      ParamSpec{.name = "coordinates",
                .doc = "the sampler moves logarithms, or activations themselves, mirrored at 0",
                .type = ParamSpec::choice,
                .init = "log",
                .choices = denoise_coordinates},
      ParamSpec{.name = "iterations",
                .doc = "steps of the sampler; 0: where the uphill moves lead is the answer",
                .type = ParamSpec::integer,
                .init = "400",
                .min = 0,
                .max = 1e9},
      ParamSpec{.name = "average",
                .doc = "of these, the last ones that are averaged",
                .type = ParamSpec::integer,
                .init = "200",
                .min = 1,
                .max = 1e9},
      ParamSpec{.name = "batch_share",
                .doc = "of the entries of the spectrogram that a step looks at; 1: all, by products of matrices",
                .type = ParamSpec::real,
                .init = "1",
                .min = 0,
                .max = 1,
                .exclusive_min = true},
      ParamSpec{.name = "rounds",
                .doc = "uphill moves before the first step",
                .type = ParamSpec::integer,
                .init = "60",
                .min = 0,
                .max = 1e6},
      ParamSpec{.name = "noise_components",
                .doc = "spectra that noise is put together from",
                .type = ParamSpec::integer,
                .init = "5",
                .min = 1,
                .max = 10000},
      ParamSpec{.name = "noise_alpha",
                .doc = "tail of the law of noise; 2 is Gaussian, smaller has impulses",
                .type = ParamSpec::real,
                .init = "1.89",
                .min = 0.5,
                .max = 2},
      ParamSpec{.name = "noise_steadiness",
                .doc = "shape of the prior of noise activations: large where noise goes on evenly",
                .type = ParamSpec::real,
                .init = "10",
                .min = 0.1,
                .max = 1000},
      ParamSpec{.name = "seed",
                .doc = "of all random numbers",
                .type = ParamSpec::integer,
                .init = "1",
                .min = 0,
                .max = 9007199254740992},
  };
  return params;
}

Denoised denoise(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config,
                 const DenoiseProgress& progress) {
  check_samples(samples, "the sound");
  check_rate(sample_rate, model.plane);
  const auto start = std::chrono::steady_clock::now();
  if (samples.isZero(0)) return silence(samples.size(), model.plane);
  Stft stft(stft_settings(model.plane));
  const double unit = unit_of(samples);
  const Eigen::MatrixXcd noisy = stft.transform(samples / unit);
  const std::vector<Index> sounding = sounding_frames(noisy);
  const auto reached = static_cast<double>(sounding_samples(samples, model.plane));
  const double rms = std::sqrt((samples / unit).squaredNorm() / reached);
  const GainAverage gains = average_gains(squares_of(noisy(Eigen::all, sounding), rms), model, config, progress);
  const Mat gain = at_sounding(gains.gain, sounding, noisy.cols());
  Denoised found;
  const Eigen::MatrixXcd clean = noisy.cwiseProduct(gain);
  found.samples = unit * stft.inverse(clean, samples.size());
  found.noisy = noisy.cwiseAbs2();
  found.clean = clean.cwiseAbs2();
  // Var = E Var + Var E; each of real and imaginary part has the variance that is left.
  const Mat between = at_sounding((gains.squared - gains.gain.cwiseAbs2()).cwiseMax(0), sounding, noisy.cols());
  const Mat left = at_sounding(gains.left, sounding, noisy.cols());
  found.spread = 2 * rms * rms * left + found.noisy.cwiseProduct(between);
  found.expected_sdr = 10 * std::log10(found.clean.sum() / found.spread.sum());
  for (Mat* one : {&found.noisy, &found.clean, &found.spread}) *one *= unit * unit;
  found.notes = notes_on_level(unit * rms, model.level);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

}  // namespace quasar
