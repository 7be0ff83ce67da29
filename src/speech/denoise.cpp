// Cleaning: the noisy spectrogram is a mixture of speech, whose dictionary is given, and of noise, whose W is found.
// Any sampler of the registry draws activations and noise from where a few uphill rounds lead, Phi is drawn between its
// steps, and the posterior mean of speech is the noisy transform times the mean of the gain v_speech / v: Wiener's
// filter, averaged over draws.
#include "speech/denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/place.hpp"
#include "samplers/sampler_settings.hpp"
#include "speech/denoising_target.hpp"
#include "speech/gain_average.hpp"
#include "speech/sound_plane.hpp"
#include "speech/stopwatch.hpp"

namespace quasar {

namespace {

struct PlaneSize {
  Index bins, frames;
  Index entries() const { return bins * frames; }
};

// Steps fit the curvature, and the noise of a batch, which enlarges it. That of a log activation is about the number of
// bins, for each looks at it once, and that of a log spectrum of noise about the number of frames. Those with momentum
// have steps in time; those that divide by the size of mean gradients, about sqrt(curvature) / entries, or by the
// curvature have them in such units.
double denoising_step(const SamplerEntry& sampler, double share, const PlaneSize& size) {
  const auto curvature = static_cast<double>(std::max(size.bins, size.frames));
  const auto has = [&](const char* name) { return has_parameter(sampler, name); };
  if (has("regularization")) return 3 * share / (std::sqrt(curvature) * static_cast<double>(size.entries()));
  if (has("friction") || has("leapfrog_steps")) return 0.3 * std::sqrt(share / curvature);
  if (has("memory") && has("pairs")) return 0.05 * share;
  return 1.3 * share / curvature;
}

// Samplers that are exact learn their step size themselves.
Settings denoising_sampler_settings(const SamplerEntry& sampler, const Config& config, const PlaneSize& size) {
  Settings settings = parsed_settings(config.text("sampler_settings"));
  const auto set = [&](const std::string& name, const std::string& value) {
    if (has_parameter(sampler, name)) settings.try_emplace(name, value);
  };
  if (settings.contains("batch_size")) throw UsageError("sampler_settings: the size of a batch goes by batch_share");
  const double share = config.real("batch_share");
  if (share < 1 && !has_parameter(sampler, "batch_size")) {
    throw UsageError(fmt::format("batch_share = {}: {} looks at all entries; leave it at 1", share, sampler.name));
  }
  const auto batch = std::max<Index>(1, std::llround(share * static_cast<double>(size.entries())));
  if (sampler.stochastic && !settings.contains("learning_rate")) {
    set("step_size", fmt::format("{}", denoising_step(sampler, share, size)));
  }
  set("estimator", share < 1 ? "minibatch" : "full");
  if (share < 1) set("batch_size", fmt::format("{}", batch));
  return settings;
}

std::unique_ptr<Chain> denoising_chain(const SamplerEntry& sampler, DenoisingStart start, const Config& config,
                                       const PlaneSize& size) {
  const Config settings(sampler.name, sampler.params, denoising_sampler_settings(sampler, config, size));
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
    denoising_chain(sampler, denoising_start(first, model, quick, Rng(1)), config, {first.rows(), first.cols()});
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).find("augmentation") == std::string_view::npos) throw;
    throw UsageError(
        fmt::format("sampler = {}: does not take sound; use sgld, psgld, hamcmc or gibbs for instance", sampler.name));
  }
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

struct Denoising::Parts {
  Parts(const Vec& samples, int sample_rate, const SpeechModel& learned, const Config& settings)
      : model(learned), config(settings), length(samples.size()), rng(as_seed(settings.integer("seed"))) {
    check_samples(samples, "the sound");
    check_rate(sample_rate, model.plane);
    check_memory_of(samples.size());
    if (samples.isZero(0)) return;
    unit = unit_of(samples);
    noisy = Stft(stft_settings(model.plane)).transform(samples / unit);
    sounding = sounding_frames(noisy);
    rms = std::sqrt((samples / unit).squaredNorm() / static_cast<double>(sounding_samples(samples, model.plane)));
    squares = squares_of(noisy(Eigen::all, sounding), rms);
    if (iterations() > 0) check_sampler(sampler(), squares, model, config);
    moves.emplace(squares, model, config, rng.child("uphill"));
    sample_when_uphill();
  }

  // As measured; samplers that remember more than one point need more.
  void check_memory_of(Index sound) const {
    constexpr double of_entry = 28, of_activation = 8, of_component = 3;  // numbers
    const auto frames = static_cast<double>(Stft(stft_settings(model.plane)).frames(sound));
    const double entries = frames * static_cast<double>(model.plane.bins());
    const auto speech = static_cast<double>(model.dictionary.cols());
    double numbers = of_entry * entries + of_activation * frames * speech;
    if (config.text("sampler") == "gibbs") {
      numbers += of_component * entries * (speech + static_cast<double>(config.integer("noise_components")));
    }
    check_memory(numbers * sizeof(double),
                 fmt::format("{:.3g} s of sound", static_cast<double>(sound) / model.plane.sample_rate));
  }

  static std::uint64_t as_seed(std::int64_t seed) { return static_cast<std::uint64_t>(seed); }
  const SamplerEntry& sampler() const { return find_sampler(config.text("sampler")); }
  std::int64_t iterations() const { return config.integer("iterations"); }
  bool silent() const { return sounding.empty(); }

  // Where the moves have led there is one draw, or a chain begins.
  void sample_when_uphill() {
    if (!moves->done()) return;
    DenoisingStart start = moves->start();
    gains = GainAverage(squares.rows(), squares.cols());
    if (iterations() > 0) {
      chain = denoising_chain(sampler(), std::move(start), config, {squares.rows(), squares.cols()});
      return;
    }
    Vec values(start.target->layout().size());
    start.target->constrain(start.x, values, rng);
    gains.on_draw({0, 0, 0, false, {values.data(), at(values.size())}, {}});
  }

  const SpeechModel& model;
  const Config& config;
  Index length;  // of the sound, in samples
  Rng rng;
  double unit = 1, rms = 0;
  Eigen::MatrixXcd noisy;
  std::vector<Index> sounding;  // frames; none: silence
  Mat squares;
  std::optional<UphillMoves> moves;
  std::unique_ptr<Chain> chain;  // none before the moves have ended, or where one draw is wanted
  GainAverage gains;
  Stopwatch watch;
};

Denoising::Denoising(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config)
    : parts_(std::make_unique<Parts>(samples, sample_rate, model, config)) {}
Denoising::~Denoising() = default;

bool Denoising::done() const {
  if (parts_->silent()) return true;
  return parts_->moves->done() && (!parts_->chain || parts_->chain->finished());
}

// A round costs about as much as two steps of a sampler.
double Denoising::share() const {
  if (done()) return 1;
  const std::int64_t rounds = parts_->moves->rounds(), drawn = steps() - rounds;
  const std::int64_t all = 2 * parts_->config.integer("rounds") + parts_->iterations();
  return static_cast<double>(2 * rounds + drawn) / static_cast<double>(all);
}

std::int64_t Denoising::steps() const {
  if (parts_->silent()) return 0;
  return parts_->moves->rounds() + (parts_->chain ? parts_->chain->iteration() : 0);
}

void Denoising::step() {
  if (parts_->chain) {
    parts_->chain->run_to(parts_->chain->iteration() + 1, parts_->gains, {});
  } else {
    parts_->moves->move();
    parts_->sample_when_uphill();
  }
}

void Denoising::save(Writer& out) const {
  out("seconds", parts_->watch.seconds());
  if (parts_->silent()) return;
  parts_->moves->save(out);
  if (!parts_->chain) return;
  out("gains", parts_->gains);
  parts_->chain->save(out);
}

void Denoising::load(Reader& in) {
  double seconds = 0;
  in("seconds", seconds);
  parts_->watch = Stopwatch(seconds);
  if (parts_->silent()) return;
  parts_->moves->load(in);
  parts_->sample_when_uphill();
  if (!parts_->chain) return;
  in("gains", parts_->gains);
  parts_->chain->load(in);
}

Denoised Denoising::result() const {
  const Parts& p = *parts_;
  if (p.silent()) return silence(p.length, p.model.plane);
  const Mat gain = at_sounding(p.gains.gain, p.sounding, p.noisy.cols());
  Denoised found;
  const Eigen::MatrixXcd clean = p.noisy.cwiseProduct(gain);
  found.samples = p.unit * Stft(stft_settings(p.model.plane)).inverse(clean, p.length);
  found.noisy = p.noisy.cwiseAbs2();
  found.clean = clean.cwiseAbs2();
  // Var = E Var + Var E; each of real and imaginary part has the variance that is left.
  const Mat between = at_sounding((p.gains.squared - p.gains.gain.cwiseAbs2()).cwiseMax(0), p.sounding, p.noisy.cols());
  const Mat left = at_sounding(p.gains.left, p.sounding, p.noisy.cols());
  found.spread = 2 * p.rms * p.rms * left + found.noisy.cwiseProduct(between);
  if (!found.samples.allFinite() || !found.spread.allFinite()) {
    throw RunError("the result is not finite: smaller steps of the sampler, or another one, may help");
  }
  found.expected_sdr = 10 * std::log10(found.clean.sum() / found.spread.sum());
  for (Mat* one : {&found.noisy, &found.clean, &found.spread}) *one *= p.unit * p.unit;
  found.notes = notes_on_level(p.unit * p.rms, p.model.level);
  found.seconds = p.watch.seconds();
  return found;
}

Denoised denoise(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config,
                 const DenoiseProgress& progress) {
  Denoising work(samples, sample_rate, model, config);
  work_through(work, progress);
  return work.result();
}

}  // namespace quasar
