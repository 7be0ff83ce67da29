// What metrics that know directions are worth: gradients per effective draw, warm-up included and excluded. The seeds
// are fixed, so that the numbers are too.
#include <gtest/gtest.h>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "diagnostics/projections.hpp"

namespace quasar {
namespace {

struct Cost {  // gradients per effective draw, the least over coordinates and random directions
  double sampling, all;
};

Cost cost(const std::string& model_name, const Settings& model_settings, const std::string& sampler_name,
          const Settings& settings) {
  const ModelEntry& model = find_model(model_name);
  const auto target = model.make(Config(model.name, model.params, model_settings), nullptr);
  const SamplerEntry& sampler = find_sampler(sampler_name);
  Mat directions(target->dim(), target->dim() + 50);
  directions << Mat::Identity(target->dim(), target->dim()), random_directions(target->dim(), 50);
  constexpr int seeds = 6;
  Cost mean{0, 0};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SampleOptions options;
    options.chains = 2;
    options.seed = seed;
    const RunData run = sample(*target, sampler, Config(sampler.name, sampler.params, settings), options);
    const double ess = least_ess(run.sampling, directions);
    mean.sampling += statistic(run, "gradient_evaluations").sum() / ess / seeds;
    mean.all += static_cast<double>(run.info.gradient_evaluations) / ess / seeds;
  }
  return mean;
}

struct Contender {
  const char* sampler;
  Settings settings;
};
const Contender contenders[] = {{"nuts", {{"metric", "fisher_lowrank"}}},
                                {"nuts", {{"metric", "lbfgs"}}},
                                {"qnhmc", {{"memory", "20"}}},
                                {"qnhmc", {}}};

TEST(Outliers, NeedThreeTimesFewerGradients) {
  const Settings outliers{{"dim", "100"}, {"spectrum", "outliers"}, {"condition", "1000"}, {"rotation", "true"}};
  const Cost diagonal = cost("gaussian", outliers, "nuts", {});
  for (const Contender& c : contenders) {
    const Cost found = cost("gaussian", outliers, c.sampler, c.settings);
    EXPECT_GT(diagonal.sampling / found.sampling, 3) << c.sampler;
    EXPECT_GT(diagonal.all / found.all, 3) << c.sampler;
  }
}

TEST(IndependentCoordinates, CostNoMoreThanATenthMore) {
  const std::pair<std::string, Settings> targets[] = {{"gaussian", {{"dim", "100"}, {"condition", "1000"}}},
                                                      {"quartic", {{"dim", "100"}}}};
  for (const auto& [model, settings] : targets) {
    const Cost diagonal = cost(model, settings, "nuts", {});
    for (const Contender& c : contenders) {
      const Cost found = cost(model, settings, c.sampler, c.settings);
      EXPECT_LT(found.sampling / diagonal.sampling, 1.1) << model << ", " << c.sampler;
      EXPECT_LT(found.all / diagonal.all, 1.1) << model << ", " << c.sampler;
    }
  }
}

}  // namespace
}  // namespace quasar
