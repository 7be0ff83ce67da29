// A Stan program as a target: its density, its values in our order, and every way it can fail.
#include "targets/stan_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/rng.hpp>

#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/stan_programs.hpp"
#include "support/temp_folder.hpp"
#include "targets/stan_library.hpp"

namespace quasar {
namespace {

using Texts = std::vector<std::string>;

StanModel model(const std::string& program, const std::string& data = "") {
  return StanModel(test::stan_program(program), {.data = data});
}

StanModel failing(const std::string& where) { return model("failing", R"({"fail": ")" + where + "\"}"); }

Vec point(Index dim) {
  Vec x(dim);
  Rng(7).stream("point").normals(x);
  return x;
}

Vec values_at(StanModel& target, const Vec& x, const Rng& rng = Rng(1)) {
  Vec values(target.layout().size());
  target.constrain(x, values, rng);
  return values;
}

std::map<std::string, double> named_values(StanModel& target, const Vec& x) {
  const auto names = element_names(target.layout());
  const Vec values = values_at(target, x);
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < names.size(); ++i) named[names[i]] = values[static_cast<Index>(i)];
  EXPECT_EQ(named.size(), names.size());
  return named;
}

TEST(StanModel, NameDimensionAndVariables) {
  const StanModel shapes = model("shapes");
  EXPECT_EQ(shapes.name(), "shapes");
  EXPECT_EQ(shapes.dim(), 36);
  EXPECT_EQ(shapes.threads(), Threads::any);
  EXPECT_TRUE(shapes.support().empty());
  Texts shown;
  for (const Variable& variable : shapes.layout().variables) {
    std::string text = variable.name;
    for (const Index size : variable.shape) text.append(" ").append(std::to_string(size));
    shown.push_back(text);
  }
  EXPECT_EQ(shown, (Texts{"mu", "v 3", "A 2 3", "B 2 2 2", "t:1", "t:2 2", "u:1 2", "u:2 2 2", "z.real", "z.imag",
                          "w.real 2", "w.imag 2", "sigma", "p 3", "squares 2 2", "noise 2 2"}));
  EXPECT_NO_THROW(check_layout(shapes.layout()));
}

// The program numbers its plain parameters in the order of its names, first index fastest.
TEST(StanModel, EveryValueHasItsName) {
  StanModel shapes = model("shapes");
  Vec x(36);
  for (Index i = 0; i < 33; ++i) x[i] = static_cast<double>(i);
  x.tail(3) << std::log(2.5), std::log(2.0), std::log(3.0);
  const auto value = named_values(shapes, x);
  const std::map<std::string, double> expected = {
      {"mu", 0},           {"v[1]", 1},         {"v[3]", 3},        {"A[1,1]", 4},     {"A[2,1]", 5},
      {"A[1,2]", 6},       {"A[1,3]", 8},       {"A[2,3]", 9},      {"B[1,1,1]", 10},  {"B[2,1,1]", 11},
      {"B[1,2,1]", 12},    {"B[1,1,2]", 14},    {"B[2,1,2]", 15},   {"B[2,2,2]", 17},  {"t:1", 18},
      {"t:2[1]", 19},      {"t:2[2]", 20},      {"u:1[1]", 21},     {"u:2[1,1]", 22},  {"u:2[1,2]", 23},
      {"u:1[2]", 24},      {"u:2[2,1]", 25},    {"u:2[2,2]", 26},   {"z.real", 27},    {"z.imag", 28},
      {"w.real[1]", 29},   {"w.imag[1]", 30},   {"w.real[2]", 31},  {"w.imag[2]", 32}, {"squares[1,1]", 0},
      {"squares[2,1]", 1}, {"squares[1,2]", 4}, {"squares[2,2]", 9}};
  for (const auto& [name, number] : expected) EXPECT_EQ(value.at(name), number) << name;
  EXPECT_DOUBLE_EQ(value.at("sigma"), 2.5);
  EXPECT_DOUBLE_EQ(value.at("p[1]"), 2.0 / 6);
  EXPECT_DOUBLE_EQ(value.at("p[2]"), 3.0 / 6);
  EXPECT_DOUBLE_EQ(value.at("p[3]"), 1.0 / 6);
}

TEST(StanModel, UnconstrainUndoesConstrain) {
  StanModel shapes = model("shapes");
  const Vec x = point(shapes.dim());
  Vec values = values_at(shapes, x), back(shapes.dim());
  values.tail(8).setConstant(std::nan(""));  // derived: not needed
  shapes.unconstrain(values, back);
  EXPECT_LT((back - x).norm(), 1e-12);
}

TEST(StanModel, ValuesThatCannotBe) {
  const StanModel shapes = model("shapes");
  Vec x(shapes.dim());
  EXPECT_EQ(test::error_message<UsageError>([&] { shapes.unconstrain(Vec::Constant(45, -1.0), x); }),
            "sigma must be positive");
}

// The density of sigma ~ exponential(1) in log(sigma), and of Dirichlet(2, 2, 2), has the Jacobians.
TEST(StanModel, DensityWithJacobianAndWithoutConstants) {
  StanModel shapes = model("shapes");
  const Vec x = point(shapes.dim());
  Vec grad(shapes.dim());
  const Eval at = shapes.logp_grad(x, grad);
  const double sum = std::exp(x[34]) + std::exp(x[35]) + 1;
  const double expected =
      -0.5 * x.head(33).squaredNorm() - std::exp(x[33]) + x[33] + 2 * (x[34] + x[35] - 3 * std::log(sum));
  EXPECT_TRUE(at.ok);
  EXPECT_NEAR(at.logp, expected, 1e-12 * std::abs(expected));
  EXPECT_TRUE(check_gradient(shapes, x).ok);
}

TEST(StanModel, PartsCanBeLeftOut) {
  const auto variables = [](bool transformed, bool generated) {
    const StanModel target(test::stan_program("gaussian"), {.transformed = transformed, .generated = generated});
    return element_names(target.layout());
  };
  EXPECT_EQ(variables(true, true), (Texts{"a", "b[1]", "b[2]", "total", "again"}));
  EXPECT_EQ(variables(true, false), (Texts{"a", "b[1]", "b[2]", "total"}));
  EXPECT_EQ(variables(false, true), (Texts{"a", "b[1]", "b[2]", "again"}));
  EXPECT_EQ(variables(false, false), (Texts{"a", "b[1]", "b[2]"}));
  StanModel bare(test::stan_program("gaussian"), {.transformed = false, .generated = false});
  const Vec x = point(3);
  EXPECT_EQ(values_at(bare, x), x);
}

TEST(StanModel, GeneratedQuantitiesDependOnTheDrawAlone) {
  StanModel gaussian = model("gaussian");
  const auto fork = gaussian.fork();
  const Vec x = point(3);
  const Rng rng(5, 2);
  std::set<double> seen;
  Vec again(5);
  for (std::uint64_t iteration = 0; iteration < 100; ++iteration) {
    const Vec values = values_at(gaussian, x, rng.at(iteration));
    seen.insert(values[4]);
    fork->constrain(x, again, rng.at(iteration));
    EXPECT_EQ(values, again);
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(StanModel, DataReachTheProgram) {
  const test::TempFolder folder;
  const auto mode = [](StanModel target) {  // the first coordinate of it
    Vec grad(3);
    target.logp_grad(Vec::Zero(3), grad);
    const double at_zero = grad[0];
    target.logp_grad(Vec::Unit(3, 0), grad);
    return at_zero / (at_zero - grad[0]);
  };
  const double shift = mode(model("gaussian", R"({"y":5})")) - mode(model("gaussian"));
  EXPECT_NEAR(shift, 4, 1e-12);
  EXPECT_EQ(mode(model("gaussian", folder.write("data.json", R"({"y":5})"))), mode(model("gaussian", R"({"y":5})")));
}

TEST(StanModel, TheSeedReachesTheProgram) {
  const auto grad_at_zero = [](const StanOptions& options) {
    StanModel target(test::stan_program("gaussian"), options);
    Vec grad(3);
    target.logp_grad(Vec::Zero(3), grad);
    return grad[0];
  };
  const double by_seed = grad_at_zero({.data = R"({"take_seed":1})", .seed = 42});
  EXPECT_EQ(by_seed, grad_at_zero({.data = R"({"y":42})"}));
  EXPECT_NE(by_seed, grad_at_zero({.data = R"({"take_seed":1})", .seed = 42 + (std::uint64_t{1} << 32)}));
}

TEST(StanModel, DataThatTheProgramRefuses) {
  EXPECT_EQ(test::error_message<DataError>(
                [] { StanModel(test::stan_program("gaussian"), {.data = R"({"y":-1})", .data_file = "d.json"}); }),
            "d.json: the model refuses the data: y is negative, but must be positive");
  EXPECT_NE(test::error_message<DataError>([] { model("gaussian", std::string("{}\0{", 4)); }).find("no text"),
            std::string::npos);
  EXPECT_NE(test::error_message<DataError>([] { failing("construct"); }).find("refuses the data: failed in construct"),
            std::string::npos);
  EXPECT_NE(test::error_message<DataError>([] { failing("construct without a word"); }).find("it does not say why"),
            std::string::npos);
}

TEST(StanModel, ProgramsThatContradictThemselves) {
  const std::map<std::string, std::string> causes = {
      {"no name", "bs_name gives nothing"},
      {"no names", "bs_param_names gives nothing"},
      {"bad names", "value 2 has a name that no Stan program can have given it"},
      {"empty name", "value 2 has a name that no Stan program can have given it"},
      {"too many names", "names 4 values and says that it has 3"},
      {"negative count", "bs_param_num gives -1"},
      {"falling count", "has 3 parameters, 2 values with some more and 1 with all"},
      {"negative dimension", "bs_param_unc_num gives -1"}};
  for (const auto& [where, cause] : causes) {
    const std::string name = where;
    EXPECT_EQ(test::error_message<DataError>([&] { failing(name); }), test::stan_program("failing") + ": " + cause);
  }
  EXPECT_EQ(test::error_message<UsageError>([] { failing("no parameters"); }),
            test::stan_program("failing") + ": the model has no parameters to sample");
  EXPECT_THROW(check_layout(failing("two of a name").layout()), UsageError);
}

TEST(StanModel, RejectedPoints) {
  Vec grad(1);
  const auto rejection = [&](const std::string& where) {
    const test::PassedOn quiet;
    StanModel target = failing(where);
    const Eval at = target.logp_grad(Vec::Ones(1), grad);
    EXPECT_FALSE(at.ok) << where;
    return std::string(target.rejection());
  };
  EXPECT_EQ(rejection("density"), "failed in density");
  EXPECT_EQ(rejection("density without a word"), "it does not say why");
  EXPECT_EQ(rejection("nan"), "the log density is nan");
  EXPECT_EQ(rejection("infinite"), "the log density is inf");
  EXPECT_EQ(rejection("minus infinite"), "the log density is -inf");
  const test::PassedOn quiet;
  EXPECT_EQ(failing("density").logp_grad(Vec::Ones(1), grad).logp, -std::numeric_limits<double>::infinity());
}

TEST(StanModel, RejectionsAreToldAFewTimesForAllForks) {
  const test::PassedOn passed_on;
  StanModel half = model("half_normal");
  const auto fork = half.fork();
  Vec grad(1);
  for (int i = 1; i <= 20; ++i) {
    half.logp_grad(Vec::Constant(1, -i), grad);
    fork->logp_grad(Vec::Constant(1, -i), grad);
    EXPECT_TRUE(half.logp_grad(Vec::Constant(1, i), grad).ok);
  }
  ASSERT_EQ(passed_on.texts().size(), 6U);
  EXPECT_EQ(passed_on.texts().front(), "half_normal: a point is rejected: x is -1.000000\n");
  EXPECT_EQ(passed_on.texts().back(), "half_normal: a point is rejected: more reasons are not shown\n");
}

TEST(StanModel, DensitiesThatAreNotFiniteAreToldOnceAndWithoutAllocations) {
  const test::PassedOn passed_on;
  StanModel target = failing("nan");
  const Vec x = Vec::Ones(1);
  Vec grad(1);
  target.logp_grad(x, grad);
  const long before = test::allocation_count;
  for (int i = 0; i < 100; ++i) target.logp_grad(x, grad);
  EXPECT_EQ(test::allocation_count, before);
  EXPECT_EQ(passed_on.texts(), (Texts{"failing: a point is rejected: the log density is nan\n"}));
}

TEST(StanModel, WhatCanBeComputedOfADrawIsKept) {
  const test::PassedOn passed_on;
  const auto kept = [](const std::string& where) {
    StanModel target = failing(where);
    const Vec values = values_at(target, Vec::Ones(1));
    std::string text;
    for (const double value : values) text += std::isnan(value) ? "-" : std::to_string(static_cast<int>(value));
    return text;
  };
  EXPECT_EQ(kept(""), "123");
  EXPECT_EQ(kept("remark"), "123");
  EXPECT_TRUE(passed_on.texts().empty());
  EXPECT_EQ(kept("generated"), "12-");
  EXPECT_EQ(kept("rng"), "12-");
  EXPECT_EQ(kept("rng without a word"), "12-");
  EXPECT_EQ(kept("transformed"), "1--");
  EXPECT_EQ(passed_on.texts().front(), "failing: not all values of a draw can be computed: failed in generated\n");
  EXPECT_EQ(test::error_message<RunError>([&] { kept("parameters"); }),
            "failing: the parameters of a draw cannot be computed: failed in parameters");
}

TEST(StanModel, FailureToUnconstrain) {
  const StanModel target = failing("unconstrain");
  Vec x(1);
  EXPECT_EQ(test::error_message<UsageError>([&] { target.unconstrain(Vec::Ones(3), x); }), "failed in unconstrain");
}

TEST(StanModel, WithoutThreadsWhereNothingIsSaid) {
  EXPECT_EQ(failing("").threads(), Threads::any);
  EXPECT_THROW(failing("no info"), UsageError);  // none, beside those with threads
}

TEST(StanModel, AnEvaluationDoesNotAllocate) {
  StanModel shapes = model("shapes");
  const Vec x = point(shapes.dim());
  Vec grad(shapes.dim());
  shapes.logp_grad(x, grad);
  const long before = test::allocation_count;
  for (int i = 0; i < 100; ++i) shapes.logp_grad(x, grad);
  EXPECT_EQ(test::allocation_count, before);
}

}  // namespace
}  // namespace quasar
