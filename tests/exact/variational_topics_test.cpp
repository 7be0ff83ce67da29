// Variational inference for topics: known values, the bound after every line and against the evidence, slopes,
// minibatches. What is random has a fixed seed; the Monte Carlo evidence is the only estimate.
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "io/packed_corpus.hpp"
#include "models/topics/held_out.hpp"
#include "models/topics/variational/atom_weights.hpp"
#include "models/topics/variational/beta_process.hpp"
#include "models/topics/variational/decay.hpp"
#include "models/topics/variational/gamma_topics.hpp"
#include "models/topics/variational/inclusion_topics.hpp"
#include "models/topics/variational/independent_weights.hpp"
#include "models/topics/variational/indian_buffet.hpp"
#include "models/topics/variational/stochastic_gamma_topics.hpp"
#include "models/topics/vbp.hpp"
#include "models/topics/vgp.hpp"
#include "models/topics/vgp_svi.hpp"
#include "models/topics/vibp.hpp"
#include "models/topics/vngp.hpp"
#include "simd/gamma_functions.hpp"
#include "simd/sparse_rows.hpp"
#include "support/error_message.hpp"
#include "support/instruction_sets.hpp"
#include "support/statistics.hpp"
#include "support/synthetic_topics.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

constexpr int assertions = 14;  // with statistics: two numbers of topics of seven kinds of model

using Documents = std::shared_ptr<const DocumentSource>;

Documents documents_of(const Eigen::MatrixXi& counts) {  // words x documents
  Corpus corpus;
  corpus.vocabulary = counts.rows();
  for (Index n = 0; n < counts.cols(); ++n) {
    std::vector<std::uint32_t> words, times;
    for (Index v = 0; v < counts.rows(); ++v) {
      if (counts(v, n) == 0) continue;
      words.push_back(static_cast<std::uint32_t>(v));
      times.push_back(static_cast<std::uint32_t>(counts(v, n)));
    }
    corpus.add({words, times});
  }
  return std::make_shared<DocumentsInMemory>(std::move(corpus));
}

const Eigen::MatrixXi two_words_three_documents = (Eigen::MatrixXi(2, 3) << 2, 0, 1, 0, 3, 1).finished();

// ---- functions of Gamma

TEST(GammaFunctions, AreThoseOfBoost) {
  Vec x(401);
  for (Index i = 0; i < x.size(); ++i) x[i] = std::pow(10, -8 + 0.04 * static_cast<double>(i));
  const auto count = static_cast<std::size_t>(x.size());
  test::with_each_instruction_set([&] {
    Vec psi(x.size()), lgamma(x.size()), exponentials(x.size()), shifted(x.size());
    simd::digamma(x.data(), psi.data(), count);
    simd::log_gamma(x.data(), lgamma.data(), count);
    simd::exp_digamma(x.data(), 0, exponentials.data(), count);
    for (Index i = 0; i < x.size(); ++i) {
      const double known = boost::math::digamma(x[i]), log_gamma = boost::math::lgamma(x[i]);
      EXPECT_NEAR(psi[i], known, 1e-14 * (1 + std::abs(known))) << x[i];
      EXPECT_NEAR(lgamma[i], log_gamma, 1e-14 * (1 + std::abs(log_gamma))) << x[i];
      const double error = 1e-13 + 1e-15 / x[i];
      EXPECT_NEAR(exponentials[i], std::exp(known), error * std::exp(known)) << x[i];
      simd::exp_digamma(&x[i], 1 / x[i], &shifted[i], 1);
      EXPECT_NEAR(shifted[i], std::exp(boost::math::digamma(x[i] + 1)), error * shifted[i]) << x[i];
    }
  });
}

TEST(SparseDots, AreDotProducts) {
  constexpr Index width = 48;
  const Mat dense = Mat::Random(width, 7);
  const Vec v = Vec::Random(width);
  const std::vector<std::uint32_t> columns = {6, 0, 3, 3};
  test::with_each_instruction_set([&] {
    Vec out(4);
    simd::sparse_dots(columns.data(), columns.size(), dense.data(), width, v.data(), out.data());
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(out[i], dense.col(columns[static_cast<std::size_t>(i)]).dot(v), 1e-14);
  });
}

// ---- the known values of a small problem

struct KnownVgp {
  GammaTopics model;
  AtomWeights& law;

  static std::unique_ptr<AtomWeights> prior() {
    return std::make_unique<AtomWeights>(2, GammaProcessHyperpriors{3, {2, 1}, {2, 1}, {2, 1}});
  }
  KnownVgp()
      : model(documents_of(two_words_three_documents), {2, 1, std::nullopt}, prior(), 1),
        law(dynamic_cast<AtomWeights&>(model.law())) {
    model.start(Rng(1));
    model.words().set_shapes((Mat(2, 2) << 1.5, 1, 1, 2).finished());
    law.E = {{2, 1}, {3, 2}};
    law.T = {{2, 2}, {1.5, 3}};
    law.alpha = law.c = {4, 3};
    law.gamma = {4, 4};
    model.refresh();
    model.documents().set_shapes(Mat::Constant(2, 3, 1.5));
    model.line(0);
  }
};

TEST(Vgp, HasTheKnownBound) {
  KnownVgp known;
  EXPECT_NEAR(known.model.bound(), -21.876264388685225, 1e-12);
  const double x[] = {1.3941185679, .9427189537, 1.0112989352};
  for (Index n = 0; n < 3; ++n) EXPECT_NEAR(known.model.allocations().of_document(n)[0], x[n], 5e-11);
  EXPECT_NEAR(known.model.weights()[0], .5614594836, 5e-11);
  EXPECT_NEAR(known.model.weights()[1], .7631025558, 5e-11);
  EXPECT_NEAR(known.law.total(), .8888888889 + .9742785793, 1e-10);
  known.model.line(2);  // a = gt + X
  EXPECT_NEAR(known.model.bound(), -21.14529496627446, 1e-12);
}

TEST(Vgp, HasTheKnownSlopes) {
  KnownVgp known;
  const WeightEvidence evidence = known.model.documents().evidence(known.model.allocations(), known.model.weights());
  EXPECT_NEAR(evidence.counts[0], 3.1455450747, 1e-10);
  EXPECT_NEAR(evidence.counts[1], 3.1771234349, 1e-10);
  EXPECT_NEAR(evidence.exposure, 3 * std::numbers::ln2, 1e-14);
  const double du[] = {-.4899805467, .5467465449}, dv[] = {.6233083769, -.1681682908};
  for (std::size_t k = 0; k < 2; ++k) {
    const DecayOfWeight objective{{1, known.law.alpha.mean() + evidence.counts[static_cast<Index>(k)]},
                                  evidence.exposure * known.law.E[k].mean()};
    EXPECT_NEAR(objective.slopes(known.law.T[k])[0], du[k], 1e-9);
    EXPECT_NEAR(objective.slopes(known.law.T[k])[1], dv[k], 1e-9);
  }
}

// ---- slopes by differences

template <class Law, class Objective>
void expect_slopes(const Objective& objective, const Law& law) {
  const Slopes slopes = objective.slopes(law);
  for (int i = 0; i < 2; ++i) {
    const double step = 1e-5, up = std::exp(step), down = std::exp(-step);
    const double rise = i == 0 ? objective.value(scaled(law, up, 1)) - objective.value(scaled(law, down, 1))
                               : objective.value(scaled(law, 1, up)) - objective.value(scaled(law, 1, down));
    double at = 0;
    if constexpr (std::is_same_v<Law, GammaLaw>) {
      at = i == 0 ? law.shape : law.rate;
    } else {
      at = i == 0 ? law.first : law.second;
    }
    const double slope = slopes[static_cast<std::size_t>(i)] * at;
    EXPECT_NEAR(rise / (2 * step), slope, 1e-7 * (1 + std::abs(slope)) + 1e-10 * std::abs(objective.value(law)) / step);
  }
}

TEST(Ascent, FollowsTrueSlopes) {
  Stream draws = Rng(1).stream("numbers");
  const auto number = [&] { return std::exp(2 * draws.normal()); };
  for (int i = 0; i < 200; ++i) {
    const GammaLaw T = {number(), number()};
    const DecayTerms terms{number(), number()};
    if (T.mean() > longest_decay / 2) continue;
    expect_slopes(terms, T);
    expect_slopes(DecayOfWeight{terms, number()}, T);
    expect_slopes(DecayOfProbability{terms, number()}, T);
    expect_slopes(StickTerms{number(), number(), number()}, BetaLaw{number(), number()});
  }
}

// Without the term that is not conjugate, one step is the whole way.
TEST(Ascent, FindsAConjugateLaw) {
  const GammaLaw T = ascended(GammaLaw{2, 2}, DecayTerms{3.5, 0.7});
  EXPECT_NEAR(T.shape, 4.5, 1e-8);
  EXPECT_NEAR(T.rate, 0.7, 1e-8);
  const BetaLaw V = ascended(BetaLaw{2, 2}, StickTerms{3.5, 0.7, 0});
  EXPECT_NEAR(V.first, 4.5, 1e-8);
  EXPECT_NEAR(V.second, 0.7, 1e-8);
}

TEST(Decay, HasTheExpectedLogarithmOfItsComplement) {
  EXPECT_NEAR(mean_log_complement({2, 1.5}).value, -.54484, 5e-6);
  const auto by_series = [](double u, double v) {  // converges like m^-u
    double sum = 0;
    for (int m = 200000; m > 0; --m) sum -= std::pow(v / (v + m), u) / m;
    return sum;
  };
  const auto by_quadrature = [](double u, double v) {  // of a density that is not narrow
    boost::math::quadrature::exp_sinh<double> integrator;
    const double rest = integrator.integrate(
        [&](double t) {
          const double density = std::exp((u - 1) * std::log(t) - v * t + u * std::log(v) - std::lgamma(u));
          return t > 1e-290 ? density * (std::log(-std::expm1(-t)) - std::log(t)) : 0;
        },
        1e-12);
    return boost::math::digamma(u) - std::log(v) + rest;
  };
  for (const double v : {0.05, 1.0, 40.0}) {
    for (const double u : {0.01, 0.3, 2.0, 4.0, 50.0, 3000.0}) {
      const double known = u < 3 ? by_quadrature(u, v) : by_series(u, v);
      EXPECT_NEAR(mean_log_complement({u, v}).value, known, 1e-9 * (1 + std::abs(known))) << u << ' ' << v;
    }
  }
}

// ---- the bound

struct Kind {
  std::string name;
  std::function<std::unique_ptr<FactorModel>(Documents, Index topics, double number, int threads)> make;
};

template <class Law>
std::unique_ptr<FactorModel> gamma_topics(Documents d, Index topics, double x, int threads,
                                          std::optional<ScalePrior> scales, std::unique_ptr<Law> law) {
  return std::make_unique<GammaTopics>(std::move(d), GammaTopicsSettings{topics, x, scales}, std::move(law), threads);
}

template <class Law>
std::unique_ptr<FactorModel> inclusion_topics(Documents d, Index topics, double x, int threads,
                                              std::unique_ptr<Law> law) {
  const InclusionSettings settings{topics, x, {0.5 + x, 0.3 * x + 0.05}};
  return std::make_unique<InclusionTopics>(std::move(d), settings, std::move(law), threads);
}

GammaProcessHyperpriors process_prior(double x) { return {1 + static_cast<Index>(7 * x), {x, 1}, {1, x}, {1, 1 + x}}; }
StickPrior stick_prior(double x) { return {{1 + x, 1}, {1, x}}; }

std::vector<Kind> kinds() {
  const ScalePrior learned{0.7, 0.3};
  return {
      {"vgp",
       [=](Documents d, Index k, double x, int t) {
         return gamma_topics(std::move(d), k, x, t, learned, std::make_unique<AtomWeights>(k, process_prior(x)));
       }},
      {"vgp fixed",
       [](Documents d, Index k, double x, int t) {
         return gamma_topics(std::move(d), k, x, t, std::nullopt, std::make_unique<AtomWeights>(k, process_prior(x)));
       }},
      {"vngp",
       [=](Documents d, Index k, double x, int t) {
         return gamma_topics(std::move(d), k, x, t, learned, std::make_unique<StickWeights>(k, stick_prior(x)));
       }},
      {"vngp independent",
       [=](Documents d, Index k, double x, int t) {
         return gamma_topics(std::move(d), k, x, t, learned, std::make_unique<IndependentWeights>(k, stick_prior(x)));
       }},
      {"vibp",
       [](Documents d, Index k, double x, int t) {
         return inclusion_topics(std::move(d), k, x, t, std::make_unique<FiniteBuffet>(k, GammaPrior{x, 1}));
       }},
      {"vibp sticks",
       [](Documents d, Index k, double x, int t) {
         return inclusion_topics(std::move(d), k, x, t, std::make_unique<StickBuffet>(k, GammaPrior{x, 1}));
       }},
      {"vbp",
       [](Documents d, Index k, double x, int t) {
         const BetaProcessPrior prior{1 + static_cast<Index>(7 * x), {1, x}, {1, 1}};
         return inclusion_topics(std::move(d), k, x, t, std::make_unique<BetaProcess>(k, prior));
       }},
  };
}

Documents random_documents(Stream& draws) {
  Eigen::MatrixXi counts(1 + draws.index(8), 1 + draws.index(7));
  for (int& d : counts.reshaped()) d = draws.uniform() < 0.6 ? 0 : static_cast<int>(draws.poisson(3));
  return documents_of(counts);
}

TEST(Bound, NeverFallsWhateverTheLine) {
  const std::vector<Kind> all = kinds();
  for (std::uint64_t number = 0; number < 1000 * all.size(); ++number) {
    const Kind& kind = all[number % all.size()];
    Stream draws = Rng(2).child("problem", number).stream("numbers");
    const Index topics = 1 + draws.index(5);
    const double x = 0.05 + draws.uniform();
    const auto model = kind.make(random_documents(draws), topics, x, 1);
    model->start(Rng(number));
    double before = -std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < 8; ++sweep) {
      for (Index i = 0; i < model->lines(); ++i) {
        model->line(i);
        const double now = model->bound();
        ASSERT_TRUE(std::isfinite(now)) << kind.name << ' ' << number << " line " << i;
        ASSERT_GE(now, before - 1e-10 * (1 + std::abs(now))) << kind.name << ' ' << number << " line " << i;
        before = now;
      }
    }
  }
}

// ---- the evidence by Monte Carlo

using PriorDraw = std::function<Mat(Stream&)>;  // theta, topics x documents

Mat gamma_thetas(In weights, Index documents, bool learned, Stream& draws) {
  Mat theta(weights.size(), documents);
  for (Index n = 0; n < documents; ++n) {
    const double p = learned ? draws.beta(0.7, 0.3) : 0.5;
    for (Index k = 0; k < weights.size(); ++k) theta(k, n) = draws.gamma(std::max(1e-300, weights[k])) * p / (1 - p);
  }
  return theta;
}

Mat inclusion_thetas(In pi, Index documents, double x, Stream& draws) {
  Mat theta(pi.size(), documents);
  for (double& t : theta.reshaped()) t = draws.gamma(0.5 + x) / (0.3 * x + 0.05);
  for (Index n = 0; n < documents; ++n) {
    for (Index k = 0; k < pi.size(); ++k) theta(k, n) *= draws.uniform() < pi[k] ? 1 : InclusionTopics::eps;
  }
  return theta;
}

Vec drawn_atom_weights(Index topics, const GammaProcessHyperpriors& prior, Stream& draws) {
  const double alpha = draws.gamma(prior.alpha.shape) / prior.alpha.rate;
  const double c = draws.gamma(prior.c.shape) / prior.c.rate;
  Vec g(topics);
  for (double& weight : g) {
    const auto round = static_cast<double>(1 + draws.index(prior.rounds));
    weight = draws.exponential() / c * std::exp(-draws.gamma(round) / alpha);
  }
  return g;
}

Vec drawn_stick_weights(Index topics, double alpha, const StickPrior& prior, bool broken, Stream& draws) {
  const double total = draws.gamma(alpha) / (draws.gamma(prior.c.shape) / prior.c.rate);
  Vec g(topics);
  double rest = total;
  for (Index k = 0; k < topics; ++k) {
    const double V = broken && k == topics - 1 ? 1 : draws.beta(1, alpha);
    if (!broken && k > 0) rest = total * std::exp(-draws.gamma(static_cast<double>(k)) / alpha);
    g[k] = rest * V;
    rest *= 1 - V;
  }
  return g;
}

Vec drawn_buffet(Index topics, double a, bool sticks, Stream& draws) {
  Vec pi(topics);
  for (Index k = 0; k < topics; ++k) {
    pi[k] = sticks ? draws.beta(a, 1) * (k > 0 ? pi[k - 1] : 1) : draws.beta(a / static_cast<double>(topics), 1);
  }
  return pi;
}

Vec drawn_beta_process(Index topics, const BetaProcessPrior& prior, Stream& draws) {
  const double alpha = draws.gamma(prior.alpha.shape) / prior.alpha.rate;
  Vec pi(topics);
  for (double& p : pi) {
    const auto round = static_cast<double>(draws.index(prior.rounds));
    p = draws.beta(1, alpha) * (round > 0 ? std::exp(-draws.gamma(round) / alpha) : 1);
  }
  return pi;
}

// log of the mean of Poisson(K; R gamma) over gamma
double log_number_of_atoms(double topics, double rounds, const GammaPrior& prior) {
  return prior.shape * std::log(prior.rate) - std::lgamma(prior.shape) + std::lgamma(prior.shape + topics) +
         topics * std::log(rounds) - (prior.shape + topics) * std::log(prior.rate + rounds) - std::lgamma(topics + 1);
}

struct Evidence {
  double log = 0, error = 0;
};

Evidence evidence_of(const Eigen::MatrixXi& counts, Index topics, double word_prior, const PriorDraw& prior) {
  constexpr int repetitions = 30000;
  Stream draws = Rng(3).stream("prior");
  double sum = 0, squares = 0;
  Mat phi(counts.rows(), topics);
  const Vec shapes = Vec::Constant(counts.rows(), word_prior);
  for (int i = 0; i < repetitions; ++i) {
    for (Index k = 0; k < topics; ++k) draws.dirichlet(shapes, phi.col(k));
    const Mat rates = phi * prior(draws);
    double logp = 0;
    for (Index j = 0; j < rates.size(); ++j) {
      const double d = counts.reshaped()[j], rate = rates.reshaped()[j];
      logp += (d > 0 ? d * std::log(rate) : 0) - rate - std::lgamma(d + 1);
    }
    if (std::isnan(logp)) continue;  // an infinite scale
    sum += std::exp(logp);
    squares += std::exp(2 * logp);
  }
  const double mean = sum / repetitions, variance = squares / repetitions - mean * mean;
  return {std::log(mean), std::sqrt(variance / repetitions) / mean};
}

TEST(Bound, IsBelowTheEvidence) {
  constexpr double x = 0.7;
  const Eigen::MatrixXi& counts = two_words_three_documents;
  const GammaProcessHyperpriors atoms = process_prior(x);
  const BetaProcessPrior beta{1 + static_cast<Index>(7 * x), {1, x}, {1, 1}};
  const double allowed = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  for (const Index topics : {1, 2}) {
    for (const Kind& kind : kinds()) {
      const auto model = kind.make(documents_of(counts), topics, x, 1);
      model->start(Rng(1));
      for (int sweep = 0; sweep < 100; ++sweep) {
        for (Index i = 0; i < model->lines(); ++i) model->line(i);
      }
      const bool gamma = kind.name.starts_with("vgp"), stick = kind.name.starts_with("vngp");
      const double alpha = model->scalars()[0].value, k = static_cast<double>(topics);
      const Evidence evidence = evidence_of(counts, topics, x, [&](Stream& draws) {
        if (gamma) return gamma_thetas(drawn_atom_weights(topics, atoms, draws), 3, kind.name == "vgp", draws);
        if (stick) {
          return gamma_thetas(drawn_stick_weights(topics, alpha, stick_prior(x), kind.name == "vngp", draws), 3, true,
                              draws);
        }
        if (kind.name == "vbp") return inclusion_thetas(drawn_beta_process(topics, beta, draws), 3, x, draws);
        return inclusion_thetas(drawn_buffet(topics, draws.gamma(x), kind.name == "vibp sticks", draws), 3, x, draws);
      });
      double log_prior = 0;
      if (gamma) log_prior = log_number_of_atoms(k, static_cast<double>(atoms.rounds), atoms.gamma);
      if (stick) log_prior = x * std::log(alpha) - alpha - std::lgamma(1 + x);  // alpha ~ Gamma(1 + x, 1)
      if (kind.name == "vbp") log_prior = log_number_of_atoms(k, static_cast<double>(beta.rounds), beta.gamma);
      const double bound = model->bound();
      EXPECT_LT(bound, evidence.log + log_prior + allowed * evidence.error) << kind.name << ' ' << topics;
      // No statistics: a term of the bound that is missing or doubled would be worth more than that.
      EXPECT_GT(bound, evidence.log + log_prior - 4 * k) << kind.name << ' ' << topics;
    }
  }
}

// ---- where it ends

std::vector<double*> numbers_of(WeightLaw& law) {
  std::vector<double*> all;
  const auto add = [&](auto& laws) {
    for (auto& l : laws) std::decay_t<decltype(l)>::fields(l, [&](auto, double& x) { all.push_back(&x); });
  };
  const auto add_whole = [&](TotalWeight& whole) {
    for (GammaLaw* l : {&whole.total, &whole.c}) all.insert(all.end(), {&l->shape, &l->rate});
    all.push_back(&whole.alpha);
  };
  if (auto* atoms = dynamic_cast<AtomWeights*>(&law)) {
    add(atoms->E);
    add(atoms->T);
    for (GammaLaw* l : {&atoms->alpha, &atoms->c, &atoms->gamma}) all.insert(all.end(), {&l->shape, &l->rate});
  } else if (auto* sticks = dynamic_cast<StickWeights*>(&law)) {
    add(sticks->V);
    add_whole(sticks->whole);
  } else if (auto* independent = dynamic_cast<IndependentWeights*>(&law)) {
    add(independent->V);
    add(independent->T);
    add_whole(independent->whole);
  }
  return all;
}

std::vector<double*> numbers_of(InclusionLaw& law) {
  std::vector<double*> all;
  const auto add = [&](auto& laws) {
    for (auto& l : laws) std::decay_t<decltype(l)>::fields(l, [&](auto, double& x) { all.push_back(&x); });
  };
  const auto add_alpha = [&](GammaLaw& alpha) { all.insert(all.end(), {&alpha.shape, &alpha.rate}); };
  if (auto* finite = dynamic_cast<FiniteBuffet*>(&law)) {
    add(finite->pi);
    add_alpha(finite->alpha);
  } else if (auto* sticks = dynamic_cast<StickBuffet*>(&law)) {
    add(sticks->v);
    add_alpha(sticks->alpha);
  } else if (auto* beta = dynamic_cast<BetaProcess*>(&law)) {
    add(beta->V);
    add(beta->T);
    for (double& y : beta->y) all.push_back(&y);
    add_alpha(beta->alpha);
    add_alpha(beta->gamma);
  }
  return all;
}

// Columns that sum to 1: q and f.
Mat* shares_of(FactorModel& model) {
  if (auto* gamma = dynamic_cast<GammaTopics*>(&model)) {
    auto* atoms = dynamic_cast<AtomWeights*>(&gamma->law());
    return atoms ? &atoms->rounds : nullptr;
  }
  InclusionLaw& law = dynamic_cast<InclusionTopics&>(model).law();
  if (auto* sticks = dynamic_cast<StickBuffet*>(&law)) return &sticks->q;
  if (auto* beta = dynamic_cast<BetaProcess*>(&law)) return &beta->rounds;
  return nullptr;
}

// What follows from the numbers of a law.
void renew(FactorModel& model) {
  if (auto* gamma = dynamic_cast<GammaTopics*>(&model)) return gamma->refresh();
  InclusionLaw& law = dynamic_cast<InclusionTopics&>(model).law();
  Writer out;
  law.save(out);
  Reader in(out.bytes());
  law.load(in);
}

TEST(Bound, EndsWhereNothingNearIsHigher) {
  const Documents documents =
      documents_of((Eigen::MatrixXi(4, 5) << 2, 0, 1, 4, 0, 0, 3, 1, 5, 0, 1, 7, 0, 0, 2, 0, 2, 6, 1, 0).finished());
  for (const Kind& kind : kinds()) {
    const auto model = kind.make(documents, 3, 0.4, 1);
    model->start(Rng(4));
    for (int sweep = 0; sweep < 3000; ++sweep) {
      for (Index i = 0; i < model->lines(); ++i) model->line(i);
    }
    const double top = model->bound(), rounding = 1e-11 * std::abs(top);
    const auto expect_lower = [&] {
      renew(*model);
      EXPECT_LE(model->bound(), top + rounding) << kind.name;
    };
    auto* gamma = dynamic_cast<GammaTopics*>(model.get());
    auto* inclusion = dynamic_cast<InclusionTopics*>(model.get());
    std::vector<double*> numbers = gamma ? numbers_of(gamma->law()) : numbers_of(inclusion->law());
    if (inclusion) numbers.insert(numbers.end(), {&inclusion->included(0, 0), &inclusion->included(2, 4)});
    for (double* x : numbers) {
      const double at = *x;
      for (const double factor : {0.998, 1.002}) {
        *x = std::min(at * factor, x == numbers.back() || (inclusion && at < 1) ? std::max(at, 1 - 1e-12) : INFINITY);
        expect_lower();
      }
      *x = at;
    }
    if (Mat* shares = shares_of(*model)) {
      const Mat at = *shares;
      for (Index i = 0; i < at.size(); ++i) {
        if (at.reshaped()[i] < 1e-8) continue;
        for (const double factor : {0.99, 1.01}) {
          shares->reshaped()[i] *= factor;
          shares->col(i / at.rows()) /= shares->col(i / at.rows()).sum();
          expect_lower();
          *shares = at;
        }
      }
    }
  }
}

// ---- as methods

struct Method {
  std::string name;
  std::span<const ParamSpec> params;
  MakeTopicMethod make;
  Settings settings;

  std::unique_ptr<TopicMethod> operator()(const Documents& documents, Settings more, int threads = 1) const {
    more.insert(settings.begin(), settings.end());
    return make(documents, Config(name, params, more), {5, threads});
  }
};

std::vector<Method> methods() {
  return {{"vgp", vgp_params(), make_vgp, {}},    {"vgp", vgp_params(), make_vgp, {{"scales", "fixed"}}},
          {"vngp", vngp_params(), make_vngp, {}}, {"vngp", vngp_params(), make_vngp, {{"sticks", "independent"}}},
          {"vibp", vibp_params(), make_vibp, {}}, {"vibp", vibp_params(), make_vibp, {{"construction", "sticks"}}},
          {"vbp", vbp_params(), make_vbp, {}},    {"vgp-svi", vgp_svi_params(), make_vgp_svi, {{"batch_size", "40"}}}};
}

std::string bytes_of(const TopicMethod& method) {
  Writer out;
  method.save(out);
  return out.bytes();
}

TEST(Methods, AreTheSameForAnyNumberOfThreads) {
  const Documents documents = std::make_shared<DocumentsInMemory>(test::SyntheticTopics(1).corpus);
  for (const Method& method : methods()) {
    std::string known;
    for (const int threads : {1, 2, 3}) {
      const auto fit = method(documents, {{"topics", "7"}}, threads);
      for (int i = 0; i < 4; ++i) fit->step();
      const std::string bytes = bytes_of(*fit) + std::to_string(fit->objective());
      if (threads == 1) known = bytes;
      EXPECT_TRUE(bytes == known) << method.name << ' ' << threads;
    }
  }
}

TEST(Methods, GoOnAfterSaveAndLoad) {
  const Documents documents = std::make_shared<DocumentsInMemory>(test::SyntheticTopics(1).corpus);
  for (const Method& method : methods()) {
    const auto fit = method(documents, {{"topics", "7"}}), other = method(documents, {{"topics", "7"}});
    for (int i = 0; i < 3; ++i) fit->step();
    const std::string bytes = bytes_of(*fit);
    Reader in(bytes);
    other->load(in);
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(other->objective(), fit->objective());
    EXPECT_EQ(other->prevalence(), fit->prevalence());
    EXPECT_EQ(other->draw().weights, fit->draw().weights);
    for (int i = 0; i < 3; ++i) {
      fit->step();
      other->step();
    }
    EXPECT_TRUE(bytes_of(*other) == bytes_of(*fit)) << method.name;
    EXPECT_EQ(other->data_passes(), fit->data_passes());
  }
}

TEST(Methods, ReadPackedDocuments) {
  const Corpus corpus = test::SyntheticTopics(1).corpus;
  const Documents in_memory = std::make_shared<DocumentsInMemory>(corpus);
  const test::TempFolder folder;
  write_packed_corpus(folder.file("c.qpk"), {.counts = corpus, .source = "memory"});
  const Documents packed = open_packed_corpus(folder.file("c.qpk")).documents;
  ASSERT_EQ(packed->whole(), nullptr);
  for (const Method& method : methods()) {
    const auto one = method(in_memory, {{"topics", "7"}}), other = method(packed, {{"topics", "7"}}, 2);
    for (int i = 0; i < 6; ++i) {
      one->step();
      other->step();
    }
    EXPECT_TRUE(bytes_of(*other) == bytes_of(*one)) << method.name;
    EXPECT_EQ(other->objective(), one->objective()) << method.name;
  }
}

TEST(Methods, TellHeldOutWords) {
  const test::SyntheticTopics truth(2);
  const TokenSplit split = split_tokens(truth.corpus, 0.2, Rng(1));
  const Documents documents = std::make_shared<DocumentsInMemory>(split.seen);
  HeldOutPredictions best(split);
  best.add(truth.phi.transpose().cast<float>(), truth.shares);
  const double known = best.score().per_token(), unigram = unigram_score(split.seen, split).per_token();
  ASSERT_LT(unigram, known - 0.3);
  for (const Method& method : methods()) {
    const auto fit = method(documents, {{"topics", "20"}});
    for (int i = 0; i < 200 && !fit->converged(); ++i) fit->step();
    HeldOutPredictions folded(split), own(split);
    const TopicDraw draw = fit->draw();
    EXPECT_TRUE(draw.phi.rowwise().sum().isOnes(1e-4F));
    folded.add(draw, {20, 20, 1}, Rng(2));
    const double enough = method.settings.empty() ? known - std::log(1.15) : (known + unigram) / 2;
    EXPECT_GT(folded.score().per_token(), enough) << method.name;
    Mat shares(20, split.seen.documents());
    Vec column(20);
    for (Index n = 0; n < shares.cols(); ++n) {
      if (!fit->shares(n, column)) break;
      shares.col(n) = column;
    }
    if (!fit->shares(0, column)) continue;
    EXPECT_TRUE(fit->converged());
    EXPECT_NEAR(fit->prevalence().sum(), static_cast<double>(split.seen.tokens()), 1e-6);
    own.add(draw.phi, shares);
    EXPECT_GT(own.score().per_token(), enough) << method.name;
  }
}

TEST(Methods, KeepTheBestOfSeveralStarts) {
  const Documents documents = std::make_shared<DocumentsInMemory>(test::SyntheticTopics(3).corpus);
  const Method vgp = methods()[0];
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto fit = [&](const char* restarts) {
      return vgp.make(documents, Config("vgp", vgp.params, {{"topics", "12"}, {"restarts", restarts}}), {seed, 1});
    };
    const auto one = fit("1"), many = fit("4");
    for (int i = 0; i < 5; ++i) one->step();
    for (int start = 1; start <= 4; ++start) {
      const double best = many->objective();
      many->step();
      EXPECT_GE(many->objective(), best);
      EXPECT_EQ(many->data_passes(), 5 * start);
    }
    EXPECT_GE(many->objective(), one->objective());
    better += many->objective() > one->objective() ? 1 : 0;
    const double before = many->objective();
    many->step();
    EXPECT_GT(many->objective(), before);
  }
  EXPECT_GT(better, 0);
}

TEST(Methods, AreDefinedForDocumentsThatSayLittle) {
  for (const Eigen::MatrixXi& counts :
       {Eigen::MatrixXi(Eigen::MatrixXi::Zero(3, 4)), Eigen::MatrixXi::Ones(1, 1).eval(),
        (Eigen::MatrixXi(2, 3) << 0, 1000000, 0, 0, 0, 1).finished()}) {
    for (const Method& method : methods()) {
      for (const char* topics : {"1", "40"}) {
        for (const char* prior : {"0.0001", "10"}) {
          const auto fit = method(documents_of(counts), {{"topics", topics}, {"word_prior", prior}});
          for (int i = 0; i < 20; ++i) fit->step();
          EXPECT_TRUE(std::isfinite(fit->objective())) << method.name << ' ' << topics << ' ' << prior;
          const TopicDraw draw = fit->draw();
          EXPECT_TRUE(draw.phi.allFinite() && draw.weights.allFinite() && draw.weights.minCoeff() > 0) << method.name;
          EXPECT_NEAR(fit->prevalence().sum(), counts.sum(), 1e-6 * (1 + counts.sum())) << method.name;
        }
      }
    }
  }
  for (const Method& method : methods()) {
    EXPECT_EQ(test::error_message<DataError>([&] { method(documents_of(Eigen::MatrixXi(3, 0)), {}); }),
              "there are no documents to fit topics to");
  }
}

// ---- minibatches

TEST(Minibatches, HaveEveryDocumentOnceInAnEpoch) {
  MinibatchOrder order(23, 5, Rng(1));
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<Index> all;
    for (int i = 0; i < 5; ++i) {
      const std::vector<Index> ids = order.batch(5 * epoch + i);
      EXPECT_TRUE(ids.size() == 4 || ids.size() == 5);
      all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    for (Index n = 0; n < 23; ++n) EXPECT_EQ(all[static_cast<std::size_t>(n)], n);
  }
  EXPECT_NE(order.batch(0), order.batch(5));
}

std::unique_ptr<AtomWeights> twelve_atoms() { return std::make_unique<AtomWeights>(12, GammaProcessHyperpriors()); }

// With all documents in the batch, steps of length 1 and one turn for each document, a step learns what a sweep does:
// the words, and the first line of the law.
TEST(Minibatches, OfAllDocumentsAreSweeps) {
  const Documents documents = std::make_shared<DocumentsInMemory>(test::SyntheticTopics(4).corpus);
  const GammaTopicsSettings settings{12, 0.3, ScalePrior()};
  StochasticGammaTopics stochastic(documents, {settings, 1000, 1, 0, 1}, twelve_atoms(), {5, 1});
  GammaTopics sweep(documents, settings, twelve_atoms(), 1);
  sweep.start(Rng(5).child("start"));
  stochastic.step();
  for (Index i = 0; i < 4; ++i) sweep.line(i);
  EXPECT_TRUE(stochastic.words().shapes().isApprox(sweep.words().shapes(), 1e-12));
  const auto& left = dynamic_cast<const AtomWeights&>(stochastic.law());
  const auto& right = dynamic_cast<const AtomWeights&>(sweep.law());
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_NEAR(left.E[k].shape, right.E[k].shape, 1e-10 * right.E[k].shape);
    EXPECT_NEAR(left.E[k].rate, right.E[k].rate, 1e-10 * right.E[k].rate);
  }
  EXPECT_EQ(stochastic.data_passes(), 1);
}

// Where all documents are the same, a batch of a few tells what all of them do.
TEST(Minibatches, StandForAllDocuments) {
  const Documents documents = documents_of(Eigen::VectorXi{{4, 1, 0, 3}}.replicate(1, 12));
  const GammaTopicsSettings settings{2, 0.3, ScalePrior()};
  const auto fitted = [&](Index batch) {
    auto law = std::make_unique<AtomWeights>(2, GammaProcessHyperpriors());
    auto fit = std::make_unique<StochasticGammaTopics>(documents, StochasticSettings{settings, batch, 1, 0.7, 100},
                                                       std::move(law), TopicRun{5, 1});
    for (int i = 0; i < 4; ++i) fit->step();
    return fit;
  };
  const auto few = fitted(3), all = fitted(12);
  EXPECT_TRUE(few->words().shapes().isApprox(all->words().shapes(), 1e-10));
  const auto& left = dynamic_cast<const AtomWeights&>(few->law());
  const auto& right = dynamic_cast<const AtomWeights&>(all->law());
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(left.E[k].shape, right.E[k].shape, 1e-10 * right.E[k].shape);
    EXPECT_NEAR(left.E[k].rate, right.E[k].rate, 1e-10 * right.E[k].rate);
  }
  EXPECT_NEAR(few->objective(), all->objective(), 1e-10 * std::abs(all->objective()));
  EXPECT_NEAR(few->data_passes(), 1, 1e-12);
}

// What minibatches have found is close to what a fit of all documents finds, by its own bound.
TEST(Minibatches, ReachTheBoundOfSweeps) {
  const Documents documents = std::make_shared<DocumentsInMemory>(test::SyntheticTopics(4).corpus);
  const GammaTopicsSettings settings{12, 0.3, ScalePrior()};
  GammaTopics sweep(documents, settings, twelve_atoms(), 1), judge(documents, settings, twelve_atoms(), 1);
  const auto sweeps = [](GammaTopics& model, int count, Index lines) {
    for (int s = 0; s < count; ++s) {
      for (Index i = 0; i < lines; ++i) model.line(i);
    }
  };
  sweep.start(Rng(5).child("start"));
  const double first = (sweeps(sweep, 3, sweep.lines()), sweep.bound());
  sweeps(sweep, 150, sweep.lines());
  StochasticGammaTopics stochastic(documents, {settings, 30, 1, 0.7, 100}, twelve_atoms(), {5, 1});
  for (int i = 0; i < 150; ++i) stochastic.step();
  judge.start(Rng(1));
  judge.words().set_shapes(stochastic.words().shapes());
  Writer out;
  stochastic.law().save(out);
  Reader in(out.bytes());
  judge.law().load(in);
  judge.documents().scales().learn(judge.law().total());
  for (int i = 0; i < 100; ++i) {  // topics of the documents alone
    judge.line(0);
    judge.line(2);
  }
  EXPECT_GT(judge.bound(), sweep.bound() - 0.2 * (sweep.bound() - first));
  EXPECT_NEAR(stochastic.objective(), judge.bound(), 0.1 * std::abs(judge.bound()));
}

}  // namespace
}  // namespace quasar
