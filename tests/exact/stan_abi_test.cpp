// The libraries of the tests have BridgeStan's whole interface: what Quasar begins to call is there.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "support/stan_programs.hpp"
#include "targets/loaded_library.hpp"

extern "C" {
struct bs_model;
}

namespace quasar {
namespace {

class StanAbi : public testing::Test {
 protected:
  void TearDown() override { function<void(bs_model*)>("bs_model_destruct")(model_); }

  template <class Function>
  Function* function(const char* symbol) const {
    const auto found = reinterpret_cast<Function*>(dlsym(library_.handle, symbol));
    if (found == nullptr) throw std::runtime_error(symbol);
    return found;
  }

  Vec point() const {
    Vec x(36);
    Rng(3).stream("point").normals(x);
    return x;
  }

  LoadedLibrary library_ = load_library(test::stan_program("shapes"));
  bs_model* model_ = function<bs_model*(const char*, unsigned, char**)>("bs_model_construct")("", 1, nullptr);
};

TEST_F(StanAbi, HasEverySymbol) {
  for (const char* const symbol : {"bs_major_version",
                                   "bs_minor_version",
                                   "bs_patch_version",
                                   "bs_model_construct",
                                   "bs_model_destruct",
                                   "bs_free_error_msg",
                                   "bs_name",
                                   "bs_model_info",
                                   "bs_param_names",
                                   "bs_param_unc_names",
                                   "bs_param_num",
                                   "bs_param_unc_num",
                                   "bs_param_constrain",
                                   "bs_param_unconstrain",
                                   "bs_param_unconstrain_json",
                                   "bs_log_density",
                                   "bs_log_density_gradient",
                                   "bs_log_density_hessian",
                                   "bs_log_density_hessian_vector_product",
                                   "bs_rng_construct",
                                   "bs_rng_destruct",
                                   "bs_set_print_callback"}) {
    EXPECT_NE(dlsym(library_.handle, symbol), nullptr) << symbol;
  }
}

TEST_F(StanAbi, NamesOfTheUnconstrained) {
  const std::string names = function<const char*(const bs_model*)>("bs_param_unc_names")(model_);
  EXPECT_TRUE(names.starts_with("mu,v.1,")) << names;
  EXPECT_TRUE(names.ends_with(",sigma,p.1,p.2")) << names;
}

TEST_F(StanAbi, UnconstrainsJson) {
  const auto unconstrain = function<int(const bs_model*, const char*, double*, char**)>("bs_param_unconstrain_json");
  Vec x(36);
  ASSERT_EQ(unconstrain(model_,
                        R"({"mu":0, "v":[1,2,3], "A":[[4,6,8],[5,7,9]], "B":[[[10,14],[12,16]],[[11,15],[13,17]]],
                            "t":{"1":18,"2":[19,20]}, "u":[{"1":21,"2":[22,23]},{"1":24,"2":[25,26]}],
                            "z":[27,28], "w":[[29,30],[31,32]], "sigma":1, "p":[0.25,0.25,0.5]})",
                        x.data(), nullptr),
            0);
  EXPECT_EQ(x.head(33), Vec::LinSpaced(33, 0, 32));
  EXPECT_EQ(x[33], 0);
  EXPECT_DOUBLE_EQ(x[34], std::log(0.5));
  EXPECT_EQ(unconstrain(model_, R"({"mu":0})", x.data(), nullptr), -1);
}

// Differences of gradients 2e-5 apart: rounding errors of 1e-16 for each 1e-5, and fourth derivatives times 1e-10, in
// numbers below 100.
constexpr double of_differences = 1e-8;

TEST_F(StanAbi, DensityAndItsDerivatives) {
  const auto density = function<int(const bs_model*, bool, bool, const double*, double*, char**)>("bs_log_density");
  const auto gradient =
      function<int(const bs_model*, bool, bool, const double*, double*, double*, char**)>("bs_log_density_gradient");
  const auto hessian = function<int(const bs_model*, bool, bool, const double*, double*, double*, double*, char**)>(
      "bs_log_density_hessian");
  const auto product =
      function<int(const bs_model*, bool, bool, const double*, const double*, double*, double*, char**)>(
          "bs_log_density_hessian_vector_product");
  const Vec x = point();
  Vec grad(36), same(36), along(36);
  Eigen::MatrixXd second(36, 36);
  for (const bool jacobian : {false, true}) {
    double expected = 0, value = 0;
    ASSERT_EQ(gradient(model_, true, jacobian, x.data(), &expected, grad.data(), nullptr), 0);
    ASSERT_EQ(density(model_, true, jacobian, x.data(), &value, nullptr), 0);
    EXPECT_EQ(value, expected);
    ASSERT_EQ(hessian(model_, true, jacobian, x.data(), &value, same.data(), second.data(), nullptr), 0);
    EXPECT_EQ(value, expected);
    EXPECT_EQ(same, grad);
    EXPECT_LT((second.topLeftCorner(33, 33) + Eigen::MatrixXd::Identity(33, 33)).norm(), of_differences);
    EXPECT_NEAR(second(33, 33), -std::exp(x[33]), of_differences);
    EXPECT_LT((second - second.transpose()).norm(), of_differences);
    ASSERT_EQ(product(model_, true, jacobian, x.data(), x.data(), &value, along.data(), nullptr), 0);
    EXPECT_EQ(value, expected);
    EXPECT_LT((along - second * x).norm(), 36 * of_differences);
  }
}

}  // namespace
}  // namespace quasar
