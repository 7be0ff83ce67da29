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
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/place.hpp"
#include "models/alpha/alpha_components.hpp"
#include "models/alpha/start_scale.hpp"
#include "models/alpha/uphill_round.hpp"
#include "samplers/sampler_settings.hpp"
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

// The law with which Gibbs sampling can draw W and H, where x^(-2/alpha) has the mean typical^(-2/alpha).
GeneralizedGamma conjugate_law(double alpha, double shape, double typical) {
  return {shape, typical * std::pow(shape, alpha / 2), -2 / alpha};
}

AlphaSource speech_source(const SpeechModel& model) {
  return {.name = "speech",
          .alpha = model.alpha,
          .rank = model.dictionary.cols(),
          .h = {model.activations.shape, model.activations.scale, -2 / model.alpha},
          .dictionary = model.dictionary};
}

// Columns of W are about 1; activations are about `level`, and the steadier the larger their shape.
AlphaSource noise_source(const Config& config, double level) {
  const double alpha = config.real("noise_alpha");
  return {.name = "noise",
          .alpha = alpha,
          .rank = config.integer("noise_components"),
          .w = conjugate_law(alpha, 2, 1),
          .h = conjugate_law(alpha, config.real("noise_steadiness"), level)};
}

std::vector<AlphaSource> sources_of(const SpeechModel& model, const Config& config, double noise_level) {
  return {speech_source(model), noise_source(config, noise_level)};
}

// Where uphill moves lead from a start by the priors, in natural coordinates, and the mean activation of noise there, W
// having mean 1.
struct UphillStart {
  Vec factors, log_phi;
  double noise_level;
};

UphillStart uphill_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng) {
  const Index rank = config.integer("noise_components"), columns = squares.cols();
  const double level =
      typical_dispersion(config.real("noise_alpha"), median_square(squares)) / static_cast<double>(rank);
  AlphaMixture mixture({squares}, sources_of(model, config, level), {.log_coordinates = false});
  Vec x(mixture.dim());
  draw_uphill_start(mixture, x, rng.child("start"));
  for (std::int64_t round = 0; round < config.integer("rounds"); ++round) {
    uphill_round(mixture, x, rng.at(static_cast<std::uint64_t>(round)));
  }
  const Index begin = model.dictionary.cols() * columns;  // of W of noise, which H of noise follows
  Eigen::Map<Mat> w(x.data() + begin, rank, squares.rows()), h(w.data() + w.size(), rank, columns);
  const Vec sizes = w.rowwise().mean();
  w.array().colwise() /= sizes.array();
  h.array().colwise() *= sizes.array();
  return {x.head(mixture.moving()), x.tail(mixture.dim() - mixture.moving()), h.mean()};
}

// Where t = (x / scale)^power is large, near 0, the slope of the prior is, and a step would be thrown far beyond the
// other end.
void into_reach(const GeneralizedGamma& law, Eigen::Ref<Vec> x) {
  constexpr double largest = 100;
  x = x.cwiseMax(law.scale * std::pow(largest, 1 / law.power));
}

struct Start {
  std::unique_ptr<Target> target;
  Vec x;
};

// Gibbs sweeps have a variable for every component in place of Phi.
Start make_target(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng) {
  UphillStart start = uphill_start(squares, model, config, rng);
  const bool logarithms = config.text("coordinates") == "log";
  const AlphaMixtureSettings settings{.log_coordinates = logarithms, .record_level = false, .record_share = true};
  std::vector<AlphaSource> sources = sources_of(model, config, start.noise_level);
  const Index columns = squares.cols(), speech = sources[0].rank * columns, noise_w = sources[1].rank * squares.rows();
  into_reach(sources[0].h, start.factors.head(speech));
  into_reach(sources[1].w, start.factors.segment(speech, noise_w));
  into_reach(sources[1].h, start.factors.tail(sources[1].rank * columns));
  std::unique_ptr<Target> target;
  Vec x;
  if (config.text("sampler") == "gibbs") {
    target = std::make_unique<AlphaComponents>(Intensities{squares}, std::move(sources), settings);
    x.resize(target->dim());
    target->draw_start(x, rng.child("components"));
    x.head(start.factors.size()) = start.factors;
  } else {
    target = std::make_unique<AlphaMixture>(Intensities{squares}, std::move(sources), settings);
    x.resize(target->dim());
    x << (logarithms ? Vec(start.factors.array().log()) : start.factors), start.log_phi;
  }
  return {std::move(target), std::move(x)};
}

// Steps fit the curvature of log activations, which is about that of a count of the bins of a frame, and the noise of a
// batch, which enlarges it.
Settings denoising_sampler_settings(const SamplerEntry& sampler, const Config& config, Index entries) {
  Settings settings = parsed_settings(config.text("sampler_settings"));
  const auto set = [&](const std::string& name, const std::string& value) {
    if (has_parameter(sampler, name)) settings.try_emplace(name, value);
  };
  if (settings.contains("batch_size")) throw UsageError("sampler_settings: the size of a batch goes by batch_share");
  const double share = config.real("batch_share");
  const auto batch = std::max<Index>(1, std::llround(share * static_cast<double>(entries)));
  if (!settings.contains("learning_rate")) set("step_size", fmt::format("{}", 5e-4 * share));
  set("estimator", share < 1 ? "minibatch" : "full");
  if (share < 1) set("batch_size", fmt::format("{}", batch));
  return settings;
}

GainAverage average_gains(const Mat& squares, const SpeechModel& model, const Config& config,
                          const DenoiseProgress& progress) {
  const SamplerEntry& sampler = find_sampler(config.text("sampler"));
  const Config settings(sampler.name, sampler.params, denoising_sampler_settings(sampler, config, squares.size()));
  const auto seed = static_cast<std::uint64_t>(config.integer("seed"));
  Start start = make_target(squares, model, config, Rng(seed).child("uphill"));
  const std::int64_t iterations = config.integer("iterations"), kept = std::min(config.integer("average"), iterations);
  ChainSpec spec{.schedule = {.warmup = iterations - kept, .draws = kept, .thin = 1}, .seed = seed};
  spec.initial = std::move(start.x);
  GainAverage gains(squares.rows(), squares.cols());
  if (iterations == 0) {
    Vec values(start.target->layout().size());
    start.target->constrain(spec.initial, values, Rng(seed));
    gains.on_draw({0, 0, 0, false, {values.data(), at(values.size())}, {}});
    return gains;
  }
  const std::unique_ptr<Chain> chain = sampler.make(std::move(start.target), settings, spec);
  constexpr std::int64_t slice = 10;
  while (!chain->finished()) {
    if (progress && !progress(static_cast<double>(chain->iteration()) / static_cast<double>(iterations))) {
      throw RunError("stopped before the end");
    }
    chain->run_to(chain->iteration() + slice, gains, {});
  }
  return gains;
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

void check_samples(In samples) {
  if (samples.size() == 0) throw DataError("no samples");
  if (!samples.allFinite()) throw DataError("some samples are not finite numbers");
}

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
                .min = 0.1,
                .max = 2},
      ParamSpec{.name = "noise_steadiness",
                .doc = "shape of the prior of noise activations: large where noise goes on evenly",
                .type = ParamSpec::real,
                .init = "10",
                .min = 0,
                .max = 1e6,
                .exclusive_min = true},
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
  check_samples(samples);
  check_rate(sample_rate, model.plane);
  const auto start = std::chrono::steady_clock::now();
  const double rms = root_mean_square(samples);
  if (rms == 0) return silence(samples.size(), model.plane);
  Stft stft(stft_settings(model.plane));
  const Eigen::MatrixXcd noisy = stft.transform(samples);
  const GainAverage gains = average_gains(squares_of(noisy, rms), model, config, progress);
  Denoised found;
  const Eigen::MatrixXcd clean = noisy.cwiseProduct(gains.gain);
  found.samples = stft.inverse(clean, samples.size());
  found.noisy = noisy.cwiseAbs2();
  found.clean = clean.cwiseAbs2();
  // Var = E Var + Var E; each of real and imaginary part has the variance that is left.
  const RowsFirst between = (gains.squared - gains.gain.cwiseAbs2()).cwiseMax(0);
  found.spread = 2 * rms * rms * gains.left + found.noisy.cwiseProduct(between);
  found.expected_sdr = 10 * std::log10(found.clean.sum() / found.spread.sum());
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

}  // namespace quasar
