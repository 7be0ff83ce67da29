// Gamma processes against digits of quadrature and series: what truncation misses, the conditional law of an atom, the
// integer weights of documents. And SGP: the same bits however it is run. No statistics.
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/gamma_process.hpp>

#include "models/topics/gamma_process_prior.hpp"
#include "models/topics/integer_weights.hpp"
#include "models/topics/sgp.hpp"
#include "support/error_message.hpp"
#include "support/sparse_documents.hpp"

namespace quasar {
namespace {

struct Truncation {
  GammaProcess process;
  double draws;
  Index rounds;
  double error, bound;
};

constexpr Truncation truncations[] = {
    {{2, 1.5, 1}, 10, 5, .88856071, .98075718},  {{2, 1.5, 1}, 10, 20, .00884879, .00898128},
    {{1, 3, 2}, 100, 10, .10974915, .13626077},  {{1, 3, 2}, 100, 15, .00436841, .00456718},
    {{4, 1, 1}, 1000, 40, .35142830, .41238964},
};

TEST(GammaProcess, MissesWhatItIsKnownToMiss) {
  for (const Truncation& t : truncations) {
    EXPECT_NEAR(truncation_error(t.process, t.draws, t.rounds), t.error, 5e-9);
    EXPECT_NEAR(truncation_bound(t.process, t.draws, t.rounds), t.bound, 5e-9);
  }
}

// gamma [alpha log(1 + N/c) - sum_{r <= R} E(N W_r / (c + N W_r))], W_r = e^-T: every round by itself.
double error_by_rounds(const GammaProcess& p, double draws, Index rounds) {
  double seen = p.alpha * std::log1p(draws / p.c);
  boost::math::quadrature::exp_sinh<double> integrator;
  for (Index r = 1; r <= rounds; ++r) {
    const auto shape = static_cast<double>(r);
    seen -= integrator.integrate([&](double t) {
      return p.alpha * boost::math::gamma_p_derivative(shape, p.alpha * t) * draws / (p.c * std::exp(t) + draws);
    });
  }
  return -std::expm1(-p.gamma * seen);
}

TEST(GammaProcess, MissesWhatTheRoundsLeave) {
  for (const double alpha : {0.05, 0.7, 3.0, 60.0}) {
    for (const double draws : {0.5, 40.0, 1e6}) {
      const GammaProcess process{alpha, 0.8, 1.7};
      EXPECT_NEAR(truncation_error(process, draws, 0), 1 - process.laplace(draws), 1e-14);
      for (const Index rounds : {1, 2, 7, 30}) {
        const double error = truncation_error(process, draws, rounds);
        EXPECT_NEAR(error, error_by_rounds(process, draws, rounds), 1e-10) << alpha << " " << draws << " " << rounds;
        EXPECT_LE(error, truncation_bound(process, draws, rounds));
      }
    }
  }
}

// What is missed at all is then a point of an atom too small to have two: the bound is nearly the error.
TEST(GammaProcess, IsNearTheBoundWhereItIsSmall) {
  for (const double alpha : {0.05, 1.0, 20.0}) {
    const GammaProcess process{alpha, 2, 0.5};
    const Index rounds = rounds_for_bound(process, 1000, 1e-30);
    const double error = truncation_error(process, 1000, rounds), bound = truncation_bound(process, 1000, rounds);
    EXPECT_LE(bound, 1e-30);
    EXPECT_LE(error, bound * (1 + 1e-12));
    EXPECT_GT(error, 0.9 * bound);
  }
  const GammaProcess slow{1e6, 1, 1};  // hardly anything is missed but by the later rounds: a step that is narrow
  const Index rounds = rounds_for_bound(slow, 10, 1e-6);
  EXPECT_NEAR(truncation_error(slow, 10, rounds), truncation_bound(slow, 10, rounds), 1e-11);
  EXPECT_LE(truncation_error(slow, 10, rounds), truncation_bound(slow, 10, rounds));
}

TEST(GammaProcess, NeedsNoMoreRoundsThanItSays) {
  for (const Truncation& t : truncations) {
    for (const double error : {0.5, 1e-2, 1e-6}) {
      const Index by_bound = rounds_for_bound(t.process, t.draws, error),
                  by_error = rounds_for_error(t.process, t.draws, error);
      EXPECT_LE(truncation_bound(t.process, t.draws, by_bound), error);
      EXPECT_GT(truncation_bound(t.process, t.draws, by_bound - 1), error);
      EXPECT_LE(truncation_error(t.process, t.draws, by_error), error);
      EXPECT_GT(truncation_error(t.process, t.draws, by_error - 1), error);
    }
  }
  EXPECT_EQ(rounds_for_bound({0.1, 0.1, 10}, 1, 0.5), 1);  // at least one
}

TEST(GammaProcess, HasTheMassOfItsRounds) {
  const GammaProcess process{2, 1.5, 0.8};
  double mass = 0, laplace_exponent = 0;
  for (Index i = 1; i < 200; ++i) mass += process.gamma * process.mean_weight(i);
  EXPECT_NEAR(mass, process.mean_mass(), 1e-12);
  EXPECT_NEAR(process.mean_mass_beyond(3),
              mass - process.gamma * (process.mean_weight(1) + process.mean_weight(2) + process.mean_weight(3)), 1e-12);
  boost::math::quadrature::exp_sinh<double> integrator;
  const auto moment = [&](int power) {
    return integrator.integrate([&](double p) { return std::pow(p, power) * process.rate(p); });
  };
  EXPECT_NEAR(moment(1), process.mean_mass(), 1e-9);
  EXPECT_NEAR(moment(2), process.mass_variance(), 1e-9);
  laplace_exponent = integrator.integrate([&](double p) { return -std::expm1(-1.3 * p) * process.rate(p); });
  EXPECT_NEAR(process.laplace(1.3), std::exp(-laplace_exponent), 1e-9);
}

TEST(GammaProcess, SaysWhatIsWrong) {
  Stream draws = Rng(1).stream("draws");
  EXPECT_THROW(truncation_error({-1, 1, 1}, 10, 3), UsageError);
  EXPECT_THROW(truncation_bound({1, NAN, 1}, 10, 3), UsageError);
  EXPECT_THROW(rounds_for_bound({1, 1, 1}, 10, 0), UsageError);
  EXPECT_THROW(rounds_for_error({1, 1, 1}, 0, 0.1), UsageError);
  for (const double alpha : {1e16, 1e20, 1e308}) {
    EXPECT_NE(test::error_message<UsageError>([&] {
                rounds_for_bound({alpha, 1, 1}, 10, 0.1);
              }).find("1e+15 are the"),
              std::string::npos);
    EXPECT_THROW(rounds_for_error({alpha, 1, 1}, 10, 0.1), UsageError);
  }
  EXPECT_NE(test::error_message<UsageError>([&] {
              rounds_for_error({1e12, 1, 1}, 10, 0.1);
            }).find("by the bound"),
            std::string::npos);
  EXPECT_EQ(rounds_for_bound({1e20, 1e-300, 1}, 10, 0.1), 1);  // where nothing is missed
  EXPECT_EQ(test::error_message<UsageError>([&] {
              draw_gamma_process({1, 1, 0}, 3, draws);
            }),
            "gamma process: c has to be a positive number, not 0");
  EXPECT_EQ(draw_gamma_process({1, 1, 1}, 0, draws).weights.size(), 0);
}

TEST(GammaProcessPrior, SumsOverRounds) {
  for (const Index rounds : {1, 2, 10, 100, 1000}) {
    for (const double y : {1e-300, 1e-3, 0.7, 9.0, 99.0, 650.0}) {
      const double exact = boost::math::gamma_q(static_cast<double>(rounds), y);
      EXPECT_NEAR(upper_gamma(rounds, y).log, std::log(exact), 1e-11 * (1 + static_cast<double>(rounds)));
    }
  }
  EXPECT_NEAR(upper_gamma(1, 1e5).log, -1e5, 1e-9);  // where Q itself is 0
}

// p(Z_k = (2, 0, 1) | d) = int c w^Z Z! / ((c + 3 w)^(Z+1) prod z!) dGamma(T; d, alpha), w = e^-T; its mean over the
// rounds d = 1..R by the density that slices of T are drawn of.
TEST(GammaProcessPrior, HasTheDensityOfT) {
  constexpr double alpha = 1.3, c = 0.8, z = 3, z_factorial = 6, product_of_factorials = 2;
  const auto p = [&](Index rounds) {
    boost::math::quadrature::tanh_sinh<double> integrator;
    const double integral = integrator.integrate(
        [&](double eta) { return std::exp(log_density_of_log_T(eta, rounds, z, 3, alpha, c)); }, -60, 6);
    return c * z_factorial / product_of_factorials * alpha / static_cast<double>(rounds) * integral;
  };
  EXPECT_NEAR(p(1), .009553095317902311, 1e-14);
  EXPECT_NEAR(2 * p(2) - p(1), .006503308779570565, 1e-14);
  EXPECT_NEAR(5 * p(5) - 4 * p(4), .0009902370996609055, 1e-14);
}

TEST(IntegerWeights, HaveTheMeansTheyAreKnownToHave) {
  EXPECT_NEAR(IntegerWeights().mean(0, 1.7), .625395050, 5e-10);
  EXPECT_NEAR(std::exp(-1.7 / std::numbers::e), .535050015, 5e-10);  // the probability of none
  EXPECT_NEAR(IntegerWeights().mean(1, 1.7), 1.625395050, 5e-10);
  EXPECT_NEAR(IntegerWeights().mean(4, 1.7), 2.855775577, 5e-10);
}

// E z = T_{x+1}(m) / T_x(m) with m = g / e and Touchard's polynomials T_{x+1} = m (T_x + T_x').
TEST(IntegerWeights, HaveTheMeansOfTouchardsPolynomials) {
  for (const double g : {1e-6, 0.3, 4.0, 900.0}) {
    const double m = g / std::numbers::e;
    std::vector<double> polynomial = {1};  // its coefficients, over the largest
    const auto value = [&](const std::vector<double>& of) {
      double sum = 0;
      for (std::size_t i = of.size(); i-- > 0;) sum = sum * m + of[i];
      return sum;
    };
    for (std::uint32_t x = 0; x < 40; ++x) {
      std::vector<double> next(polynomial.size() + 1);
      for (std::size_t i = 0; i < polynomial.size(); ++i) {
        next[i + 1] += polynomial[i];
        next[i] += static_cast<double>(i) * polynomial[i];
      }
      if (x > 0) {
        EXPECT_NEAR(IntegerWeights().mean(x, g) / (value(next) / value(polynomial)), 1, 1e-10) << x << " " << g;
      }
      polynomial = next;
    }
  }
}

TEST(IntegerWeights, FollowTheirLaw) {  // by inversion: u below the probability of 1 .. z gives at most z
  for (const double g : {0.01, 1.7, 50.0}) {
    for (const std::uint32_t x : {1U, 2U, 9U, 300U}) {
      double mean = 0;
      constexpr int cells = 4000;
      for (int i = 0; i < cells; ++i) mean += IntegerWeights().draw(x, g, 1, (i + 0.5) / cells);
      EXPECT_NEAR(mean / cells / IntegerWeights().mean(x, g), 1, 2e-3) << g << " " << x;
      EXPECT_EQ(IntegerWeights().draw(x, g, 1, 0.4),
                IntegerWeights().draw(x, g, 500, 0.4));  // wherever the search begins
    }
  }
  EXPECT_GE(IntegerWeights().draw(1, 1e-300, 1, 0.999), 1U);
}

// Forty documents with two kinds of words, and one that is empty.
std::shared_ptr<const DocumentSource> two_kinds() {
  Corpus corpus;
  corpus.vocabulary = 12;
  Stream draws = Rng(3).stream("documents");
  for (int n = 0; n < 40; ++n) {
    std::vector<std::uint32_t> words, counts;
    for (std::uint32_t v = 0; v < 12 && n != 17; ++v) {
      const auto count = static_cast<std::uint32_t>(draws.poisson((v < 6) == (n < 20) ? 3 : 0.1));
      if (count > 0) words.push_back(v), counts.push_back(count);
    }
    corpus.add({words, counts});
  }
  return std::make_shared<DocumentsInMemory>(corpus);
}

std::unique_ptr<TopicMethod> sgp(const Settings& settings, int threads = 1) {
  return make_sgp(two_kinds(), Config("sgp", sgp_params(), settings), {.seed = 5, .threads = threads});
}

std::string saved(const TopicMethod& method) {
  Writer out;
  method.save(out);
  return out.bytes();
}

const Settings few_topics = {{"topics", "4"}, {"rounds", "30"}};

TEST(Sgp, DrawsTheSameWithAnyNumberOfThreadsAndAfterLoading) {
  const auto one = sgp(few_topics), four = sgp(few_topics, 4);
  for (int i = 0; i < 20; ++i) one->step(), four->step();
  EXPECT_EQ(saved(*one), saved(*four));
  const auto again = sgp(few_topics);
  const std::string bytes = saved(*one);
  Reader in(bytes);
  again->load(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(saved(*again), bytes);
  one->step(), again->step();
  EXPECT_EQ(saved(*again), saved(*one));
}

TEST(Sgp, DocumentsThatAreTheSameDrawForThemselves) {
  Corpus corpus;
  corpus.vocabulary = 3;
  const std::vector<std::uint32_t> words = {0, 1, 2}, counts = {9, 4, 7};
  for (int n = 0; n < 20; ++n) corpus.add({words, counts});
  const auto method =
      make_sgp(std::make_shared<DocumentsInMemory>(corpus), Config("sgp", sgp_params(), few_topics), {});
  method->step();
  const auto shares = [&](Index document) {
    Vec of_topics(method->topics());
    EXPECT_TRUE(method->shares(document, of_topics));
    return of_topics;
  };
  Index others = 0;
  for (Index n = 1; n < 20; ++n) others += shares(n) != shares(0) ? 1 : 0;
  EXPECT_GT(others, 0);
}

TEST(Sgp, FindsTheKindsOfWords) {
  const auto method = sgp(few_topics);
  const auto source = two_kinds();
  for (int i = 0; i < 200; ++i) {
    method->step();
    const TopicDraw draw = method->draw();
    ASSERT_EQ(draw.phi.rows(), method->topics());
    ASSERT_TRUE((draw.phi.rowwise().sum().array() - 1).isZero(1e-5F));
    ASSERT_TRUE((draw.weights.array() > 0).all());
    ASSERT_EQ(method->prevalence().sum(), static_cast<double>(source->tokens()));
  }
  const auto first_kind = [&](Index document) {  // of the probabilities of its words
    Vec shares(method->topics());
    EXPECT_TRUE(method->shares(document, shares));
    EXPECT_NEAR(shares.sum(), 1, 1e-12);
    return (shares.transpose().cast<float>() * method->draw().phi).head(6).sum();
  };
  EXPECT_GT(first_kind(0), 0.65F);  // every topic may speak in every document
  EXPECT_LT(first_kind(30), 0.35F);
  EXPECT_GT(first_kind(17), 0.2F);  // no tokens: as documents are on the whole
  EXPECT_LT(first_kind(17), 0.8F);
  EXPECT_GE(method->topics(), 2);
}

TEST(Sgp, EndsWhereItNeedsTooManyAtoms) {
  const auto method = sgp({{"topics", "4"}, {"rounds", "200"}, {"gamma_shape", "1000"}, {"most_atoms", "100"}});
  EXPECT_NE(test::error_message<RunError>([&] { method->step(); }).find("more than most_atoms = 100"),
            std::string::npos);
}

TEST(Sgp, IsDefinedForDocumentsThatSayLittle) {
  for (const auto& documents : test::documents_that_say_little()) {
    const bool many = documents->tokens() > 1000;
    for (const char* topics : {"1", "40"}) {
      for (const std::string prior : {"0.0001", "10"}) {
        if (many && prior == "10") continue;  // it takes long
        const Config config("sgp", sgp_params(), {{"topics", topics}, {"word_prior", prior}});
        const auto method = make_sgp(documents, config, {.seed = 5, .threads = 1});
        for (int i = 0; i < (many ? 2 : 30); ++i) {
          method->step();
          const TopicDraw draw = method->draw();
          ASSERT_TRUE(draw.phi.allFinite() && draw.weights.allFinite()) << topics << ' ' << prior;
          ASSERT_TRUE((draw.phi.array() > 0).all() && (draw.weights.array() > 0).all()) << topics << ' ' << prior;
          ASSERT_EQ(method->prevalence().sum(), static_cast<double>(documents->tokens()));
        }
        for (const NamedNumber& number : method->scalars()) EXPECT_TRUE(std::isfinite(number.value)) << number.name;
        Vec shares(method->topics());
        for (Index n = 0; n < documents->documents() && method->topics() > 0; ++n) {
          ASSERT_TRUE(method->shares(n, shares));
          EXPECT_NEAR(shares.sum(), 1, 1e-12);
        }
      }
    }
  }
  const Config config("sgp", sgp_params(), {});
  EXPECT_EQ(test::error_message<DataError>([&] { make_sgp(test::documents_of(3, {}), config, {}); }),
            "there are no documents to fit topics to");
  EXPECT_NE(test::error_message<DataError>([&] {
              make_sgp(test::documents_of(2, {{{0, 4294967295U}, {1, 1}}}), config, {});
            }).find("are more than 4294967295"),
            std::string::npos);
}

// Weights from the prior, far from where so many tokens want them: what a slice takes does not grow with their number.
TEST(Sgp, BeginsWithAnyNumberOfTokens) {
  const auto documents = test::documents_of(2, {{{0, 4294967294U}, {1, 1}}, {}});
  const auto method = make_sgp(documents, Config("sgp", sgp_params(), few_topics), {});
  EXPECT_NEAR(method->draw().weights.sum() * 2 / 4294967295, 1, 1e-3);
}

TEST(Sgp, LoadsOnlyWhatFits) {
  const std::string bytes = saved(*sgp(few_topics));
  Reader in(bytes);
  EXPECT_THROW(sgp({{"topics", "3"}, {"most_atoms", "3"}})->load(in), DataError);
}

}  // namespace
}  // namespace quasar
