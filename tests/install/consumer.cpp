// A user's own density, sampled by name through the registry, with the installed headers and library alone.
//
// Statistical assertions: 2 (the mean of each coordinate), each with false-positive rate 1e-6.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

namespace {

using quasar::Index;
using quasar::Mat;

constexpr double kAlpha = 1e-6;
constexpr double kCentre[] = {3, -2};

// x_0 ~ N(3, 1), x_1 | x_0 ~ N(-2 + (x_0 - 3) / 2, 1)
struct OwnTarget : quasar::Target {
  std::unique_ptr<quasar::Target> fork() const override { return std::make_unique<OwnTarget>(*this); }
  Index dim() const override { return 2; }
  quasar::Eval logp_grad(quasar::In x, quasar::Out grad) override {
    const double first = x[0] - kCentre[0];
    const double second = x[1] - kCentre[1] - first / 2;
    grad[0] = -first + second / 2;
    grad[1] = -second;
    return {-(first * first + second * second) / 2};
  }
};

Mat draws_of_coordinate(const quasar::RunData& run, Index coordinate) {
  const auto width = run.layout.size();
  Mat draws(run.sampling.front().draws, static_cast<Index>(run.sampling.size()));
  for (Index chain = 0; chain < draws.cols(); ++chain) {
    const auto& values = run.sampling[static_cast<std::size_t>(chain)].values;
    for (Index i = 0; i < draws.rows(); ++i) {
      draws(i, chain) = values[static_cast<std::size_t>(i * width + coordinate)];
    }
  }
  return draws;
}

// P(|Z| > |z|) of the distance between the mean and the truth in standard errors.
double p_value(const Mat& draws, double truth) {
  const double z = (quasar::mean(draws) - truth) / quasar::mcse_mean(draws);
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

}  // namespace

int main() {
  const quasar::SamplerEntry& nuts = quasar::find_sampler("nuts");
  const quasar::Config parameters(nuts.name, nuts.params, {});
  quasar::SampleOptions options;
  options.seed = 20260101;
  const quasar::RunData run = quasar::sample(OwnTarget{}, nuts, parameters, options);

  bool passed = true;
  for (Index coordinate = 0; coordinate < 2; ++coordinate) {
    const Mat draws = draws_of_coordinate(run, coordinate);
    const double p = p_value(draws, kCentre[coordinate]);
    std::printf("x[%d]: mean %.3f, p = %.3g\n", static_cast<int>(coordinate), quasar::mean(draws), p);
    passed = passed && p > kAlpha;  // false for NaN
  }
  return passed ? 0 : 1;
}
