#include "speech/denoising_target.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

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

// Where t = (x / scale)^power is large, near 0, the slope of the prior is, and a step would be thrown far beyond the
// other end.
void into_reach(const GeneralizedGamma& law, Eigen::Ref<Vec> x) {
  constexpr double largest = 100;
  x = x.cwiseMax(law.scale * std::pow(largest, 1 / law.power));
}

}  // namespace

// Where the moves have led, in natural coordinates, and the mean activation of noise there, W having mean 1.
struct UphillMoves::Point {
  Vec factors, log_phi;
  double noise_level;
};

UphillMoves::UphillMoves(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng)
    : squares_(squares), model_(model), config_(config), rng_(rng), all_rounds_(config.integer("rounds")) {
  const auto rank = static_cast<double>(config.integer("noise_components"));
  const double level = typical_dispersion(config.real("noise_alpha"), median_square(squares)) / rank;
  mixture_ = std::make_unique<AlphaMixture>(Intensities{squares}, sources_of(model, config, level),
                                            AlphaMixtureSettings{.log_coordinates = false});
  moving_ = mixture_->moving();
  x_.resize(mixture_->dim());
  draw_uphill_start(*mixture_, x_, rng_.child("start"));
}

void UphillMoves::move() {
  uphill_round(*mixture_, x_, rng_.at(static_cast<std::uint64_t>(round_)));
  ++round_;
}

void UphillMoves::save(Writer& out) const {
  out("round", round_);
  out("x", x_);
}

void UphillMoves::load(Reader& in) {
  in("round", round_);
  if (round_ < 0 || round_ > all_rounds_) throw DataError("saved state has more rounds than there are");
  in("x", x_);
}

UphillMoves::Point UphillMoves::point() const {
  const Index rank = config_.integer("noise_components"), columns = squares_.cols();
  const Index begin = model_.dictionary.cols() * columns;  // of W of noise, which H of noise follows
  Point found{x_.head(moving_), x_.tail(x_.size() - moving_), 0};
  Eigen::Map<Mat> w(found.factors.data() + begin, rank, squares_.rows()), h(w.data() + w.size(), rank, columns);
  const Vec sizes = w.rowwise().mean();
  w.array().colwise() /= sizes.array();
  h.array().colwise() *= sizes.array();
  found.noise_level = h.mean();
  return found;
}

// Gibbs sweeps have a variable for every component in place of Phi.
DenoisingStart UphillMoves::start() {
  Point found = point();
  mixture_.reset();
  const bool logarithms = config_.text("coordinates") == "log";
  const AlphaMixtureSettings settings{.log_coordinates = logarithms, .record_level = false, .record_share = true};
  std::vector<AlphaSource> sources = sources_of(model_, config_, found.noise_level);
  const Index columns = squares_.cols(), speech = sources[0].rank * columns,
              noise_w = sources[1].rank * squares_.rows();
  into_reach(sources[0].h, found.factors.head(speech));
  into_reach(sources[1].w, found.factors.segment(speech, noise_w));
  into_reach(sources[1].h, found.factors.tail(sources[1].rank * columns));
  std::unique_ptr<Target> target;
  Vec x;
  if (config_.text("sampler") == "gibbs") {
    target = std::make_unique<AlphaComponents>(Intensities{squares_}, std::move(sources), settings);
    x.resize(target->dim());
    target->draw_start(x, rng_.child("components"));
    x.head(found.factors.size()) = found.factors;
  } else {
    target = std::make_unique<AlphaMixture>(Intensities{squares_}, std::move(sources), settings);
    x.resize(target->dim());
    x << (logarithms ? Vec(found.factors.array().log()) : found.factors), found.log_phi;
  }
  return {std::move(target), std::move(x)};
}

DenoisingStart denoising_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng) {
  UphillMoves moves(squares, model, config, rng);
  while (!moves.done()) moves.move();
  return moves.start();
}

}  // namespace quasar
