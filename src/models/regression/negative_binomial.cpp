#include "models/regression/negative_binomial.hpp"

#include <cmath>

#include "models/regression/counts.hpp"
#include "models/regression/gamma_functions.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/regression_predictor.hpp"
#include "models/regression/scale_prior.hpp"

namespace quasar {

namespace {

// With u = overdispersion = e^s, d = 1/u^2, q = e^z / (d + e^z) and excess = log(1 + e^z/d) = -log(1 - q):
//
//   log p = log[Gamma(d + y) / (Gamma(d) d^y)] + y z - (y + d) excess - log y!
//
// d log p / dz = y (1 - q) - d q, and by log d it is d (digamma(d + y) - digamma(d)) - y - d excess + (y + d) q. Every
// part of it has a limit for large d, where the law is Poisson's. What is reported is u: all of its moments are finite,
// whereas the prior density of u is positive at 0 and so the mean of d = 1/u^2 is infinite.
class Dispersed {
 public:
  explicit Dispersed(double s) : dispersion_(std::exp(-2 * s)), log_dispersion_(-2 * s), gamma_ratio_(dispersion_) {}

  struct Term {
    double logp, by_z, by_log_dispersion;  // log y! is left out
  };
  Term term(double y, double z) const {
    const double log_odds = z - log_dispersion_, excess = softplus(log_odds);
    const double q = 1 / (1 + std::exp(-log_odds)), rest = 1 / (1 + std::exp(log_odds));
    const GammaRatio::Value ratio = gamma_ratio_(y);
    return {ratio.log + y * z - (y + dispersion_) * excess, y * rest - dispersion_ * q,
            ratio.slope - y - dispersion_ * excess + (y + dispersion_) * q};
  }
  double dispersion() const { return dispersion_; }

 private:
  double dispersion_, log_dispersion_;
  GammaRatio gamma_ratio_;
};

struct NegativeBinomialLink {
  double weight;
  Dispersed law;
  double sum = 0, by_log_dispersion = 0;

  NegativeBinomialLink(double w, Want, double s) : weight(w), law(s) {}

  void operator()(In z, In y, Out slope) {
    for (Index i = 0; i < z.size(); ++i) {
      const Dispersed::Term term = law.term(y[i], z[i]);
      sum += term.logp;
      by_log_dispersion += term.by_log_dispersion;
      slope[i] = weight * term.by_z;
    }
  }
  double logp() const { return weight * sum; }
  double scale_slope() const { return -2 * weight * by_log_dispersion; }
};

struct NegativeBinomial {
  using Link = NegativeBinomialLink;
  static constexpr Response response = Response::counts;
  static Index outputs(const Design&) { return 1; }
  static ScaleParameter scale(double) { return {"overdispersion", 1}; }

  explicit NegativeBinomial(double s) : law(s) {}
  void predict(In z, Out out) const {
    const double mean = std::exp(z[0]);
    out << mean, std::sqrt(mean) * std::sqrt(1 + mean / law.dispersion());
  }
  double log_density(double y, In z) const { return law.term(y, z[0]).logp - log_factorial(y); }
  double draw(In z, Stream& stream) const {
    const double share = stream.gamma(law.dispersion()) / law.dispersion();
    return draw_count(std::exp(z[0]) * share, stream);
  }

  Dispersed law;
};

}  // namespace

std::unique_ptr<Target> make_negative_binomial(const Config& config, const Table* data) {
  return make_regression<NegativeBinomial>("negative-binomial", config, data);
}

std::unique_ptr<Predictor> predict_negative_binomial(const Config& config, const ConstantData& kept,
                                                     const Table& rows) {
  return std::make_unique<RegressionPredictor<NegativeBinomial>>(prior_settings(config), kept, rows);
}

}  // namespace quasar
