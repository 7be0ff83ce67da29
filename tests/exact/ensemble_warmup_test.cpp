// Members of an ensemble that start far out, where the gradient is thousands of times as long, come in during warm-up.
#include <gtest/gtest.h>

#include <memory>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

namespace quasar {
namespace {

// U = sum (x_i / 0.05)^4 / 4, of sd 0.04. A random start has |x_i| < 2, where the gradient is up to 10^5 times as long
// as at home and no step that suits those at home is accepted.
struct SteepWalls final : Target {
  static constexpr double scale = 0.05;
  std::unique_ptr<Target> fork() const override { return std::make_unique<SteepWalls>(*this); }
  Index dim() const override { return 3; }
  Eval logp_grad(In x, Out grad) override {
    grad = -(x / scale).array().cube() / scale;
    return {-0.25 * (x / scale).array().pow(4).sum()};
  }
};

RunData draw(std::uint64_t seed) {
  const SamplerEntry& sampler = find_sampler("hmc-bfgs");
  SampleOptions options;
  options.chains = 10;
  options.schedule = {300, 200, 1};
  options.seed = seed;
  return sample(SteepWalls(), sampler, {sampler.name, sampler.params, {}}, options);
}

TEST(EnsembleWarmup, EveryMemberComesIn) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const RunData run = draw(seed);
    const Mat acceptance = statistic(run, "acceptance_rate");
    EXPECT_EQ(acceptance.cols(), 50);
    EXPECT_GT(acceptance.colwise().mean().minCoeff(), 0.5) << "seed " << seed;
    EXPECT_LT(draws_of(run, 0).cwiseAbs().maxCoeff(), 5 * SteepWalls::scale) << "seed " << seed;
  }
}

}  // namespace
}  // namespace quasar
