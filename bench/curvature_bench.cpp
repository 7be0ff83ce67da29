// Gradients per effective draw on correlated Gaussians: what a metric that knows directions is worth.
//
// The effective sample size is the least over 50 random directions and the extreme eigenvectors; gradients are counted
// with and without warm-up. A ratio compares with nuts and its diagonal metric on the same target and seed.
//
//   curvature_bench [dim ...]        default: 100 1000
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/registry.hpp>
#include <quasar/rng.hpp>
#include <quasar/sample.hpp>

#include "diagnostics/projections.hpp"
#include "targets/covariance.hpp"
#include "targets/gaussian.hpp"

namespace quasar {
namespace {

// I + U (L - I) U' with a few random orthonormal columns U: the law of a randomly rotated covariance with these
// outliers and ones, at O(outliers dim) per evaluation.
class OutlierCovariance final : public Covariance {
 public:
  OutlierCovariance(Mat directions, Vec eigenvalues) : u_(std::move(directions)), l_(std::move(eigenvalues)) {}
  Index dim() const override { return u_.rows(); }
  void solve(In x, Out out) const override {
    out = x + u_ * ((l_.cwiseInverse().array() - 1).matrix().asDiagonal() * (u_.transpose() * x)).eval();
  }
  void root(In z, Out x) const override {
    x = z + u_ * ((l_.cwiseSqrt().array() - 1).matrix().asDiagonal() * (u_.transpose() * z)).eval();
  }
  Vec variances() const override { return Vec::Ones(dim()) + u_.cwiseAbs2() * (l_.array() - 1).matrix(); }

 private:
  Mat u_;
  Vec l_;
};

struct Problem {
  std::string name;
  std::shared_ptr<const Covariance> covariance;
  Mat extremes;  // eigenvectors of the smallest and of the largest variance
};

struct Method {
  const char *name, *sampler;
  Settings settings;
};

const std::vector<Method> methods = {
    {"nuts, fisher_diag", "nuts", {}},
    {"nuts, welford_dense", "nuts", {{"metric", "welford_dense"}}},
    {"nuts, fisher_lowrank", "nuts", {{"metric", "fisher_lowrank"}}},
    {"nuts, lbfgs", "nuts", {{"metric", "lbfgs"}}},
    {"qnhmc", "qnhmc", {}},
};

Vec log_spaced(Index count, double from, double to) {
  return Vec::LinSpaced(count, std::log(from), std::log(to)).array().exp();
}

Mat unit_columns(Index dim, Index first, Index second) {
  Mat columns = Mat::Zero(dim, 2);
  columns(first, 0) = columns(second, 1) = 1;
  return columns;
}

Problem outliers(Index dim, double condition, bool above) {
  Vec eigenvalues = log_spaced(10, std::pow(condition, 0.1), condition);
  if (!above) eigenvalues = eigenvalues.cwiseInverse().eval();
  const Mat u = random_basis(dim, 1).leftCols(10);
  return {fmt::format("10 outliers {}, condition {:g}", above ? "above" : "below", condition),
          std::make_shared<OutlierCovariance>(u, eigenvalues), u(Eigen::all, std::vector<Index>{0, 9})};
}

std::vector<Problem> problems(Index dim) {
  std::vector<Problem> all;
  for (const double condition : {1e3, 1e4}) {
    for (const bool above : {true, false}) all.push_back(outliers(dim, condition, above));
  }
  const Vec spread = log_spaced(dim, 1, 1e-3);
  const Mat ends = unit_columns(dim, 0, dim - 1);
  all.push_back({"diagonal, condition 1000", std::make_shared<DiagonalCovariance>(spread), ends});
  all.push_back({"diagonal, condition 1", std::make_shared<DiagonalCovariance>(Vec::Ones(dim)), ends});
  const Mat basis = random_basis(dim, 1);
  all.push_back({"log-uniform, condition 1000", std::make_shared<RotatedCovariance>(basis, spread), basis * ends});
  return all;
}

Mat directions(const Mat& extremes) {
  Mat all(extremes.rows(), 50 + extremes.cols());
  all << random_directions(extremes.rows(), 50), extremes;
  return all;
}

void measure(const Problem& problem) {
  const Gaussian target(problem.covariance);
  const Index dim = target.dim();
  fmt::print("\nd = {}, {}\n", dim, problem.name);
  double base_sampling = 0, base_all = 0;
  for (const Method& method : methods) {
    if (dim > 200 && method.settings.count("metric") && method.settings.at("metric") == "welford_dense") continue;
    const SamplerEntry& sampler = find_sampler(method.sampler);
    SampleOptions options;
    options.chains = 2;
    const RunData run = sample(target, sampler, Config(sampler.name, sampler.params, method.settings), options);
    const double ess = least_ess(run.sampling, directions(problem.extremes));
    const double sampling = statistic(run, "gradient_evaluations").sum() / ess;
    const double all = static_cast<double>(run.info.gradient_evaluations) / ess;
    if (base_all == 0) base_sampling = sampling, base_all = all;
    fmt::print(
        "  {:<22} gradients per effective draw {:>9.1f}, with warm-up {:>9.1f}   times fewer {:>6.2f}, {:>6.2f}\n",
        method.name, sampling, all, base_sampling / sampling, base_all / all);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace quasar

int main(int argc, char** argv) {
  std::vector<quasar::Index> dims;
  for (int i = 1; i < argc; ++i) dims.push_back(std::atol(argv[i]));
  if (dims.empty()) dims = {100, 1000};
  for (const quasar::Index dim : dims) {
    for (const auto& problem : quasar::problems(dim)) quasar::measure(problem);
  }
}
