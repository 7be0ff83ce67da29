#include "targets/gaussian.hpp"

#include <fmt/core.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

Eval Gaussian::logp_grad(In x, Out grad) {
  covariance_->solve(x, grad);
  const double logp = -0.5 * x.dot(grad);
  grad = -grad;
  return checked(logp);
}

// The precision, a column at a time.
void Gaussian::second_derivatives(In, Mat& h) {
  h.resize(dim(), dim());
  for (Index j = 0; j < dim(); ++j) {
    unit_.setZero(dim());
    unit_[j] = 1;
    covariance_->solve(unit_, h.col(j));
  }
}

void Gaussian::draw(const Rng& rng, Out x) const {
  Vec z(dim());
  rng.stream("gaussian").normals(z);
  covariance_->root(z, x);
}

Moments Gaussian::moments() const { return {Vec::Zero(dim()), covariance_->variances()}; }

namespace {

// A parameter counts as chosen when it differs from its default, so that a complete, saved configuration can be
// replayed.
bool chosen(const Config& config, std::string_view name) {
  const Config defaults("gaussian", gaussian_params, {});
  return config.values().find(name)->second != defaults.values().find(name)->second;
}

void refuse(const Config& config, std::initializer_list<std::string_view> names, std::string_view why) {
  for (const auto name : names) {
    if (chosen(config, name)) throw UsageError(fmt::format("gaussian: {} has no meaning {}", name, why));
  }
}

Vec outlier_spectrum(Index dim, double condition, Index outliers) {
  if (outliers > dim) throw UsageError(fmt::format("gaussian: outliers must not exceed dim = {}", dim));
  Vec eigenvalues = Vec::Ones(dim);
  for (Index i = 0; i < outliers; ++i) {
    eigenvalues[i] = std::pow(condition, static_cast<double>(outliers - i) / static_cast<double>(outliers));
  }
  return eigenvalues;
}

std::shared_ptr<const Covariance> from_spectrum(const Config& config) {
  const Index dim = config.integer("dim");
  const bool with_outliers = config.text("spectrum") == "outliers";
  if (!with_outliers) refuse(config, {"outliers"}, "unless spectrum = outliers");
  const Vec eigenvalues = with_outliers ? outlier_spectrum(dim, config.real("condition"), config.integer("outliers"))
                                        : log_uniform_spectrum(dim, config.real("condition"));
  if (config.flag("rotation")) {
    const auto seed = static_cast<std::uint64_t>(config.integer("basis_seed"));
    return std::make_shared<RotatedCovariance>(random_basis(dim, seed), eigenvalues);
  }
  refuse(config, {"basis_seed"}, "unless rotation = true");
  return std::make_shared<DiagonalCovariance>(eigenvalues);
}

std::shared_ptr<const Covariance> from_correlation(const Config& config) {
  const Index dim = config.integer("dim");
  const double rho = config.real("correlation");
  if (rho >= 1 || 1 + rho * static_cast<double>(dim - 1) <= 0) {
    throw UsageError(fmt::format(
        "gaussian: correlation must lie strictly between -1/(dim-1) and 1; it is {} with dim = {}", rho, dim));
  }
  return std::make_shared<ExchangeableCovariance>(dim, 1 - rho, rho);
}

std::shared_ptr<const Covariance> make_covariance(const Config& config) {
  std::string kind = config.text("covariance");
  if (kind == "auto") kind = chosen(config, "correlation") ? "equicorrelation" : "spectrum";
  if (kind == "spectrum") {
    refuse(config, {"correlation"}, "when covariance = spectrum");
    return from_spectrum(config);
  }
  refuse(config, {"condition", "spectrum", "outliers", "rotation", "basis_seed"}, "when covariance = " + kind);
  if (kind == "equicorrelation") return from_correlation(config);
  refuse(config, {"correlation"}, "when covariance = ones_plus_4");
  return std::make_shared<ExchangeableCovariance>(config.integer("dim"), 4.0, 1.0);
}

}  // namespace

std::unique_ptr<Target> make_gaussian(const Config& config, const Table*) {
  return std::make_unique<Gaussian>(make_covariance(config));
}

}  // namespace quasar
