// linear-gaussian: theta ~ N(0, I), x_n ~ N(a_n' theta, s2), on data drawn from a seed; the posterior is known exactly.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

struct LinearGaussianData {
  Mat predictors;  // column n is a_n: one observation is contiguous
  Vec responses;   // x_n
  double noise_variance;
};

// The posterior is N(m, P^-1) with P = A'A / s2 + I, the row n of A being a_n', and m = P^-1 A'x / s2. P is the Hessian
// and the expected Fisher information plus the prior's precision, the same everywhere: a metric without divergence.
class LinearGaussian final : public FiniteSum, public Geometry, public Hessian, public ExactLaw {
 public:
  explicit LinearGaussian(LinearGaussianData data);

  std::unique_ptr<Target> fork() const override { return std::make_unique<LinearGaussian>(*this); }
  Index dim() const override { return posterior_->mean.size(); }
  Layout layout() const override { return {{{"theta", {dim()}, {}}}, {}}; }

  Index terms() const override { return data_->responses.size(); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;

  Geometry* geometry() override { return this; }
  bool diagonal() const override { return false; }
  bool metric(In x, Mat& g) override;
  void directional(In, In, Mat& out) override { out.setZero(dim(), dim()); }
  void contract(In, const Mat&, Out out) override { out.setZero(); }
  void divergence(In, Out out) override { out.setZero(); }

  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In, const Mat&, Out out) override { out.setZero(); }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  struct Posterior {
    Mat precision, root;  // P, and R with RR' = P^-1
    Vec mean;
  };
  static Posterior solve(const LinearGaussianData& data);

  using Columns = Eigen::Ref<const Mat>;
  double add_block(In x, const Columns& predictors, In responses, double precision, Out grad);

  std::shared_ptr<const LinearGaussianData> data_;
  std::shared_ptr<const Posterior> posterior_;
  Vec residuals_, gathered_responses_;  // scratch, of one block
  Mat gathered_predictors_;
};

inline constexpr ParamSpec linear_gaussian_params[] = {
    {.name = "dim", .doc = "number of coefficients", .type = ParamSpec::integer, .init = "2", .min = 1, .max = 1e4},
    {.name = "rows", .doc = "number of observations", .type = ParamSpec::integer, .init = "1000", .min = 1, .max = 1e7},
    {.name = "noise_variance",
     .doc = "variance of an observation around its mean",
     .type = ParamSpec::real,
     .init = "10",
     .min = 1e-100,
     .max = 1e100},
    {.name = "data_seed",
     .doc = "seed of predictors and observations; not the seed of the run",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 0},
};
std::unique_ptr<Target> make_linear_gaussian(const Config& config, const Table* data);

}  // namespace quasar
