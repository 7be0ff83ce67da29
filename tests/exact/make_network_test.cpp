// What a network makes of a table: its inputs, its response, its size, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>

#include "support/error_message.hpp"

namespace quasar {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<Target> network_of(const Table& table, const Settings& settings) {
  const ModelEntry& model = find_model("network");
  return model.make(Config(model.name, model.params, settings), &table);
}

std::unique_ptr<Target> network_of(const Names& names, const Mat& values, const Settings& settings = {}) {
  return network_of(Table{"memory", names, values, {}}, settings);
}

std::string message_of(const Names& names, const Mat& values, const Settings& settings = {}) {
  return test::error_message<DataError>([&] { network_of(names, values, settings); });
}

bool says(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

// What was kept of the table: the standard deviations of the predictors, then mean and standard deviation of the
// target.
Vec deviations(const Target& target, Index predictors) {
  const Vec kept = target.constant_data().values;
  return kept.segment(predictors, predictors);
}
double target_sd(const Target& target) { return target.constant_data().values.tail(1)[0]; }

// Gamma(0.01, 0.01), as the page of the model says: a twohundredth of what one residual of unit size would weigh.
TEST(MakeNetwork, TheNoiseHasAWeakPriorOfItsOwn) {
  const auto target = network_of({"a", "y"}, Mat{{0, 1}, {1, 3}, {2, 2}}, {{"output", "gaussian"}, {"hidden", ""}});
  auto& network = dynamic_cast<FiniteSum&>(*target);
  Vec x = Vec::Zero(network.dim()), grad = x;
  const double before = network.prior(x, grad, Want::both).logp;
  x[network.dim() - 1] = 2;
  EXPECT_NEAR(network.prior(x, grad, Want::both).logp - before, 0.01 * 2 - 0.01 * (std::exp(2.0) - 1), 1e-14);
}

// Four rows with two pixels and a class, the last pixel being `most`.
Mat pixels(double most) { return Mat{{0, 7, 0}, {3, 9, 1}, {5, 0, 0}, {0, most, 1}}; }

TEST(MakeNetwork, ImagesAreBytesCalledPixels) {
  const Names names{"pixel_1", "pixel_2", "y"};
  EXPECT_EQ(deviations(*network_of(names, pixels(255)), 2), Vec::Constant(2, 256));
  const auto is_standardized = [](const Target& target) { return deviations(target, 2).maxCoeff() < 256; };
  EXPECT_TRUE(is_standardized(*network_of(names, pixels(256))));
  EXPECT_TRUE(is_standardized(*network_of(names, pixels(-1))));
  EXPECT_TRUE(is_standardized(*network_of({"pixel_1", "b", "y"}, pixels(255))));
  EXPECT_TRUE(is_standardized(*network_of({"pixel_2", "pixel_1", "y"}, pixels(255))));
  Mat divided = pixels(255);
  divided.leftCols(2) /= 255;
  EXPECT_TRUE(is_standardized(*network_of(names, divided)));
}

TEST(MakeNetwork, ImagesHaveMoreUnits) {
  const auto units = [](const Names& names, const Settings& settings) {
    return network_of(names, pixels(255), settings)->layout().variables[1].size();
  };
  EXPECT_EQ(units({"pixel_1", "pixel_2", "y"}, {}), 100);
  EXPECT_EQ(units({"a", "b", "y"}, {}), 10);
  EXPECT_EQ(units({"pixel_1", "pixel_2", "y"}, {{"hidden", "3"}}), 3);
}

TEST(MakeNetwork, ANumberIsStandardisedWhateverTheInputsAre) {
  const Mat values{{1, 10}, {2, 30}};
  for (const char* inputs : {"raw", "bytes", "standardize", "auto"}) {
    EXPECT_EQ(target_sd(*network_of({"a", "y"}, values, {{"output", "gaussian"}, {"inputs", inputs}})), 10) << inputs;
  }
}

TEST(MakeNetwork, IndicatorsAreNotBytes) {
  const Names names{"kind", "b", "y"};
  const auto network =
      network_of(names, Mat{{1, 7, 0}, {2, 9, 1}, {1, 3, 1}}, {{"inputs", "bytes"}, {"categorical", "kind"}});
  EXPECT_EQ(deviations(*network, 3), (Vec{{1, 1, 256}}));
}

TEST(MakeNetwork, AFractionIsNoClass) {
  const Mat values{{1, 0}, {2, 1}, {3, 1.5}};
  const std::string message = message_of({"a", "y"}, values);
  EXPECT_TRUE(says(message, "row 3: column 2 ('y')") && says(message, "model.output=gaussian")) << message;
  EXPECT_NO_THROW(network_of({"a", "y"}, values, {{"categorical", "y"}}));
  EXPECT_NO_THROW(network_of({"a", "y"}, values, {{"output", "gaussian"}}));
}

TEST(MakeNetwork, AConstantResponseIsRefused) {
  const Mat values{{1, 3}, {2, 3}, {4, 3}};
  EXPECT_TRUE(says(message_of({"a", "y"}, values, {{"output", "gaussian"}}),
                   "column 2 ('y'): every value of the target is the same"));
}

TEST(MakeNetwork, NumbersTooLargeForAFloatAreRefused) {
  const Mat values{{1, 2, 0}, {1, 1e300, 1}, {1, 4, 1}};
  const std::string message = message_of({"a", "b", "y"}, values, {{"inputs", "raw"}});
  EXPECT_TRUE(says(message, "row 2: column 2 ('b')") && says(message, "model.precision=double")) << message;
  EXPECT_NO_THROW(network_of({"a", "b", "y"}, values, {{"inputs", "raw"}, {"precision", "double"}}));
}

}  // namespace
}  // namespace quasar
