// Regression of every family, prior and grouping against its definition in terms of Boost's densities.
#include "support/regression.hpp"

#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>

#include "models/regression/gamma_functions.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"

namespace quasar {
namespace {

using boost::math::pdf;
using test::make_table_for, test::regression;

const std::vector<std::string> priors = {"normal", "student_t", "laplace", "horseshoe"};
constexpr double prior_sd = 1.7, prior_df = 4.5, prior_global_scale = 0.6, intercept_sd = 2.3, scale_sd = 0.8;

Settings settings_of(const std::string& prior, bool groups) {
  Settings settings = {
      {"prior", prior}, {"prior_sd", "1.7"}, {"intercept_prior_sd", "2.3"}, {"scale_prior_sd", "0.8"}, {"group", ""}};
  if (prior == "student_t") settings["prior_df"] = "4.5";
  if (prior == "horseshoe") settings["prior_global_scale"] = "0.6";
  if (groups) settings["group"] = "g";
  return settings;
}

Response response_of(const std::string& model) {
  if (model == "linear") return Response::number;
  if (model == "logistic") return Response::binary;
  return model == "softmax" ? Response::classes : Response::counts;
}

double log_normal(double x, double sd) { return std::log(pdf(boost::math::normal(0, sd), x)); }
double log_half_cauchy(double log_x, double scale) {  // of log x
  return std::log(2 * pdf(boost::math::cauchy(0, scale), std::exp(log_x))) + log_x;
}
double log_half_normal(double log_x, double sd) { return std::log(2.0) + log_normal(std::exp(log_x), sd) + log_x; }

// The model once more, from densities that are written elsewhere.
struct Definition {
  std::string model, prior;
  Design design;
  Index outputs, groups;

  Definition(std::string m, std::string p, const Table& table, bool grouped)
      : model(std::move(m)),
        prior(std::move(p)),
        design(table, {.group = grouped ? "g" : ""}, response_of(model)),
        outputs(model == "softmax" ? std::ssize(design.classes()) - 1 : 1),
        groups(std::ssize(design.groups())) {}

  double logp(const Vec& x) const {
    const Index n = design.coefficients(), columns = n - 1;
    Mat b = Eigen::Map<const Mat>(x.data(), n, outputs);
    double sum = 0;
    for (Index k = 0; k < outputs; ++k) {
      sum += log_normal(b(0, k), intercept_sd);
      for (Index j = 1; j < n; ++j) sum += coefficient(b(j, k));
    }
    Index at = n * outputs;
    if (prior == "horseshoe") {
      sum += log_half_cauchy(x[at], prior_global_scale);
      for (Index k = 0; k < outputs; ++k) {
        for (Index j = 1; j < n; ++j) {
          const double local = x[at + k * columns + j], product = std::exp(x[at] + local);
          sum += log_half_cauchy(local, 1);
          b(j, k) *= product * prior_sd / std::sqrt(prior_sd * prior_sd + product * product);
        }
      }
      at += 1 + columns * outputs;
    }
    double s = 0;
    if (model == "linear" || model == "negative-binomial") {
      s = x[at++];
      sum += log_half_normal(s, model == "linear" ? scale_sd : 1);
    }
    Mat z = design.x() * b;
    for (Index k = 0; groups > 0 && k < outputs; ++k) {
      sum += log_half_normal(x[at + k], scale_sd);
      for (Index g = 0; g < groups; ++g) sum += log_normal(x[at + outputs + k * groups + g], 1);
      for (Index i = 0; i < z.rows(); ++i) {
        const Index g = design.group()[static_cast<std::size_t>(i)];
        z(i, k) += std::exp(x[at + k]) * x[at + outputs + k * groups + g];
      }
    }
    for (Index i = 0; i < z.rows(); ++i) sum += response(design.y()[i], z.row(i), s);
    return sum;
  }

 private:
  double coefficient(double b) const {
    if (prior == "normal") return log_normal(b, prior_sd);
    if (prior == "student_t") return std::log(pdf(boost::math::students_t(prior_df), b / prior_sd));
    if (prior == "laplace") return std::log(pdf(boost::math::laplace(0, prior_sd / std::numbers::sqrt2), b));
    return log_normal(b, 1);
  }

  double response(double y, const Vec& z, double s) const {
    if (model == "linear") return std::log(pdf(boost::math::normal(z[0], std::exp(s)), y));
    if (model == "poisson") return std::log(pdf(boost::math::poisson(std::exp(z[0])), y));
    if (model == "negative-binomial") {
      const double d = std::exp(-2 * s);
      return std::log(pdf(boost::math::negative_binomial(d, d / (d + std::exp(z[0]))), y));
    }
    const double own = y > 0 ? std::exp(z[static_cast<Index>(y) - 1]) : 1;
    return std::log(own / (1 + z.array().exp().sum()));
  }
};

TEST(Regression, HasTheDensityOfItsDefinition) {
  for (const std::string& model : test::regression_models) {
    for (const std::string& prior : priors) {
      for (const bool grouped : {false, true}) {
        SCOPED_TRACE(model + ", " + prior + (grouped ? ", groups" : ""));
        const Table table = make_table_for(model, 40, 3, grouped ? 3 : 0);
        const auto target = regression(model, table, settings_of(prior, grouped));
        const Definition definition(model, prior, table, grouped);
        Vec grad(target->dim());
        const auto both = [&](double phase) {
          Vec x(target->dim());
          for (Index i = 0; i < x.size(); ++i) x[i] = 0.8 * std::sin(phase + 1.3 * static_cast<double>(i));
          return Vec{{target->logp_grad(x, grad).logp, definition.logp(x)}};
        };
        const Vec difference = both(0.4) - both(2.9);  // constants that neither has to have cancel
        EXPECT_NEAR(difference[0], difference[1], 1e-11 * std::max(1.0, std::fabs(both(2.9)[1])));
      }
    }
  }
}

TEST(Regression, ReportsOnTheOriginalScale) {
  for (const std::string& model : test::regression_models) {
    SCOPED_TRACE(model);
    const Table table = make_table_for(model, 60, 2, 3);
    const auto target = regression(model, table, {{"group", "g"}});
    const Design design(table, {.group = "g"}, response_of(model));
    const Index outputs = model == "softmax" ? 2 : 1, n = 3;
    const double unit = design.response_scale().sd;
    const Vec x = Vec::LinSpaced(target->dim(), -0.9, 0.7);
    Vec values(target->layout().size());
    target->constrain(x, values, Rng(1));
    const Vec effects = values.tail(3 * outputs);
    for (Index k = 0; k < outputs; ++k) {
      const Vec beta = values.segment(outputs + 2 * k, 2);
      const Vec from_table = (table.values.middleCols(1, 2) * beta).array() + values[k];
      const Vec fitted = design.response_scale().mean + unit * (design.x() * x.segment(n * k, n)).array();
      EXPECT_LT((from_table - fitted).norm(), 1e-12 * fitted.norm()) << k;
      const double spread = values[values.size() - 4 * outputs + k];
      EXPECT_DOUBLE_EQ(spread, unit * std::exp(x[x.size() - 4 * outputs + k])) << k;
      for (Index g = 0; g < 3; ++g) EXPECT_DOUBLE_EQ(effects[3 * k + g], spread * x[x.size() - 3 * (outputs - k) + g]);
    }
    const Index scale = n * outputs;
    if (model != "linear" && model != "negative-binomial") continue;
    EXPECT_DOUBLE_EQ(values[scale], unit * std::exp(x[scale]));
  }
}

std::vector<std::string> described(const Layout& layout) {
  std::vector<std::string> all;
  for (const Variable& variable : layout.variables) {
    std::string text = variable.name;
    for (std::size_t i = 0; i < variable.dims.size(); ++i) {
      text += " " + variable.dims[i] + "=" + std::to_string(variable.shape[i]);
    }
    all.push_back(text);
  }
  return all;
}

TEST(Regression, NamesWhatItReports) {
  const auto layout_of = [](const std::string& model, const Settings& settings) {
    return regression(model, make_table_for(model, 40, 3, 5), settings)->layout();
  };
  using Names = std::vector<std::string>;
  const Settings all = {{"group", "g"}, {"prior", "horseshoe"}};
  EXPECT_EQ(described(layout_of("linear", all)),
            (Names{"intercept", "beta predictor=3", "global_scale", "local_scale predictor=3", "sigma", "group_sd",
                   "group_effect group=5"}));
  EXPECT_EQ(described(layout_of("negative-binomial", {{"group", "g"}})),
            (Names{"intercept", "beta predictor=3", "overdispersion", "group_sd", "group_effect group=5"}));
  const Layout softmax = layout_of("softmax", all);
  EXPECT_EQ(described(softmax),
            (Names{"intercept class=2", "beta class=2 predictor=3", "global_scale", "local_scale class=2 predictor=3",
                   "group_sd class=2", "group_effect class=2 group=5"}));
  EXPECT_EQ(softmax.coords.at("class"), (Names{"1", "2"}));
  EXPECT_EQ(softmax.coords.at("predictor"), (Names{"x1", "x2", "x3"}));
  EXPECT_EQ(softmax.coords.at("group"), (Names{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(described(layout_of("poisson", {{"intercept", "false"}})), (Names{"beta predictor=4"}));
}

TEST(Regression, AParameterOfAnotherPriorIsAMistake) {
  const auto refusal = [](const Settings& settings) {
    return test::error_message<UsageError>([&] { regression("poisson", make_table_for("poisson", 40, 2), settings); });
  };
  EXPECT_EQ(refusal({{"prior_df", "4"}}), "model.prior_df belongs to model.prior=student_t, and the prior is normal");
  EXPECT_EQ(refusal({{"prior", "laplace"}, {"prior_global_scale", "0.1"}}),
            "model.prior_global_scale belongs to model.prior=horseshoe, and the prior is laplace");
  const Settings defaults = {{"prior_df", "3.0"}, {"prior_global_scale", "1"}};
  EXPECT_NO_THROW(regression("poisson", make_table_for("poisson", 40, 2), defaults));
}

TEST(Regression, TheNarrowestPriorHasADensity) {
  const auto target = regression("logistic", make_table_for("logistic", 40, 2), {{"prior_sd", "1e-100"}});
  Vec grad(3);
  EXPECT_TRUE(target->logp_grad(Vec{{0.3, 1e-101, 0}}, grad).ok);
}

TEST(Regression, ScalesMustBePositive) {
  const auto refusal = [](const std::string& model, const Settings& settings, Index scale) {
    const auto target = regression(model, make_table_for(model, 40, 2, 3), settings);
    Vec values = Vec::Ones(target->layout().size()), x(target->dim());
    target->unconstrain(values, x);
    EXPECT_TRUE(x.allFinite());
    values[scale] = 0;
    return test::error_message<UsageError>([&] { target->unconstrain(values, x); });
  };
  const Settings groups = {{"group", "g"}};
  EXPECT_EQ(refusal("linear", groups, 3), "sigma must be positive");
  EXPECT_EQ(refusal("negative-binomial", groups, 3), "overdispersion must be positive");
  EXPECT_EQ(refusal("poisson", groups, 3), "group_sd must be positive");
  EXPECT_EQ(refusal("softmax", groups, 7), "group_sd must be positive");
  EXPECT_EQ(refusal("poisson", {{"group", "g"}, {"prior", "horseshoe"}}, 5),
            "the scales of a horseshoe must be positive");
}

TEST(Regression, AGradientAllocatesNothing) {
  for (const std::string& model : test::regression_models) {
    for (const Index columns : {3, 40}) {
      if (model == "softmax" && columns == 40) continue;  // OpenBLAS allocates in some products of small matrices
      const auto target = regression(model, make_table_for(model, 300, columns, 4), settings_of("horseshoe", true));
      const Vec x = Vec::LinSpaced(target->dim(), -0.2, 0.1);
      const Index ids[] = {7, 250, 3};
      Vec grad(x.size());
      target->logp_grad(x, grad);
      const long before = test::allocation_count;
      target->logp_grad(x, grad);
      target->add_terms(x, ids, 100, grad, Want::gradient);
      EXPECT_EQ(test::allocation_count, before) << model << ", " << columns << " columns";
    }
  }
}

TEST(Softmax, OfTwoClassesIsLogistic) {
  const Table table = test::make_table(200, 3, true);
  const auto two = regression("softmax", table), one = regression("logistic", table);
  const Vec x{{0.3, -1, 0.5, 2}};
  Vec grad(4), expected(4);
  EXPECT_NEAR(two->logp_grad(x, grad).logp, one->logp_grad(x, expected).logp, 1e-11);
  EXPECT_LT((grad - expected).norm(), 1e-11);
}

TEST(Softmax, IsStableFarFromTheData) {
  const Table table{"memory", {"a", "y"}, Mat{{1, 0}, {1, 1}, {1, 2}}, {}};
  const auto target = regression("softmax", table, {{"standardize", "false"}, {"intercept", "false"}});
  Vec grad(2);
  for (const double far : {800.0, 1e4, 1e9}) {
    const Eval at = target->logp_grad(Vec{{far, -far}}, grad);  // z = (far, -far): the second class is certain
    EXPECT_TRUE(at.ok);
    EXPECT_NEAR(at.logp, -far - 2 * far - 2 * far * far / 200, 1e-12 * far * far);
    EXPECT_NEAR(grad[0], 1 - 3 - far / 100, 1e-12 * far);
    EXPECT_NEAR(grad[1], 1 + far / 100, 1e-12 * far);
  }
}

// e^710 is beyond what a double holds.
TEST(Counts, MeansThatOverflowAreRejected) {
  const Table table{"memory", {"a", "y"}, Mat{{1, 3}, {1, 0}}, {}};
  const Settings plain = {{"standardize", "false"}, {"intercept", "false"}};
  const auto poisson = regression("poisson", table, plain);
  Vec grad(1);
  EXPECT_TRUE(poisson->logp_grad(Vec{{700}}, grad).ok);
  EXPECT_FALSE(poisson->logp_grad(Vec{{720}}, grad).ok);
  grad.setZero();
  EXPECT_FALSE(poisson->add_range(Vec{{720}}, 0, 2, 1, grad, Want::gradient).ok);
}

// log p -> -d log(1 + e^z/d) + ...: the negative binomial falls off like e^(-d z) and needs no e^z.
TEST(Counts, TheNegativeBinomialReachesFurther) {
  const Table table{"memory", {"a", "y"}, Mat{{1, 3}}, {}};
  const auto target = regression("negative-binomial", table, {{"standardize", "false"}, {"intercept", "false"}});
  Vec grad(2), nearer(2);
  const double d = std::exp(1.0);
  const Eval far = target->add_range(Vec{{900, -0.5}}, 0, 1, 1, grad.setZero(), Want::both);
  const Eval near = target->add_range(Vec{{800, -0.5}}, 0, 1, 1, nearer.setZero(), Want::both);
  EXPECT_TRUE(far.ok && near.ok);
  EXPECT_NEAR(far.logp - near.logp, -100 * d, 1e-9);
  EXPECT_NEAR(grad[0], -d, 1e-12);
  for (const double s : {-400.0, 400.0}) {  // an overdispersion of 0, or infinite
    EXPECT_FALSE(target->logp_grad(Vec{{1, s}}, grad).ok) << s;
    EXPECT_FALSE(target->add_range(Vec{{1, s}}, 0, 1, 1, grad.setZero(), Want::gradient).ok) << s;
  }
}

TEST(Counts, MayBeLarge) {
  const Table table{"memory", {"a", "y"}, Mat{{1, 1e9}, {0.5, 31000}, {-1, 0}}, {}};
  for (const std::string model : {"poisson", "negative-binomial"}) {
    const auto target = regression(model, table, {{"standardize", "false"}, {"intercept", "false"}});
    Vec x(target->dim());
    x.setConstant(-0.4);
    x[0] = 20.7;  // log 1e9
    const GradientCheck check = check_gradient(*target, x);
    EXPECT_TRUE(check.ok) << model << ": " << check.message;
  }
}

// Without overdispersion the negative binomial is Poisson's law.
TEST(Counts, TheNegativeBinomialTendsToPoisson) {
  const Table table = make_table_for("poisson", 50, 2);
  const auto poisson = regression("poisson", table), dispersed = regression("negative-binomial", table);
  const Vec b{{0.5, -0.3, 0.2}}, s = Vec::Constant(1, -16);  // overdispersion e^-16
  Vec x(4), grad(3), wider(4);
  x << b, s;
  const double expected = poisson->add_range(b, 0, 50, 1, grad.setZero(), Want::both).logp;
  EXPECT_NEAR(dispersed->add_range(x, 0, 50, 1, wider.setZero(), Want::both).logp, expected, 1e-10);
  EXPECT_LT((wider.head(3) - grad).norm(), 1e-9);
  EXPECT_NEAR(wider[3], 0, 1e-9);
}

// Against 50 digits. What the sums may lose is a few units in the last place of their largest term; what Stirling's
// series leave out is 2e-14, for the slope times a.
TEST(GammaRatio, AgreesWithHighPrecision) {
  using Big = boost::multiprecision::cpp_bin_float_50;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (const double a : {1e-3, 0.5, 3.0, 15.99, 16.0, 17.3, 400.0, 1e6, 1e12}) {
    for (const double n : {0.0, 1.0, 7.0, 1000.0, 1e9}) {
      const Big x(a), top = x + n;
      const Big log = boost::math::lgamma(top) - boost::math::lgamma(x) - n * boost::multiprecision::log(x);
      const Big slope = x * (boost::math::digamma(top) - boost::math::digamma(x));
      const GammaRatio::Value ratio = GammaRatio(a)(n);
      const double largest = (a + n) * std::log1p(n / a) + n * std::fabs(std::log(a)) + std::fabs(std::lgamma(a + n));
      const double bound_log = 2e-14 + 4 * eps * (a < 16 ? largest : (a + n) * std::log1p(n / a));
      EXPECT_NEAR(ratio.log, log.convert_to<double>(), bound_log) << a << " " << n;
      EXPECT_NEAR(ratio.slope, slope.convert_to<double>(), 2e-13 + 8 * eps * std::fabs(ratio.slope)) << a << " " << n;
    }
  }
}

TEST(Logistic, HasAMetricOnlyWhereItIsKnown) {
  const Table table = make_table_for("logistic", 40, 2, 3);
  EXPECT_NE(regression("logistic", table)->geometry(), nullptr);
  EXPECT_NE(regression("logistic", table)->hessian(), nullptr);
  for (const Settings& other : {Settings{{"group", "g"}}, Settings{{"prior", "laplace"}}}) {
    EXPECT_EQ(regression("logistic", table, other)->geometry(), nullptr);
    EXPECT_EQ(regression("logistic", table, other)->hessian(), nullptr);
  }
}

}  // namespace
}  // namespace quasar
