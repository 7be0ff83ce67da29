// Draws that must not change by accident: whole numbers exactly, real ones to 1e-10. A deliberate change of a sampler,
// of warm-up or of the random numbers renews the table (the failing test prints it).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

namespace quasar {
namespace {

struct Golden {
  const char* sampler;
  const char* metric;
  std::int64_t gradients;
  std::vector<double> last_draw;
};

const Golden table[] = {
#include "data/draws.inc"
};

RunData short_run(const Golden& golden) {
  const ModelEntry& model = find_model("banana");
  const SamplerEntry& sampler = find_sampler(golden.sampler);
  SampleOptions options;
  options.chains = 2;
  options.schedule = {60, 20, 1};
  options.seed = 42;
  return sample(*model.make(Config(model.name, model.params, {}), nullptr), sampler,
                Config(sampler.name, sampler.params, {{"metric", golden.metric}}), options);
}

TEST(Golden, DrawsAreWhatTheyWere) {
  for (const Golden& golden : table) {
    const RunData run = short_run(golden);
    const std::vector<double>& values = run.sampling.back().values;
    const std::vector<double> last(values.end() - 2, values.end());
    SCOPED_TRACE(testing::Message() << golden.sampler << ", " << golden.metric);
    EXPECT_EQ(run.info.gradient_evaluations, golden.gradients);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(last[i], golden.last_draw[i], 1e-10 * (1 + std::abs(last[i])));
    if (HasFailure()) {
      std::printf("    {\"%s\", \"%s\", %lld, {%.17g, %.17g}},\n", golden.sampler, golden.metric,
                  static_cast<long long>(run.info.gradient_evaluations), last[0], last[1]);
    }
  }
}

}  // namespace
}  // namespace quasar
