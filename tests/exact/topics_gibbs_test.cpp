// The parts of Gibbs sampling of topics, without statistics where that can be: choices of topics by exact sums, all
// assignments of a tiny document enumerated, tables, threads, saving.
// 12 statistical assertions: false-positive rate 1e-3 together.
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>

#include <quasar/corpus.hpp>
#include <quasar/errors.hpp>

#include "core/many_gammas.hpp"
#include "models/topics/gamma_gp.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/held_out.hpp"
#include "models/topics/nb_lda.hpp"
#include "models/topics/tables.hpp"
#include "models/topics/topic_words.hpp"
#include "simd/topic_choice.hpp"
#include "support/error_message.hpp"
#include "support/instruction_sets.hpp"
#include "support/sparse_documents.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

const double alpha = test::per_assertion(test::family_alpha, 12);

Corpus small_corpus() {
  Corpus corpus;
  corpus.vocabulary = 7;
  const std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> documents = {
      {{0, 3}, {1, 2}, {6, 1}}, {{2, 4}, {3, 1}}, {}, {{0, 1}, {4, 5}, {5, 2}}, {{1, 1}, {2, 2}, {3, 3}, {6, 2}}};
  for (const auto& document : documents) {
    std::vector<std::uint32_t> words, counts;
    for (const auto& [word, count] : document) {
      words.push_back(word);
      counts.push_back(count);
    }
    corpus.add({words, counts});
  }
  return corpus;
}

// Enough documents for several threads to take some.
Corpus many_documents() {
  Corpus corpus;
  corpus.vocabulary = 7;
  const std::vector<std::uint32_t> words = {0, 1, 2, 3, 4, 5, 6};
  Stream draws = Rng(8).stream("counts");
  for (Index n = 0; n < 1000; ++n) {
    std::vector<std::uint32_t> counts(words.size());
    for (std::uint32_t& count : counts) count = 1 + static_cast<std::uint32_t>(draws.index(9));
    corpus.add({words, counts});
  }
  return corpus;
}

std::shared_ptr<const DocumentSource> source_of(Corpus corpus) {
  return std::make_shared<DocumentsInMemory>(std::move(corpus));
}

struct Method {
  const char* name;
  std::span<const ParamSpec> (*params)();
  MakeTopicMethod make;
};
const Method methods[] = {{"gamma-nb", gamma_nb_params, make_gamma_nb},
                          {"gamma-gp", gamma_gp_params, make_gamma_gp},
                          {"nb-lda", nb_lda_params, make_nb_lda}};

std::unique_ptr<TopicMethod> made(const Method& method, int threads, Corpus corpus = small_corpus()) {
  return method.make(source_of(std::move(corpus)), Config(method.name, method.params(), {{"topics", "5"}}),
                     {3, threads});
}

std::string state_of(const TopicMethod& method) {
  Writer out;
  method.save(out);
  return out.bytes();
}

std::string state_of_tokens(FactorGibbs& gibbs) {
  Writer out;
  out("tokens", gibbs.tokens());
  return out.bytes();
}

// Small whole numbers: all sums are exact, so that the place of u among the cumulative sums in the order of lanes is
// known.
TEST(TopicChoice, WalksLanesThenTopics) {
  for (const std::size_t topics : {1, 5, 16, 17, 40, 100}) {
    const std::size_t stride = simd::topic_stride(topics);
    std::vector<float> a(stride), b(stride, 1);
    for (std::size_t k = 0; k < topics; ++k) a[k] = static_cast<float>(k % 3);
    if (topics == 1) a[0] = 2;
    const float total = std::accumulate(a.begin(), a.end(), 0.0F);
    std::map<std::size_t, int> found;
    for (int i = 0; i < static_cast<int>(total); ++i) {
      ++found[simd::choose_topic(a.data(), b.data(), stride, (static_cast<float>(i) + 0.5F) / total)];
    }
    for (std::size_t k = 0; k < topics; ++k) EXPECT_EQ(found[k], static_cast<int>(a[k])) << topics << " " << k;
  }
}

TEST(TopicChoice, KnowsWhenNothingCanBeChosenAndNeverTakesTheImpossible) {
  std::vector<float> a(32, 0), b(32, 1);
  EXPECT_EQ(simd::choose_topic(a.data(), b.data(), 32, 0.5F), 32U);
  a[9] = 1e-30F;
  a[20] = 1e-37F;
  for (const float u : {0.0F, 0.3F, 0.99999994F}) {
    const std::size_t k = simd::choose_topic(a.data(), b.data(), 32, u);
    EXPECT_TRUE(k == 9 || k == 20) << k;
  }
}

TEST(TopicChoice, AllInstructionSetsChooseTheSame) {
  std::vector<float> a(112), b(112);
  Stream draws = Rng(1).stream("numbers");
  for (std::size_t i = 0; i < 100; ++i) {
    a[i] = static_cast<float>(draws.uniform());
    b[i] = static_cast<float>(draws.exponential());
  }
  std::vector<std::vector<std::size_t>> all;
  test::with_each_instruction_set([&] {
    std::vector<std::size_t> chosen;
    for (int i = 0; i < 1000; ++i) {
      chosen.push_back(simd::choose_topic(a.data(), b.data(), 112, (static_cast<float>(i) + 0.5F) / 1000));
    }
    all.push_back(chosen);
  });
  for (const auto& chosen : all) EXPECT_EQ(chosen, all.front());
}

// All assignments of a document of four tokens: sweeps visit each as often as
// prod_i phi prod_k Gamma(r_k + x_k) / Gamma(r_k) says.
TEST(DocumentSweep, VisitsAllAssignmentsByTheirProbability) {
  const std::vector<std::uint32_t> words = {0, 2}, counts = {3, 1};
  const Document document{words, counts};
  Eigen::MatrixXf phi(3, 3);
  phi << 0.7F, 0.1F, 0.2F, 0.2F, 0.3F, 0.5F, 0.4F, 0.5F, 0.1F;
  const WordTopics by_word(phi);
  const Vec r = (Vec(3) << 0.3, 1.5, 0.8).finished();
  std::vector<double> expected(81), observed(81, 0);
  for (int code = 0; code < 81; ++code) {
    const int z[4] = {code % 3, code / 3 % 3, code / 9 % 3, code / 27};
    Vec x = Vec::Zero(3);
    double p = 1;
    for (int i = 0; i < 4; ++i) {
      p *= static_cast<double>(phi(z[i], i < 3 ? 0 : 2)) * (r[z[i]] + x[z[i]]);
      x[z[i]] += 1;
    }
    expected[static_cast<std::size_t>(code)] = p;
  }
  DocumentSweep sweep(3);
  sweep.set_weights(r);
  constexpr int replicates = 40000;
  std::vector<TopicOfToken> topics(4);
  for (int i = 0; i < replicates; ++i) {  // each from a start of its own, and long enough after it
    const Rng rng = Rng(5).child("replicate", static_cast<std::uint64_t>(i));
    sweep.start(document, by_word, topics, rng.stream("start"));
    for (std::uint64_t t = 0; t < 8; ++t) sweep.sweep(document, by_word, topics, rng.at(t).stream("sweep"));
    ++observed[static_cast<std::size_t>(topics[0] + 3 * topics[1] + 9 * topics[2] + 27 * topics[3])];
  }
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (double& e : expected) e *= replicates / total;
  EXPECT_GT(test::goodness_of_fit_p_value(observed, expected), alpha);
  EXPECT_EQ(std::accumulate(sweep.counts().begin(), sweep.counts().end(), 0U), 4U);
}

// More tokens than uniforms are drawn at once: each has the element of its own number.
TEST(DocumentSweep, LongDocumentsHaveAUniformForEveryToken) {
  const std::vector<std::uint32_t> words = {0, 1, 3}, counts = {1500, 1, 2999};
  const Document document{words, counts};
  const WordTopics phi(Eigen::MatrixXf(Eigen::MatrixXf::Random(5, 4).cwiseAbs()));
  const Vec r = Vec::LinSpaced(5, 0.2, 1.1);
  const auto tokens = static_cast<std::size_t>(document.tokens());
  std::vector<TopicOfToken> topics(tokens), expected;
  DocumentSweep sweep(5);
  sweep.set_weights(r);
  sweep.start(document, phi, topics, Rng(3).stream("topics"));
  Stream uniforms = Rng(3).stream("topics");
  Eigen::VectorXf totals = Eigen::VectorXf::Zero(phi.stride());
  totals.head(5) = r.cast<float>();
  Eigen::VectorXf seen = Eigen::VectorXf::Zero(phi.stride());
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint32_t c = 0; c < counts[i]; ++c) {
      const auto u = static_cast<float>(uniforms.uniform() * (1 - 0x1p-24));
      const std::size_t k =
          simd::choose_topic(phi.word(words[i]), totals.data(), static_cast<std::size_t>(phi.stride()), u);
      const auto topic = static_cast<Index>(k);
      totals[topic] = static_cast<float>(r[topic]) + ++seen[topic];
      expected.push_back(static_cast<TopicOfToken>(k));
    }
  }
  EXPECT_EQ(topics, expected);
}

// The law of sum_j CRT(x_j, r), guest by guest.
std::vector<double> law_of_tables(std::span<const std::uint32_t> counts, double r) {
  constexpr std::size_t most = 400;
  std::vector<double> p(most + 1, 0);
  p[0] = 1;
  for (const std::uint32_t count : counts) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const double alone = r / (r + i);
      for (std::size_t tables = most; tables > 0; --tables) p[tables] += alone * (p[tables - 1] - p[tables]);
      p[0] *= 1 - alone;
    }
  }
  return p;
}

template <class Draw>
double p_value_of_tables(std::span<const std::uint32_t> counts, double r, std::uint64_t replicates, const Draw& draw) {
  std::vector<double> expected = law_of_tables(counts, r), observed(expected.size(), 0);
  for (double& e : expected) e *= static_cast<double>(replicates);
  for (std::uint64_t i = 0; i < replicates; ++i) {
    ++observed[static_cast<std::size_t>(draw(Rng(3).child("replicate", i).stream("tables")))];
  }
  return test::goodness_of_fit_p_value(observed, expected);
}

TEST(Tables, OfOneCountHaveTheLawOfTheRestaurant) {
  for (const double r : {0.05, 0.7, 40.0}) {
    const std::vector<std::uint32_t> counts = {300};
    EXPECT_GT(p_value_of_tables(counts, r, 40000, [&](Stream draws) { return draw_tables(300, r, draws); }), alpha)
        << r;
  }
  EXPECT_EQ(draw_tables(0, 0.7, Rng(1).stream("t")), 0);
  EXPECT_EQ(draw_tables(1, 0.7, Rng(1).stream("t")), 1);
  EXPECT_EQ(draw_tables(1000, 1e12, Rng(1).stream("t")), 1000);
  EXPECT_EQ(draw_tables(std::int64_t{1} << 60, 1e-30, Rng(1).stream("t")), 1);
}

// Counts beyond those that are tabulated by their size.
TEST(Tables, OfLargeCountsHaveTheLawOfTheRestaurant) {
  const std::vector<std::uint32_t> all = {5000, 3, 20000};
  CountHistogram counts, parts, other;
  for (const std::uint32_t x : all) counts.add(x);
  EXPECT_GT(p_value_of_tables(all, 2.5, 1000, [&](Stream draws) { return counts.draw_tables(2.5, draws); }), alpha);
  parts.add(20000), parts.add(3), other.add(5000);
  parts.add(other);
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(parts.draw_tables(2.5, Rng(i).stream("a")), counts.draw_tables(2.5, Rng(i).stream("a")));
  }
  CountHistogram largest;
  largest.add(std::numeric_limits<std::uint32_t>::max());
  EXPECT_GT(largest.draw_tables(0.7, Rng(1).stream("a")), 1);
  largest.clear();
  EXPECT_EQ(largest.draw_tables(0.7, Rng(1).stream("a")), 0);
}

TEST(Tables, HaveTheLawOfTheRestaurant) {
  // E CRT(3, 0.7), and the whole law of CRT(3, 0.7) + CRT(2, 0.7) by its three uncertain guests.
  const double r = 0.7;
  CountHistogram counts;
  counts.add(3);
  counts.add(0);
  counts.add(2);
  std::vector<double> observed(4, 0), expected(4, 0);
  constexpr int replicates = 40000;
  const double p[3] = {r / (r + 1), r / (r + 2), r / (r + 1)};
  EXPECT_NEAR(1 + p[0] + p[1], 1.671023965141612, 1e-15);
  for (int code = 0; code < 8; ++code) {
    double probability = replicates;
    int tables = 0;
    for (int i = 0; i < 3; ++i) {
      const bool sits_alone = (code >> i & 1) == 1;
      probability *= sits_alone ? p[i] : 1 - p[i];
      tables += sits_alone ? 1 : 0;
    }
    expected[static_cast<std::size_t>(tables)] += probability;
  }
  const std::vector<double> law = law_of_tables(std::vector<std::uint32_t>{3}, r);
  EXPECT_NEAR(law[1] + 2 * law[2] + 3 * law[3], 1.671023965141612, 1e-15);
  for (int i = 0; i < replicates; ++i) {
    ++observed[static_cast<std::size_t>(
        counts.draw_tables(r, Rng(2).child("r", static_cast<std::uint64_t>(i)).stream("t")) - 2)];
  }
  EXPECT_GT(test::goodness_of_fit_p_value(observed, expected), alpha);
}

TEST(Tables, OfMergedHistogramsAreThoseOfAll) {
  CountHistogram all, part, other;
  for (const std::uint32_t x : {1, 5, 3, 9}) {
    all.add(x);
    (x > 3 ? part : other).add(x);
  }
  part.add(other);
  EXPECT_EQ(all.draw_tables(1.3, Rng(1).stream("a")), part.draw_tables(1.3, Rng(1).stream("a")));
}

const std::vector<std::vector<std::uint32_t>> topic_counts = {{4, 0}, {1, 7}, {9, 2}, {30, 3}, {5, 60}};

TEST(Tables, DoNotDependOnWhoHasSeenThem) {
  TopicTables one(2, 1), three(2, 3);
  for (std::size_t n = 0; n < topic_counts.size(); ++n) {
    one.see(0, topic_counts[n]);
    three.see(n % 3, topic_counts[n]);
  }
  const Vec r{{1.3, 4.0}};
  EXPECT_EQ(one.draw(r, Rng(1)), three.draw(r, Rng(1)));
}

TEST(NbLda, DrawsTheSameWhoeverHasSeenADocument) {
  const auto documents = std::ssize(topic_counts);
  NbLdaWeights one(2, documents, {2, 2}, 1), three(2, documents, {2, 2}, 3);
  one.begin(Rng(1));
  three.begin(Rng(1));
  for (std::size_t n = 0; n < topic_counts.size(); ++n) {
    one.see(0, static_cast<Index>(n), topic_counts[n]);
    three.see(n % 3, static_cast<Index>(n), topic_counts[n]);
  }
  const Vec exposures = Vec::Ones(documents);
  one.draw(exposures);
  three.draw(exposures);
  EXPECT_EQ(one.r, three.r);
}

TEST(ManyGammas, FollowGammaLaws) {
  ManyGammas gammas;
  for (const double shape : {0.05, 0.7, 1.0, 3.5, 4000.0}) {
    constexpr Index count = 20000;
    Vec out(count);
    gammas.draw(Rng(11).child("shape", static_cast<std::uint64_t>(100 * shape)), Vec::Constant(count, shape), out);
    std::vector<double> sorted(out.begin(), out.end());
    std::sort(sorted.begin(), sorted.end());
    const boost::math::gamma_distribution<> law(shape, 1);
    EXPECT_GT(test::ks_p_value(sorted, [&](double x) { return boost::math::cdf(law, x); }), alpha) << shape;
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << shape << ": one number twice";
  }
}

TEST(ManyGammas, DoNotDependOnTheirNeighbours) {
  ManyGammas gammas;
  Vec shapes = Vec::LinSpaced(600, 0.05, 4), all(600), some(300);
  shapes[17] = 1e9;  // drawn otherwise
  gammas.draw(Rng(1), shapes, all);
  gammas.draw(Rng(1), shapes.head(300), some);
  EXPECT_EQ(some, all.head(300));
  EXPECT_NEAR(all[17], 1e9, 1e6);
}

TEST(TopicWords, SumToOneWhateverThePrior) {
  WordTopicCounts counts = WordTopicCounts::Zero(6, 100);
  counts(2, 7) = 50;
  WordTopics phi(6, 100), again(6, 100);
  for (const double prior : {1e-4, 0.05, 3.0}) {
    draw_topic_words(counts, prior, 1, Rng(4), phi);
    draw_topic_words(counts, prior, 3, Rng(4), again);
    EXPECT_EQ(phi.phi(), again.phi());
    for (Index k = 0; k < 6; ++k) EXPECT_NEAR(phi.phi().row(k).cast<double>().sum(), 1, 1e-5) << prior << " " << k;
    EXPECT_GT(phi.word(7)[2], prior < 1 ? 0.5F : 0.05F);
    for (Index v = 0; v < 100; ++v) {
      for (Index k = 6; k < phi.stride(); ++k) EXPECT_EQ(phi.word(v)[k], 0);
    }
  }
  std::vector<float> words(phi.phi().row(0).begin(), phi.phi().row(0).end());  // with the last prior all differ
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

TEST(TopicWords, HaveTheMeanOfTheirLaw) {
  WordTopicCounts counts(2, 3);
  counts << 4, 0, 9, 1, 2, 0;
  const Eigen::MatrixXf mean = mean_topic_words(counts, 0.5);
  EXPECT_NEAR(mean(0, 2), 9.5 / 14.5, 1e-7);
  EXPECT_NEAR(mean(1, 0), 1.5 / 4.5, 1e-7);
}

class Methods : public testing::TestWithParam<Method> {};

TEST_P(Methods, DrawTheSameOnAnyNumberOfThreads) {
  const auto one = made(GetParam(), 1, many_documents()), three = made(GetParam(), 3, many_documents());
  for (int i = 0; i < 5; ++i) {
    one->step();
    three->step();
  }
  EXPECT_EQ(state_of(*one), state_of(*three));
}

TEST_P(Methods, GoOnFromWhatWasSaved) {
  const auto whole = made(GetParam(), 1), first = made(GetParam(), 2), second = made(GetParam(), 1);
  for (int i = 0; i < 6; ++i) whole->step();
  for (int i = 0; i < 3; ++i) first->step();
  const std::string saved = state_of(*first);
  Reader in(saved);
  second->load(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(second->prevalence(), first->prevalence());
  for (int i = 0; i < 3; ++i) second->step();
  EXPECT_EQ(state_of(*whole), state_of(*second));
}

TEST_P(Methods, LoadOnlyTopicsThatThereAre) {
  const auto method = made(GetParam(), 1);
  dynamic_cast<FactorGibbs&>(*method).tokens().document(3)[2] = 5;
  const std::string saved = state_of(*method);
  Reader in(saved);
  EXPECT_EQ(test::error_message<DataError>([&] { made(GetParam(), 1)->load(in); }),
            "saved topics of tokens are more than there are");
}

TEST_P(Methods, RefuseMoreTokensThanCanBeCounted) {
  Corpus corpus;
  corpus.vocabulary = 2;
  const std::vector<std::uint32_t> words = {0, 1}, counts = {4294967295U, 1};
  corpus.add({words, counts});
  EXPECT_NE(test::error_message<DataError>([&] {
              made(GetParam(), 1, corpus);
            }).find("4294967296 tokens are more than 4294967295"),
            std::string::npos);
}

// What a sweep does not draw keeps its law, so that tests of laws do not miss it.
TEST_P(Methods, DrawEverythingAnew) {
  const auto method = made(GetParam(), 1);
  auto& gibbs = dynamic_cast<FactorGibbs&>(*method);
  const Vec not_p = gibbs.not_p(), r = gibbs.weights().in_documents().values;
  const Eigen::MatrixXf phi = gibbs.phi().phi();
  const std::vector<NamedNumber> scalars = gibbs.scalars();
  const std::string topics = state_of_tokens(gibbs);
  gibbs.step();
  EXPECT_TRUE((gibbs.not_p().array() != not_p.array()).all());
  EXPECT_TRUE((gibbs.weights().in_documents().values.array() != r.array()).all());
  for (Index k = 0; k < 5; ++k) EXPECT_NE(Eigen::MatrixXf(gibbs.phi().phi().row(k)), phi.row(k)) << k;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    EXPECT_NE(gibbs.scalars()[i].value, scalars[i].value) << scalars[i].name;
  }
  EXPECT_NE(state_of_tokens(gibbs), topics);
}

TEST_P(Methods, CountEveryTokenAndShareEveryDocument) {
  const auto method = made(GetParam(), 2);
  method->step();
  EXPECT_EQ(method->prevalence().sum(), static_cast<double>(small_corpus().tokens()));
  const TopicDraw draw = method->draw();
  EXPECT_EQ(draw.phi.rows(), 5);
  EXPECT_EQ(draw.phi.cols(), 7);
  EXPECT_GT(draw.weights.minCoeff(), 0);
  Vec shares(5);
  for (Index n = 0; n < 5; ++n) {
    ASSERT_TRUE(method->shares(n, shares));
    EXPECT_NEAR(shares.sum(), 1, 1e-12);
    EXPECT_GT(shares.minCoeff(), 0);
  }
}

TEST_P(Methods, AreDefinedForDocumentsThatSayLittle) {
  for (const auto& documents : test::documents_that_say_little()) {
    const bool many = documents->tokens() > 1000;
    for (const char* topics : {"1", "40"}) {
      for (const std::string prior : {"0.0001", "10"}) {
        if (many && prior == "10") continue;  // it takes long
        const Config config(GetParam().name, GetParam().params(), {{"topics", topics}, {"word_prior", prior}});
        const auto method = GetParam().make(documents, config, {3, 1});
        for (int i = 0; i < (many ? 2 : 30); ++i) method->step();
        const TopicDraw draw = method->draw();
        EXPECT_TRUE(draw.phi.allFinite() && draw.phi.minCoeff() > 0);
        EXPECT_LT((draw.phi.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-5F);
        EXPECT_TRUE(draw.weights.allFinite() && draw.weights.minCoeff() > 0) << topics << ' ' << prior;
        EXPECT_EQ(method->prevalence().sum(), static_cast<double>(documents->tokens()));
        for (const NamedNumber& number : method->scalars()) {
          EXPECT_TRUE(std::isfinite(number.value) && number.value > 0) << number.name;
        }
        Vec shares(method->topics());
        for (Index n = 0; n < documents->documents(); ++n) {
          ASSERT_TRUE(method->shares(n, shares));
          EXPECT_NEAR(shares.sum(), 1, 1e-12);
        }
      }
    }
  }
  const Config config(GetParam().name, GetParam().params(), {});
  EXPECT_EQ(test::error_message<DataError>([&] {
              GetParam().make(test::documents_of(3, {}), config, {3, 1});
            }),
            "there are no documents to fit topics to");
}

INSTANTIATE_TEST_SUITE_P(All, Methods, testing::ValuesIn(methods), [](const auto& instance) {
  std::string name = instance.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(HeldOut, SplitsEveryTokenOnce) {
  const Corpus corpus = small_corpus();
  const TokenSplit split = split_tokens(corpus, 0.4, Rng(9));
  EXPECT_EQ(split.seen.tokens() + split.held_out.tokens(), corpus.tokens());
  EXPECT_EQ(split.seen.documents(), corpus.documents());
  for (Index n = 0; n < corpus.documents(); ++n) {
    Vec words = Vec::Zero(7);
    const auto add = [&](const Document& document, double sign) {
      for (std::size_t i = 0; i < document.words.size(); ++i) words[document.words[i]] += sign * document.counts[i];
    };
    add(split.seen.document(n), 1);
    add(split.held_out.document(n), 1);
    add(corpus.document(n), -1);
    EXPECT_EQ(words, Vec::Zero(7));
  }
}

// Two topics without a word in common: the words that were seen tell the topic, and so the shares are known.
TEST(HeldOut, ScoresByTheSharesOfWhatWasSeen) {
  TokenSplit split;
  split.seen.vocabulary = split.held_out.vocabulary = 4;
  const std::vector<std::uint32_t> first = {0}, third = {2}, one = {1}, five = {5}, nothing;
  split.seen.add({first, five});
  split.held_out.add({third, one});
  split.seen.add({nothing, nothing});  // does not count
  split.held_out.add({first, one});
  TopicDraw topics{Eigen::MatrixXf::Constant(2, 4, 1e-30F), (Vec(2) << 0.5, 1.5).finished()};
  topics.phi(0, 0) = 0.75F;
  topics.phi(0, 1) = 0.25F;
  topics.phi(1, 2) = 0.5F;
  topics.phi(1, 3) = 0.5F;
  const Mat shares = infer_shares(split.seen, topics, {}, Rng(1));
  EXPECT_NEAR(shares(0, 0), 5.5 / 7, 1e-12);
  EXPECT_NEAR(shares(1, 1), 0.75, 1e-12);
  HeldOutPredictions predictions(split);
  predictions.add(topics, {}, Rng(1));
  EXPECT_EQ(predictions.score().tokens, 1);
  EXPECT_NEAR(predictions.score().per_token(), std::log(0.5 * 1.5 / 7), 1e-6);
  topics.phi.row(1).setConstant(0.25F);
  predictions.add(topics.phi, shares);
  EXPECT_NEAR(predictions.score().perplexity(), 2 / (0.5 * 1.5 / 7 + 0.25 * 1.5 / 7), 1e-4);
  Corpus fitted;
  fitted.vocabulary = 4;
  fitted.add({third, five});
  EXPECT_NEAR(unigram_score(fitted, split).perplexity(), 9.0 / 6, 1e-12);
}

}  // namespace
}  // namespace quasar
