// Topics by stochastic gradients, without statistics: densities and their gradients, what minibatches stand for, steps
// of the topics' words, every sampler, threads, saving, documents that are not in memory, and what a user can get
// wrong.
#include "samplers/stochastic_topics.hpp"

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "integrators/generalized_leapfrog.hpp"
#include "integrators/potential.hpp"
#include "io/packed_corpus.hpp"
#include "kernels/topics/expanded_topics.hpp"
#include "kernels/topics/word_moves.hpp"
#include "models/topics/topic_sum.hpp"
#include "models/topics/topic_words.hpp"
#include "samplers/weight_chain.hpp"
#include "support/error_message.hpp"
#include "support/sparse_documents.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using Coordinates = TopicSum::Coordinates;
constexpr BetaPrior probability{0.7, 1.4};

Corpus small_corpus() {
  Corpus corpus;
  corpus.vocabulary = 6;
  for (Index n = 0; n < 23; ++n) {
    Stream draws = Rng(5).child("document", static_cast<std::uint64_t>(n)).stream("words");
    std::vector<std::uint32_t> words, counts;
    for (std::uint32_t v = 0; v < 6; ++v) {
      const std::int64_t count = draws.poisson(n == 4 ? 0 : 1 + static_cast<double>((n + v) % 3));
      if (count == 0) continue;
      words.push_back(v);
      counts.push_back(static_cast<std::uint32_t>(count));
    }
    corpus.add({words, counts});
  }
  return corpus;
}

std::shared_ptr<const DocumentSource> small_source() { return std::make_shared<DocumentsInMemory>(small_corpus()); }

// Documents of which a few at a time are read.
class Streamed final : public DocumentSource {
 public:
  Index documents() const override { return all_.documents(); }
  Index vocabulary() const override { return all_.vocabulary(); }
  std::int64_t tokens() const override { return all_.tokens(); }
  void read(std::span<const Index> ids, Corpus& to) const override { all_.read(ids, to); }

 private:
  DocumentsInMemory all_{small_corpus()};
};

std::shared_ptr<LocalTopics> local_topics(Index topics) {
  auto local = std::make_shared<LocalTopics>(small_source(), topics, LocalTopics::Settings{}, Rng(3));
  ExpandedTopics words(topics, 6, 0.5, 1);
  words.draw_start(Rng(4));
  words.write(local->phi());
  local->begin(1);
  return local;
}

struct Density {
  const char* name;
  std::shared_ptr<const WeightDensity> law;
  std::vector<Vec> points;  // of theta
};

std::vector<Density> densities(Index topics) {
  const GammaProcessHyperpriors process{5, {1.5, 0.8}, {2, 3}, {0.7, 1.2}};
  Vec atoms(2 * topics + 3), weights(topics + 1);
  for (Index k = 0; k < topics; ++k) {
    atoms[k] = 0.3 + 0.7 * static_cast<double>(k);
    atoms[topics + k] = 0.05 + 1.9 * static_cast<double>(k);
    weights[k] = std::pow(0.2, static_cast<double>(k));
  }
  atoms.tail(3) = Vec{{1.3, 0.4, 2.1}};
  weights[topics] = 2.2;
  return {{"gamma-gp", gamma_process_density(topics, process), {atoms, 0.4 * atoms, 3 * atoms}},
          {"gamma-nb", gamma_nb_density(topics, {0.8, 1.5, 0.6}), {weights, 0.1 * weights, 5 * weights}}};
}

Vec coordinates_of(const TopicSum& target, const Vec& theta) {
  Vec x(theta.size());
  target.unconstrain(theta, x);
  return x;
}

double logp(Target& target, const Vec& x) {
  Vec grad(x.size());
  return target.logp_grad(x, grad).logp;
}

TEST(WeightDensity, TailOfTheSumOfRounds) {
  EXPECT_NEAR(upper_gamma(5, 2.6).hazard, 0.16117854865378858, 1e-15);
  EXPECT_NEAR(std::log(1.3 / 5) + upper_gamma(5, 2.6).log, -1.4778391675729046, 1e-14);
  for (const Index rounds : {1, 2, 7, 40}) {
    for (const double y : {1e-3, 0.5, 3.0, 17.0, 90.0}) {
      const auto shape = static_cast<double>(rounds);
      const double density = boost::math::gamma_p_derivative(shape, y), q = boost::math::gamma_q(shape, y);
      EXPECT_NEAR(upper_gamma(rounds, y).hazard / (density / q), 1, 1e-12) << rounds << " " << y;
    }
    EXPECT_EQ(upper_gamma(rounds, 0).log, 0);
    EXPECT_NEAR(upper_gamma(rounds, 1e6).hazard, 1, 1e-4);
  }
}

TEST(TopicSum, GradientsBelongToTheDensity) {
  for (const Density& density : densities(3)) {
    for (const auto coordinates : {Coordinates::logarithms, Coordinates::natural}) {
      TopicSum target(local_topics(3), density.law, probability, coordinates);
      for (const Vec& theta : density.points) {
        const GradientCheck check = check_gradient(target, coordinates_of(target, theta));
        EXPECT_TRUE(check.ok) << density.name << ": " << check.message;
      }
    }
  }
}

// Scales are constant factors; the Jacobian of log theta is its sum.
TEST(TopicSum, BothCoordinatesHaveOneLaw) {
  for (const Density& density : densities(3)) {
    TopicSum logs(local_topics(3), density.law, probability, Coordinates::logarithms);
    TopicSum natural(local_topics(3), density.law, probability, Coordinates::natural);
    const auto jacobian = [&](const Vec& theta) {
      return logp(logs, coordinates_of(logs, theta)) - logp(natural, coordinates_of(natural, theta)) -
             theta.array().log().sum();
    };
    EXPECT_NEAR(jacobian(density.points[0]), 0, 1e-9) << density.name;
    EXPECT_NEAR(jacobian(density.points[2]), 0, 1e-9) << density.name;
    Vec values(density.points[1].size());
    natural.constrain(coordinates_of(natural, density.points[1]), values, Rng(1));
    EXPECT_LT((values - density.points[1]).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(TopicSum, PriorsAreWhatTheySay) {
  const auto log_gamma = [](double x, double shape, double rate) { return (shape - 1) * std::log(x) - rate * x; };
  const Vec a{{0.8, 1.7, 0.3, 2.5, 1.3, 0.4, 2.1}}, b{{1.1, 0.2, 0.9, 0.6, 0.7, 1.8, 0.5}};
  const auto process = [&](const Vec& t) {
    double sum = log_gamma(t[4], 1.5, 0.8) + log_gamma(t[5], 2, 3) + log_gamma(t[6], 0.7, 1.2);
    for (Index k = 0; k < 2; ++k) {
      sum += std::log(t[6]) - t[6] * t[k] + std::log(t[4]) + std::log(boost::math::gamma_q(5.0, t[4] * t[2 + k]));
    }
    return sum + 2 * std::log(t[5]) - 5 * t[5];  // K = 2 of Poisson(R gamma)
  };
  const auto nb = [&](const Vec& t) {
    double sum = log_gamma(t[2], 1.5, 0.6);
    for (Index k = 0; k < 2; ++k)
      sum += log_gamma(t[k], t[2] / 2, 0.8) + t[2] / 2 * std::log(0.8) - std::lgamma(t[2] / 2);
    return sum;
  };
  const auto all = densities(2);
  const auto difference = [](const WeightDensity& law, const Vec& to, const Vec& from) {
    Vec slope(to.size());
    PositivePoint at(to.size());
    const auto value = [&](const Vec& theta) {
      at.theta = theta;
      at.log_theta = theta.array().log();
      return law.log_density(at, slope);
    };
    return value(to) - value(from);
  };
  EXPECT_NEAR(difference(*all[0].law, a, b), process(a) - process(b), 1e-12);
  EXPECT_NEAR(difference(*all[1].law, a.head(3), b.head(3)), nb(a.head(3)) - nb(b.head(3)), 1e-12);
}

// psi(r + x) - psi(r) + log(1 - p) at r = 0.7, x = 3, p = 0.4; and the mean of log(1 - p) by quadrature.
TEST(TopicSum, OneDocumentByHand) {
  Corpus corpus;
  corpus.vocabulary = 1;
  const std::vector<std::uint32_t> word{0}, count{3};
  corpus.add({word, count});
  const auto local =
      std::make_shared<LocalTopics>(std::make_shared<DocumentsInMemory>(corpus), 1, LocalTopics::Settings{}, Rng(1));
  local->phi().word(0)[0] = 1;
  local->begin(1);
  TopicSum target(local, densities(1)[1].law, probability, Coordinates::natural);
  const double r = 0.7;
  const Vec x = coordinates_of(target, Vec{{r, 2.2}});
  Vec grad = Vec::Zero(2);
  const std::vector<Index> ids{0};
  const Eval at = target.add_terms(x, ids, 1, grad, Want::both);
  const double a = probability.a + 3, b = probability.b + r;
  boost::math::quadrature::tanh_sinh<double> integrate;
  const double mean_log =
      integrate.integrate([&](double q) { return std::log(q) * std::pow(q, b - 1) * std::pow(1 - q, a - 1); }, 0.0,
                          1.0) /
      boost::math::beta(b, a);
  const double scale = x[0] / r;
  EXPECT_NEAR(grad[0] * scale, 1.876351469293455 - std::log(0.6) + mean_log, 1e-10);
  EXPECT_EQ(grad[1], 0);
  EXPECT_NEAR(at.logp, std::log(r * (r + 1) * (r + 2)) + std::lgamma(b) - std::lgamma(a + b), 1e-13);
}

TEST(TopicSum, BatchesMeanTheWholeSum) {
  for (const Density& density : densities(3)) {
    TopicSum target(local_topics(3), density.law, probability, Coordinates::logarithms);
    const Vec x = coordinates_of(target, density.points[0]);
    Vec mean = Vec::Zero(x.size()), whole = Vec::Zero(x.size());
    std::vector<Index> all(5);
    std::iota(all.begin(), all.end(), 2);
    double mean_value = 0;
    for (const Index i : all) {
      for (const Index j : all) {
        const std::vector<Index> pair{i, j};
        if (i < j) mean_value += target.add_terms(x, pair, 5.0 / 2 / 10, mean, Want::both).logp;
      }
    }
    const double value = target.add_terms(x, all, 1, whole, Want::both).logp;
    EXPECT_LT((mean - whole).cwiseAbs().maxCoeff(), 1e-12 * whole.cwiseAbs().maxCoeff()) << density.name;
    EXPECT_NEAR(mean_value, value, 1e-12 * std::abs(value)) << density.name;
  }
}

TEST(LocalTopics, CountsEveryTokenOnce) {
  const auto source = small_source();
  LocalTopics local(source, 4, {.sweeps = 2, .keep = true, .threads = 3}, Rng(9));
  ExpandedTopics words(4, 6, 0.5, 1);
  words.draw_start(Rng(4));
  words.write(local.phi());
  const Vec weights = Vec::Constant(4, 0.5);
  WordTopicCounts expected = WordTopicCounts::Zero(1, 6);
  for (std::uint64_t iteration = 1; iteration <= 3; ++iteration) {
    local.begin(iteration);
    for (Index first : {Index{0}, Index{11}, Index{5}}) {  // the last of them again
      std::vector<Index> ids(static_cast<std::size_t>(first == 11 ? 12 : 11));
      std::iota(ids.begin(), ids.end(), first);
      local.look_at(ids, weights);
    }
    EXPECT_EQ(local.looked_at(), 23);
    EXPECT_TRUE(local.knows_all());
    EXPECT_EQ(local.counts(), local.kept_counts());
  }
  for (Index n = 0; n < 23; ++n) {
    const Document document = source->whole()->document(n);
    for (std::size_t i = 0; i < document.words.size(); ++i) expected(0, document.words[i]) += document.counts[i];
    Vec kept(4), entries = Vec::Zero(4);
    ASSERT_TRUE(local.kept(n, kept));
    for (const auto& [topic, tokens] : local.entries(n)) entries[topic] = tokens;
    EXPECT_EQ(kept, entries) << n;
    EXPECT_EQ(static_cast<std::int64_t>(kept.sum()), document.tokens()) << n;
  }
  EXPECT_EQ(WordTopicCounts(local.counts().colwise().sum()), expected);
}

// Given the same phi and weights.
TEST(LocalTopics, DrawsAnewInEveryIteration) {
  std::vector<Index> ids(23);
  std::iota(ids.begin(), ids.end(), 0);
  const auto local = local_topics(4);
  const Vec weights = Vec::Constant(4, 0.5);
  local->look_at(ids, weights);
  const WordTopicCounts first = local->counts();
  local->begin(2);
  local->look_at(ids, weights);
  EXPECT_NE(local->counts(), first);
}

TEST(LocalTopics, KeptTopicsGoOnWhereTheyWere) {
  const auto source = small_source();
  const Document document = source->whole()->document(3);
  const std::vector<Index> ids{3};
  const Vec weights{{0.3, 0.8, 0.1, 0.5}};
  LocalTopics local(source, 4, {.sweeps = 2, .keep = true}, Rng(9));
  ExpandedTopics words(4, 6, 0.5, 1);
  words.draw_start(Rng(4));
  words.write(local.phi());
  DocumentSweep sweep(4);
  sweep.set_weights(weights);
  std::vector<TopicOfToken> topics(static_cast<std::size_t>(document.tokens()));
  for (std::uint64_t iteration = 1; iteration <= 5; ++iteration) {
    local.begin(iteration);
    local.look_at(ids, weights);
    const Rng names = Rng(9).at(iteration).child("document", 3);
    if (iteration == 1) sweep.start(document, local.phi(), topics, names.stream("start"));
    for (std::uint64_t i = 0; i < 2; ++i) {
      sweep.sweep(document, local.phi(), topics, names.child("sweep", i).stream("topics"));
    }
    Vec kept(4), expected = Vec::Zero(4);
    for (const TopicOfToken topic : topics) expected[topic] += 1;
    ASSERT_TRUE(local.kept(3, kept));
    EXPECT_EQ(kept, expected) << iteration;
  }
}

WordTopicCounts some_counts() {
  WordTopicCounts counts(2, 3);
  counts << 4, 0, 9, 1, 2, 0;
  return counts;
}

Rng of_word(const Rng& rng, Index v) { return rng.child("word", static_cast<std::uint64_t>(v)); }

TEST(ExpandedTopics, LangevinStepByHand) {
  const double e = 0.03, eta = 0.4, w = 2.5;
  const WordTopicCounts counts = some_counts();
  ExpandedTopics topics(2, 3, eta, 2);
  topics.draw_start(Rng(1));
  const Mat g = topics.values();
  topics.langevin(e, {counts, w}, Rng(2));
  for (Index v = 0; v < 3; ++v) {
    Vec noise(2);
    of_word(Rng(2), v).stream("noise").normals(noise);
    for (Index k = 0; k < 2; ++k) {
      const double decay = 1 + w * counts.row(k).sum() / g.row(k).sum();
      const double next = std::abs(topics.values()(k, v));
      const double moved = g(k, v) + e / 2 * (eta + w * counts(k, v)) + std::sqrt(e * g(k, v)) * noise[k];
      EXPECT_NEAR(next * (1 + e / 2 * decay), std::abs(moved), 1e-13);
    }
  }
  WordTopics phi(2, 3);
  topics.write(phi);
  EXPECT_NEAR(phi.word(1)[1], topics.values()(1, 1) / topics.values().row(1).sum(), 1e-7);
}

class TopicOfWords final : public Target {  // log p(g) of one topic
 public:
  TopicOfWords(double eta, double w, Vec counts) : eta_(eta), w_(w), counts_(std::move(counts)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<TopicOfWords>(*this); }
  Index dim() const override { return counts_.size(); }
  Eval logp_grad(In g, Out grad) override {
    const double total = g.sum();
    grad = (eta_ - 1 + w_ * counts_.array()) / g.array() - 1 - w_ * counts_.sum() / total;
    return {((eta_ - 1 + w_ * counts_.array()) * g.array().log()).sum() - total - w_ * counts_.sum() * std::log(total)};
  }

 private:
  double eta_, w_;
  Vec counts_;
};

TEST(ExpandedTopics, LeapfrogIsTheGeneralOne) {
  const double e = 0.05, eta = 0.8, w = 2.5;
  const WordTopicCounts counts = some_counts();
  ExpandedTopics topics(2, 3, eta, 2);
  topics.draw_start(Rng(1));
  const Mat start = topics.values();
  topics.hamiltonian(e, 3, {counts, w}, Rng(2));
  EXPECT_EQ(topics.failed_moves(), 0);
  for (Index k = 0; k < 2; ++k) {
    TopicOfWords target(eta, w, counts.row(k).transpose().cast<double>());
    PositiveGeometry geometry(true);
    GeneralizedLeapfrog flow(target, geometry, {ImplicitSettings::Method::newton, 0, true});
    RiemannianPoint z(3, true);
    z.x = start.row(k).transpose();
    for (Index v = 0; v < 3; ++v) {
      Vec normals(2);
      of_word(Rng(2), v).stream("momentum").normals(normals);
      z.p[v] = normals[k] / std::sqrt(z.x[v]);
    }
    const GradientCheck check = check_gradient(target, z.x);
    EXPECT_TRUE(check.ok) << check.message;
    z.u = potential(target, z.x, z.g);
    ASSERT_EQ(flow.locate(z), StepFailure::none);
    z.metric.solve(z.p, z.v);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(flow.step(e, z), StepFailure::none);
    EXPECT_LT((topics.values().row(k).transpose() - z.x).cwiseAbs().maxCoeff(), 1e-9) << k;
  }
  ExpandedTopics stiff(2, 3, 0.05, 1);  // near 0 there may be no solution
  stiff.draw_start(Rng(1));
  for (std::uint64_t i = 0; i < 50; ++i) stiff.hamiltonian(0.5, 5, {counts, w}, Rng(3).at(i));
  EXPECT_GT(stiff.failed_moves(), 0);
  EXPECT_TRUE(stiff.values().allFinite());
  EXPECT_GT(stiff.values().minCoeff(), 0);
}

// Steps of the words on seven documents of 23.
TEST(WordMoves, StandForAllDocuments) {
  const std::vector<Index> ids{0, 2, 3, 9, 11, 17, 20};
  const auto phi_of = [](const auto& write) {
    WordTopics phi(3, 6);
    write(phi);
    return Eigen::MatrixXf(phi.phi());
  };
  for (const auto kind : {WordMoveSettings::expanded_mean, WordMoveSettings::rhmc, WordMoveSettings::gibbs}) {
    LocalTopics local(small_source(), 3, {.keep = true}, Rng(3));
    const WordMoveSettings settings{
        .kind = kind, .prior = 0.8, .first_step = 0.02, .decay = 0.5, .delay = 4, .leapfrog_steps = 3};
    WordMoves moves(settings, local, 1, Rng(6));
    ExpandedTopics expected(3, 6, 0.8, 1);
    expected.draw_start(Rng(6));
    EXPECT_EQ(local.phi().phi(), phi_of([&](WordTopics& phi) { expected.write(phi); }));
    local.begin(1);
    local.look_at(std::vector<Index>{1, 2, 5}, Vec::Constant(3, 0.5));
    local.begin(12);
    local.look_at(ids, Vec::Constant(3, 0.5));
    moves.move(12, local);
    const ExpandedTopics::Data data{local.counts(), 23.0 / 7};
    if (kind == WordMoveSettings::expanded_mean) expected.langevin(0.01, data, Rng(6).at(12));
    if (kind == WordMoveSettings::rhmc) expected.hamiltonian(0.01, 3, data, Rng(6).at(12));
    const Eigen::MatrixXf moved = phi_of([&](WordTopics& phi) {
      if (kind != WordMoveSettings::gibbs) return expected.write(phi);
      draw_topic_words(local.kept_counts(), 0.8, 1, Rng(6).at(12), phi);
    });
    EXPECT_EQ(local.phi().phi(), moved) << kind;
  }
}

std::unique_ptr<TopicMethod> made(Settings settings, std::shared_ptr<const DocumentSource> source = small_source(),
                                  int threads = 1) {
  settings.try_emplace("topics", "4");
  settings.try_emplace("batch_size", "7");
  return make_stochastic_topics(std::move(source), Config("stochastic", stochastic_topics_params(), settings),
                                {8, threads});
}

std::string after(TopicMethod& method, int steps) {
  for (int i = 0; i < steps; ++i) method.step();
  Writer out;
  method.save(out);
  return out.bytes();
}

// Every sampler on estimated gradients runs on topics, and goes on from where it was saved.
TEST(StochasticTopics, EverySampler) {
  int tried = 0;
  for (const SamplerEntry& sampler : samplers()) {
    if (!sampler.stochastic || sampler.blocked) continue;
    ++tried;
    for (const char* model : {"gamma-gp", "gamma-nb"}) {
      Settings settings{{"sampler", std::string(sampler.name)}, {"model", model}};
      if (sampler.family == "mass-learning") settings["sampler_settings"] = "em_samples=3 mass_shape=diagonal";
      const auto whole = made(settings), first = made(settings), second = made(settings);
      const std::string expected = after(*whole, 9);
      const std::string saved = after(*first, 4);
      Reader in(saved);
      second->load(in);
      EXPECT_TRUE(in.at_end());
      EXPECT_EQ(second->draw().weights, first->draw().weights) << sampler.name;
      EXPECT_EQ(after(*second, 5), expected) << sampler.name << " " << model;
      const TopicDraw draw = whole->draw();
      EXPECT_TRUE(draw.phi.allFinite() && draw.phi.minCoeff() > 0) << sampler.name;
      EXPECT_LT((draw.phi.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-5F) << sampler.name;
      EXPECT_TRUE(draw.weights.allFinite() && draw.weights.minCoeff() > 0) << sampler.name;
      EXPECT_NE(draw.weights, made(settings)->draw().weights) << sampler.name << " has not moved";
    }
  }
  EXPECT_GE(tried, 15);
}

TEST(StochasticTopics, ThreadsDoNotMatter) {
  for (const char* phi : {"expanded_mean", "rhmc", "gibbs"}) {
    for (const char* batch : {"7", "100"}) {
      const Settings settings{{"phi", phi}, {"batch_size", batch}, {"phi_leapfrog_steps", "3"}};
      const std::string one = after(*made(settings), 6);
      EXPECT_EQ(after(*made(settings, small_source(), 2), 6), one) << phi;
      EXPECT_EQ(after(*made(settings, small_source(), 5), 6), one) << phi;
    }
  }
}

TEST(StochasticTopics, DocumentsNeedNotBeInMemory) {
  const auto streamed = made({}, std::make_shared<Streamed>());
  EXPECT_EQ(after(*streamed, 8), after(*made({{"keep_topics", "false"}}), 8));
  Vec shares(4);
  EXPECT_FALSE(streamed->shares(0, shares));
  EXPECT_NEAR(streamed->data_passes(), 8 * 7.0 / 23, 1e-12);
  EXPECT_NEAR(streamed->prevalence().sum() / static_cast<double>(small_corpus().tokens()), 1, 0.3);
}

// Whatever has been held before.
TEST(StochasticTopics, PackedDocumentsAreTheSame) {
  const test::TempFolder folder;
  write_packed_corpus(folder.file("c.qpk"), {.counts = small_corpus(), .source = "memory"});
  const auto packed = open_packed_corpus(folder.file("c.qpk")).documents;
  ASSERT_EQ(packed->whole(), nullptr);
  for (const Settings& settings : {Settings{}, Settings{{"sampler", "sg-nphmc"}}, Settings{{"batch_size", "23"}}}) {
    Settings in_memory = settings;
    in_memory["keep_topics"] = "false";
    for (const int threads : {1, 3}) {
      EXPECT_EQ(after(*made(settings, packed, threads), 8), after(*made(in_memory), 8)) << threads;
    }
  }
}

TEST(StochasticTopics, AreDefinedForDocumentsThatSayLittle) {
  for (const auto& documents : test::documents_that_say_little()) {
    const bool many = documents->tokens() > 1000;
    for (const char* phi : {"expanded_mean", "rhmc", "gibbs"}) {
      for (const char* model : {"gamma-gp", "gamma-nb"}) {
        for (const char* topics : {"1", "40"}) {
          for (const std::string prior : {"0.0001", "10"}) {
            if (many && prior == "10") continue;  // it takes long
            const std::string what = std::string(phi) + ' ' + model + ' ' + topics + ' ' + prior;
            const auto method = made({{"phi", phi},
                                      {"model", model},
                                      {"topics", topics},
                                      {"word_prior", prior},
                                      {"local_sweeps", "1"},
                                      {"phi_leapfrog_steps", "5"}},
                                     documents);
            for (int i = 0; i < (many ? 2 : 30); ++i) method->step();
            const TopicDraw draw = method->draw();
            EXPECT_TRUE(draw.phi.allFinite() && draw.phi.minCoeff() > 0) << what;
            EXPECT_LT((draw.phi.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-5F) << what;
            EXPECT_TRUE(draw.weights.allFinite() && draw.weights.minCoeff() > 0) << what;
            EXPECT_EQ(method->prevalence().sum(), static_cast<double>(documents->tokens())) << what;
            for (const NamedNumber& number : method->scalars()) EXPECT_TRUE(std::isfinite(number.value)) << what;
          }
        }
      }
    }
  }
  const auto too_many = [](const char* keep) {
    const auto documents = test::documents_of(2, {{{0, 4294967295U}, {1, 1}}});
    return test::error_message<DataError>([&] { after(*made({{"keep_topics", keep}}, documents), 1); });
  };
  EXPECT_NE(too_many("true").find("are more than 4294967295"), std::string::npos);
  EXPECT_NE(too_many("false").find("are more than 4294967295"), std::string::npos);
}

TEST(StochasticTopics, KeptTopicsTellSharesAndWords) {
  const auto method = made({{"batch_size", "23"}});
  Vec shares(4);
  ASSERT_TRUE(method->shares(3, shares));  // not read yet: those of a new document
  EXPECT_LT((shares - method->draw().weights / method->draw().weights.sum()).norm(), 1e-15);
  after(*method, 3);
  EXPECT_EQ(method->prevalence().sum(), static_cast<double>(small_corpus().tokens()));
  ASSERT_TRUE(method->shares(3, shares));
  EXPECT_NEAR(shares.sum(), 1, 1e-12);
  EXPECT_EQ(method->scalars().size(), 4U);
  EXPECT_EQ(method->scalars()[0].name, "alpha");
  EXPECT_EQ(made({{"model", "gamma-nb"}})->scalars()[0].name, "g0");
  EXPECT_FALSE(method->converged());
  EXPECT_TRUE(std::isnan(method->objective()));
}

// One iteration of ten steps on the batch that it holds looks at seven documents; with fresh batches, at more.
TEST(StochasticTopics, ABatchIsHeldOrFresh) {
  const auto passes = [](const char* batch) {
    const auto method = made({{"sampler", "sg-nphmc"}, {"sampler_settings", std::string("batch=") + batch}});
    after(*method, 1);
    return method->data_passes() * 23;
  };
  EXPECT_NEAR(passes("per_trajectory"), 7, 1e-9);
  EXPECT_NEAR(passes("per_gradient"), 23, 1e-9);
}

TEST(StochasticTopics, StepSizesFitTheBatch) {
  const auto step = [](const char* sampler, Index batch, Index documents, const char* given = "") {
    return std::stod(weight_sampler_settings({sampler, given, batch, 1}, documents).at("step_size"));
  };
  EXPECT_NEAR(step("sgld", 100, 900), 0.2 / 10, 1e-15);
  EXPECT_NEAR(step("sgnht", 100, 500), 0.1 / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(step("sgld", 100, 100), 0.2, 1e-15);
  EXPECT_NEAR(step("psgld", 100, 900, "regularization=0.5"), 0.02 * (0.5 + std::sqrt(10.0) / 900), 1e-15);
  EXPECT_EQ(step("sgld", 100, 900, "batch_order=with_replacement step_size=0.125"), 0.125);
  EXPECT_EQ(weight_sampler_settings({"sgld", "", 100, 1}, 80).at("estimator"), "full");
  EXPECT_FALSE(weight_sampler_settings({"sghmc", "learning_rate=0.01", 100, 1}, 900).contains("step_size"));
}

TEST(StochasticTopics, WhatAUserCanGetWrong) {
  const auto usage = [](const Settings& settings, std::shared_ptr<const DocumentSource> source = small_source()) {
    return test::error_message<UsageError>([&] { made(settings, source); });
  };
  EXPECT_NE(usage({{"sampler", "sgrl"}}).find("did you mean 'sgrld'"), std::string::npos);
  EXPECT_NE(usage({{"sampler", "nuts"}}).find("estimated gradients"), std::string::npos);
  EXPECT_NE(usage({{"sampler_settings", "batch_size=5"}}).find("of its own"), std::string::npos);
  EXPECT_NE(usage({{"sampler_settings", "step_size"}}).find("name=value"), std::string::npos);
  EXPECT_NE(usage({{"sampler_settings", "stepsize=1"}}).find("did you mean 'step_size'"), std::string::npos);
  EXPECT_NE(usage({{"sampler_settings", "estimator=svrg"}}).find("drawn anew"), std::string::npos);
  EXPECT_NE(usage({{"sampler_settings", "step_size=0"}}).find("before the first step"), std::string::npos);
  EXPECT_NE(usage({{"sampler", "sghmc"}, {"sampler_settings", "learning_rate=0"}}).find("before the first step"),
            std::string::npos);
  for (const char* sampler : {"sghmc", "sgnht", "sg-nphmc-canonical"}) {
    EXPECT_NE(usage({{"sampler", sampler}, {"sampler_settings", "mass=fisher"}}).find("no warm-up"), std::string::npos);
  }
  EXPECT_NE(usage({{"keep_topics", "true"}}, std::make_shared<Streamed>()).find("in memory"), std::string::npos);
  EXPECT_NE(usage({{"phi", "gibbs"}}, std::make_shared<Streamed>()).find("all documents"), std::string::npos);
  Corpus none;
  none.vocabulary = 6;
  test::error_message<DataError>([&] { made({}, std::make_shared<DocumentsInMemory>(none)); });
  const auto lost = [](const Settings& settings) {
    return test::error_message<Diverged>([&] { after(*made(settings), 100); });
  };
  EXPECT_NE(lost({{"sampler", "sgld"}, {"sampler_settings", "step_size=1e6"}}).find("diverged"), std::string::npos);
  const auto method = made({});
  const std::string saved = after(*method, 1);
  Reader in(saved);
  test::error_message<DataError>([&] { made({{"topics", "5"}})->load(in); });
}

}  // namespace
}  // namespace quasar
