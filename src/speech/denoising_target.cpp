#include "speech/denoising_target.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "models/alpha/alpha_components.hpp"
#include "models/alpha/start_scale.hpp"
#include "models/alpha/uphill_round.hpp"

namespace quasar {

namespace {

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

UphillStart uphill_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng,
                         const std::function<void()>& after_round) {
  const Index rank = config.integer("noise_components"), columns = squares.cols();
  const double level =
      typical_dispersion(config.real("noise_alpha"), median_square(squares)) / static_cast<double>(rank);
  AlphaMixture mixture({squares}, sources_of(model, config, level), {.log_coordinates = false});
  Vec x(mixture.dim());
  draw_uphill_start(mixture, x, rng.child("start"));
  for (std::int64_t round = 0; round < config.integer("rounds"); ++round) {
    uphill_round(mixture, x, rng.at(static_cast<std::uint64_t>(round)));
    after_round();
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

}  // namespace

// Gibbs sweeps have a variable for every component in place of Phi.
DenoisingStart denoising_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng,
                               const std::function<void()>& after_round) {
  UphillStart start = uphill_start(squares, model, config, rng, after_round);
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

}  // namespace quasar
