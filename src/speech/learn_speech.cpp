// Learning a dictionary of speech: alpha-stable matrix factorization of clean recordings, W and H by the uphill moves
// of alpha_mixture_climb.cpp between draws of Phi. What is kept is the mean of W over the last rounds, as Phi goes on
// moving.
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <quasar/errors.hpp>

#include "models/alpha/start_scale.hpp"
#include "models/alpha/uphill_round.hpp"
#include "speech/denoise.hpp"
#include "speech/sound_plane.hpp"
#include "speech/stopwatch.hpp"

namespace quasar {

namespace {

// Frames of all recordings that are not of zeros alone, and the mean square of the samples there, in units of the
// loudest recording.
struct LearnedFrames {
  std::vector<Eigen::MatrixXcd> transforms;
  Index frames = 0;
  double unit = 0, energy = 0, samples = 0;

  double rms() const { return std::sqrt(energy / samples); }
  double level() const { return unit * rms(); }
  Mat squares() const {
    Mat all(transforms.front().rows(), frames);
    Index next = 0;
    for (const Eigen::MatrixXcd& one : transforms) {
      all.middleCols(next, one.cols()) = squares_of(one, rms());
      next += one.cols();
    }
    return all;
  }
};

LearnedFrames frames_of(std::span<const Clip> clips, const SpeechPlane& plane) {
  Stft stft(stft_settings(plane));
  LearnedFrames found;
  const Vec* loudest = &clips.front().samples;
  for (const Clip& clip : clips) {
    check_samples(clip.samples, clip.name);
    if (clip.samples.isZero(0)) throw DataError(fmt::format("{}: silence from beginning to end", clip.name));
    if (clip.samples.lpNorm<Eigen::Infinity>() > loudest->lpNorm<Eigen::Infinity>()) loudest = &clip.samples;
  }
  found.unit = unit_of(*loudest);
  for (const Clip& clip : clips) {
    const Vec samples = clip.samples / found.unit;
    const Eigen::MatrixXcd transform = stft.transform(samples);
    const std::vector<Index> sounding = sounding_frames(transform);
    found.transforms.emplace_back(transform(Eigen::all, sounding));
    found.frames += std::ssize(sounding);
    found.energy += samples.squaredNorm();
    found.samples += static_cast<double>(sounding_samples(samples, plane));
  }
  return found;
}

// Of the given shape, with the median of the activations: their mean is that of the few loud ones.
ActivationLaw law_of(const Mat& activations, double shape, double alpha) {
  return {shape, median_of(activations) * std::pow(boost::math::gamma_p_inv(shape, 0.5), alpha / 2)};
}

}  // namespace

std::span<const ParamSpec> speech_training_params() {
  static constexpr std::array params{
      ParamSpec{.name = "components",
                .doc = "columns of the dictionary: spectra that speech is put together from",
                .type = ParamSpec::integer,
                .init = "100",
                .min = 1,
                .max = 10000},
      ParamSpec{.name = "alpha",
                .doc = "tail of the law of speech; 2 is Gaussian, smaller is heavier",
                .type = ParamSpec::real,
                .init = "1.2",
                .min = 0.5,
                .max = 2},
      ParamSpec{.name = "frame",
                .doc = "samples of a frame of the spectrogram, an even number",
                .type = ParamSpec::integer,
                .init = "512",
                .min = 4,
                .max = 1 << 20},
      ParamSpec{.name = "hop",
                .doc = "samples from one frame to the next, half a frame at most; less costs more and averages more",
                .type = ParamSpec::integer,
                .init = "128",
                .min = 1,
                .max = 1 << 20},
      ParamSpec{.name = "activation_shape",
                .doc = "shape of the prior of activations: small where few components speak at a time",
                .type = ParamSpec::real,
                .init = "0.3",
                .min = 0.05,
                .max = 100},
      ParamSpec{.name = "rounds",
                .doc = "uphill moves of all parameters; the last quarter is averaged",
                .type = ParamSpec::integer,
                .init = "200",
                .min = 4,
                .max = 1e6},
      ParamSpec{.name = "seed",
                .doc = "of all random numbers",
                .type = ParamSpec::integer,
                .init = "1",
                .min = 0,
                .max = 9007199254740992},
  };
  return params;
}

struct SpeechLearning::Parts {
  Parts(std::span<const Clip> clips, int sample_rate, const Config& config)
      : model{.plane = {sample_rate, config.integer("frame"), config.integer("hop")},
              .alpha = config.real("alpha"),
              .rounds = config.integer("rounds"),
              .seed = static_cast<std::uint64_t>(config.integer("seed"))},
        activation_shape(config.real("activation_shape")),
        rng(model.seed) {
    if (clips.empty()) throw UsageError("needs recordings of clean speech to learn from");
    check_plane(model.plane);
    if (sample_rate > highest_rate) {
      throw DataError(fmt::format("{}: {} samples a second, and {} are the most that can be learned from",
                                  clips.front().name, sample_rate, highest_rate));
    }
    const Index rank = config.integer("components");
    check_memory_of(clips, rank);
    const Mat squares = learned_squares(clips);
    mixture = std::make_unique<AlphaMixture>(
        Intensities{squares},
        std::vector<AlphaSource>{{.alpha = model.alpha, .rank = rank, .w = {2, 0.5, 1}, .h = {2, 0.5, 1}}},
        AlphaMixtureSettings{.log_coordinates = false});
    x.resize(mixture->dim());
    draw_uphill_start(*mixture, x, rng.child("start"));
    model.dictionary = Mat::Zero(squares.rows(), rank);
    for (const Clip& clip : clips) {
      model.files.push_back(clip.name);
      model.seconds_of_speech += static_cast<double>(clip.samples.size()) / sample_rate;
    }
  }

  void check_memory_of(std::span<const Clip> clips, Index components) const {  // as measured
    constexpr double of_entry = 8, of_activation = 4;                          // numbers
    const Stft stft(stft_settings(model.plane));
    double frames = 0;
    for (const Clip& clip : clips) frames += static_cast<double>(stft.frames(clip.samples.size()));
    const double entries = frames * static_cast<double>(model.plane.bins());
    const double numbers = of_entry * entries + of_activation * frames * static_cast<double>(components);
    check_memory(numbers * sizeof(double), fmt::format("{:.3g} frames of {} samples", frames, model.plane.frame));
  }

  Mat learned_squares(std::span<const Clip> clips) {
    const LearnedFrames learned = frames_of(clips, model.plane);
    model.level = learned.level();
    return learned.squares();
  }

  Index rank() const { return model.dictionary.cols(); }
  std::int64_t averaged() const { return model.rounds / 4; }
  Eigen::Map<Mat> w() { return {x.data(), rank(), model.dictionary.rows()}; }
  Eigen::Map<Mat> h() { return {x.data() + model.dictionary.size(), rank(), mixture->columns()}; }

  SpeechModel model;  // the dictionary is a sum as yet
  double activation_shape;
  Rng rng;
  std::unique_ptr<AlphaMixture> mixture;
  Vec x;
  std::int64_t round = 0;
  Stopwatch watch;
};

SpeechLearning::SpeechLearning(std::span<const Clip> clips, int sample_rate, const Config& config)
    : parts_(std::make_unique<Parts>(clips, sample_rate, config)) {}
SpeechLearning::~SpeechLearning() = default;

bool SpeechLearning::done() const { return parts_->round >= parts_->model.rounds; }
double SpeechLearning::share() const {
  return static_cast<double>(parts_->round) / static_cast<double>(parts_->model.rounds);
}
std::int64_t SpeechLearning::steps() const { return parts_->round; }
double SpeechLearning::seconds() const { return parts_->watch.seconds(); }

void SpeechLearning::step() {
  Parts& p = *parts_;
  uphill_round(*p.mixture, p.x, p.rng.at(static_cast<std::uint64_t>(p.round)));
  auto w = p.w(), h = p.h();
  const Vec sizes = w.rowwise().mean();  // columns of W have mean 1
  w.array().colwise() /= sizes.array();
  h.array().colwise() *= sizes.array();
  if (p.round >= p.model.rounds - p.averaged()) {
    p.model.dictionary += w.transpose() / static_cast<double>(p.averaged());
  }
  ++p.round;
}

void SpeechLearning::save(Writer& out) const {
  out("seconds", seconds());
  out("round", parts_->round);
  out("x", parts_->x);
  out("dictionary", parts_->model.dictionary);
}

void SpeechLearning::load(Reader& in) {
  double seconds = 0;
  in("seconds", seconds);
  parts_->watch = Stopwatch(seconds);
  in("round", parts_->round);
  if (parts_->round < 0 || parts_->round > parts_->model.rounds) {
    throw DataError("saved state has more rounds than there are");
  }
  in("x", parts_->x);
  in("dictionary", parts_->model.dictionary);
}

SpeechModel SpeechLearning::result() const {
  SpeechModel model = parts_->model;
  model.activations = law_of(parts_->h(), parts_->activation_shape, model.alpha);
  if (!model.dictionary.allFinite() || !std::isfinite(model.activations.scale)) {
    throw RunError("what was learned is not finite: another seed, or an alpha nearer to 2, may help");
  }
  return model;
}

SpeechModel learn_speech(std::span<const Clip> clips, int sample_rate, const Config& config,
                         const DenoiseProgress& progress) {
  SpeechLearning work(clips, sample_rate, config);
  work_through(work, progress);
  return work.result();
}

}  // namespace quasar
