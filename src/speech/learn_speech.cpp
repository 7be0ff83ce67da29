// Learning a dictionary of speech: alpha-stable matrix factorization of clean recordings, W and H by the uphill moves
// of alpha_mixture_climb.cpp between draws of Phi. What is kept is the mean of W over the last rounds, as Phi goes on
// moving.
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <quasar/errors.hpp>

#include "models/alpha/start_scale.hpp"
#include "models/alpha/uphill_round.hpp"
#include "speech/denoise.hpp"
#include "speech/sound_plane.hpp"

namespace quasar {

namespace {

// Frames of all recordings that are not of zeros alone, and the mean square of the samples there.
struct LearnedFrames {
  std::vector<Eigen::MatrixXcd> transforms;
  Index frames = 0;
  double energy = 0, samples = 0;

  double rms() const { return std::sqrt(energy / samples); }
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
  for (const Clip& clip : clips) {
    check_samples(clip.samples, clip.name);
    if (clip.samples.isZero(0)) throw DataError(fmt::format("{}: silence from beginning to end", clip.name));
    const Eigen::MatrixXcd transform = stft.transform(clip.samples);
    const std::vector<Index> sounding = sounding_frames(transform);
    found.transforms.emplace_back(transform(Eigen::all, sounding));
    found.frames += std::ssize(sounding);
    found.energy += clip.samples.squaredNorm();
    found.samples += static_cast<double>(sounding_samples(clip.samples, plane));
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

SpeechModel learn_speech(std::span<const Clip> clips, int sample_rate, const Config& config,
                         const DenoiseProgress& progress) {
  if (clips.empty()) throw UsageError("needs recordings of clean speech to learn from");
  SpeechModel model{.plane = {sample_rate, config.integer("frame"), config.integer("hop")},
                    .alpha = config.real("alpha"),
                    .rounds = config.integer("rounds"),
                    .seed = static_cast<std::uint64_t>(config.integer("seed"))};
  check_plane(model.plane);
  const LearnedFrames learned = frames_of(clips, model.plane);
  model.level = learned.rms();
  const Mat squares = learned.squares();
  const Index rank = config.integer("components");
  AlphaMixture mixture({squares}, {{.alpha = model.alpha, .rank = rank, .w = {2, 0.5, 1}, .h = {2, 0.5, 1}}},
                       {.log_coordinates = false});
  const Rng rng(model.seed);
  Vec x(mixture.dim());
  draw_uphill_start(mixture, x, rng.child("start"));
  const Index w_size = squares.rows() * rank;
  model.dictionary = Mat::Zero(squares.rows(), rank);
  Mat activations(rank, squares.cols());
  const std::int64_t averaged = model.rounds / 4;
  for (std::int64_t round = 0; round < model.rounds; ++round) {
    if (progress && !progress(static_cast<double>(round) / static_cast<double>(model.rounds))) {
      throw RunError("stopped before the dictionary was learned");
    }
    uphill_round(mixture, x, rng.at(static_cast<std::uint64_t>(round)));
    Eigen::Map<Mat> w(x.data(), rank, squares.rows()), h(x.data() + w_size, rank, squares.cols());
    const Vec sizes = w.rowwise().mean();  // columns of W have mean 1
    w.array().colwise() /= sizes.array();
    h.array().colwise() *= sizes.array();
    if (round >= model.rounds - averaged) model.dictionary += w.transpose() / static_cast<double>(averaged);
    activations = h;
  }
  model.activations = law_of(activations, config.real("activation_shape"), model.alpha);
  for (const Clip& clip : clips) {
    model.files.push_back(clip.name);
    model.seconds_of_speech += static_cast<double>(clip.samples.size()) / sample_rate;
  }
  return model;
}

}  // namespace quasar
