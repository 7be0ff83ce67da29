// gaussian: N(0, Sigma) with a covariance described by its spectrum, by one correlation, or as 11' + 4 I.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/covariance.hpp"
#include "targets/exact_law.hpp"

namespace quasar {

class Gaussian final : public Target, public Hessian, public ExactLaw {
 public:
  explicit Gaussian(std::shared_ptr<const Covariance> covariance) : covariance_(std::move(covariance)) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Gaussian>(*this); }
  Index dim() const override { return covariance_->dim(); }
  Eval logp_grad(In x, Out grad) override;
  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In, const Mat&, Out out) override { out.setZero(); }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  std::shared_ptr<const Covariance> covariance_;
  Vec unit_;  // scratch
};

inline constexpr Choice gaussian_covariances[] = {{"auto"}, {"spectrum"}, {"equicorrelation"}, {"ones_plus_4"}};
inline constexpr Choice gaussian_spectra[] = {{"log_uniform"}, {"outliers"}};

inline constexpr ParamSpec gaussian_params[] = {
    {.name = "dim", .doc = "number of dimensions", .type = ParamSpec::integer, .init = "10", .min = 1, .max = 1e7},
    {.name = "covariance",
     .doc = "how the covariance is described; auto: equicorrelation if correlation is set, otherwise spectrum",
     .type = ParamSpec::choice,
     .init = "auto",
     .choices = gaussian_covariances},
    {.name = "correlation",
     .doc = "common correlation of unit-variance coordinates, in (-1/(dim-1), 1)",
     .type = ParamSpec::real,
     .init = "0",
     .min = -1,
     .max = 1},
    {.name = "condition",
     .doc = "condition number of the covariance",
     .type = ParamSpec::real,
     .init = "1",
     .min = 1,
     .max = 1e12},
    {.name = "spectrum",
     .doc = "log_uniform: eigenvalues log-spaced from 1 to 1/condition; outliers: a few up to condition, the rest 1",
     .type = ParamSpec::choice,
     .init = "log_uniform",
     .choices = gaussian_spectra},
    {.name = "outliers",
     .doc = "number of eigenvalues above 1 when spectrum is outliers",
     .type = ParamSpec::integer,
     .init = "10",
     .min = 1},
    {.name = "rotation",
     .doc = "use a random orthogonal basis instead of the axes; costs dim^2 per evaluation",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "basis_seed", .doc = "seed of that basis", .type = ParamSpec::integer, .init = "1", .min = 0},
};
std::unique_ptr<Target> make_gaussian(const Config& config, const Table* data);

}  // namespace quasar
