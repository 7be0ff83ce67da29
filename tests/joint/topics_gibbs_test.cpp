// Exact-start tests of the Gibbs samplers of topics: parameters from the prior, documents from the parameters, some
// sweeps, and the parameters must still follow the prior.
//
// Every replicate is independent of the others, so that p-values of Kolmogorov-Smirnov tests are honest.
// 19 assertions: false-positive rate 1e-3 together.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/topics/gamma_gp.hpp"
#include "models/topics/gamma_nb.hpp"
#include "models/topics/nb_lda.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int replicates = 20000, sweeps = 2;
constexpr Index topics = 3, words = 3, documents = 2;
constexpr FactorSettings settings{topics, 0.6, 3, 5};
const double alpha = test::per_assertion(test::family_alpha, 19);

using Statistics = std::map<std::string, std::vector<double>>;

struct Generated {
  Corpus corpus;
  std::vector<std::vector<TopicOfToken>> tokens;
  Eigen::MatrixXf phi;
  Vec not_p;
};

// r_in(document, topic)
template <class Weight>
Generated generate(const Weight& r_in, const Rng& rng) {
  Generated made{{}, {}, Eigen::MatrixXf(topics, words), Vec(documents)};
  made.corpus.vocabulary = words;
  Vec row(words);
  for (Index k = 0; k < topics; ++k) {
    rng.child("phi", static_cast<std::uint64_t>(k))
        .stream("words")
        .dirichlet(Vec::Constant(words, settings.word_prior), row);
    made.phi.row(k) = row.cast<float>().transpose().cwiseMax(1e-30F);
  }
  Stream draws = rng.stream("documents");
  for (Index n = 0; n < documents; ++n) {
    const double p = draws.beta(settings.a0, settings.b0);
    made.not_p[n] = 1 - p;
    std::vector<std::uint32_t> present, counts;
    std::vector<TopicOfToken> tokens;
    Vec theta(topics);
    for (Index k = 0; k < topics; ++k) theta[k] = draws.gamma(r_in(n, k)) * p / (1 - p);
    for (Index v = 0; v < words; ++v) {
      std::uint32_t count = 0;
      for (Index k = 0; k < topics; ++k) {
        const double mean = static_cast<double>(made.phi(k, v)) * theta[k];
        const auto of_topic = mean > 0 ? draws.poisson(mean) : 0;
        tokens.insert(tokens.end(), static_cast<std::size_t>(of_topic), static_cast<TopicOfToken>(k));
        count += static_cast<std::uint32_t>(of_topic);
      }
      if (count == 0) continue;
      present.push_back(static_cast<std::uint32_t>(v));
      counts.push_back(count);
    }
    made.corpus.add({present, counts});
    made.tokens.push_back(tokens);
  }
  return made;
}

// The state of a replicate, as numbers that are light-tailed.
void record(FactorGibbs& gibbs, Statistics& seen) {
  seen["phi"].push_back(static_cast<double>(gibbs.phi().word(0)[1]));
  seen["p"].push_back(gibbs.not_p()[1]);
  // Whole numbers tie: spread over the unit they stand for they do not.
  Stream spread = Rng(77).child("spread", seen["tokens"].size()).stream("u");
  seen["tokens"].push_back(gibbs.prevalence()[0] + spread.uniform());
  const auto first = gibbs.tokens().document(0);
  seen["tokens of a document"].push_back(static_cast<double>(std::ranges::count(first, 0)) + spread.uniform());
  for (const NamedNumber& number : gibbs.scalars()) seen[number.name].push_back(number.value);
}

std::unique_ptr<FactorGibbs> gibbs_at(const Generated& made, std::unique_ptr<TopicWeights> weights,
                                      std::uint64_t seed) {
  auto gibbs = std::make_unique<FactorGibbs>(std::make_shared<DocumentsInMemory>(made.corpus), settings,
                                             std::move(weights), TopicRun{seed, 1});
  for (Index n = 0; n < documents; ++n) {
    std::ranges::copy(made.tokens[static_cast<std::size_t>(n)], gibbs->tokens().document(n).begin());
  }
  gibbs->tokens().count([](auto&&...) {});
  gibbs->phi() = WordTopics(made.phi);
  gibbs->not_p() = made.not_p;
  return gibbs;
}

// begin(rng) -> a sampler at a state from the joint law
template <class Begin>
void expect_invariant(const Begin& begin) {
  Statistics before, after;
  for (int i = 0; i < replicates; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    record(*begin(Rng(1).child("before", number), number), before);
    const auto gibbs = begin(Rng(1).child("after", number), number);
    for (int s = 0; s < sweeps; ++s) gibbs->step();
    record(*gibbs, after);
  }
  for (auto& [name, values] : before) {
    std::sort(values.begin(), values.end());
    std::sort(after[name].begin(), after[name].end());
    EXPECT_GT(test::ks_two_sample_p_value(values, after[name]), alpha) << name;
  }
}

TEST(Invariance, GammaNb) {
  const GammaNbPrior prior{0.5, 6, 3};  // weights that are large enough for topics with several tables
  expect_invariant([&](const Rng& rng, std::uint64_t seed) {
    auto weights = std::make_unique<GammaNbWeights>(topics, prior, 1);
    Stream draws = rng.stream("weights");
    weights->g0 = draws.gamma(prior.e0) / prior.f0;
    for (double& r : weights->r) r = std::max(1e-30, draws.gamma(weights->g0 / topics) / prior.c0);
    const Vec r = weights->r;
    const Generated made = generate([&](Index, Index k) { return r[k]; }, rng);
    return gibbs_at(made, std::move(weights), seed);
  });
}

TEST(Invariance, GammaGp) {
  const GammaProcessHyperpriors prior{3, {4, 2}, {12, 6}, {4, 4}};
  expect_invariant([&](const Rng& rng, std::uint64_t seed) {
    GammaProcessAtoms atoms = draw_prior_hyperparameters(prior, rng);
    // Given that there are so many atoms, gamma ~ Gamma(shape + K, rate + R).
    atoms.gamma = rng.stream("gamma given K").gamma(prior.gamma.shape + topics) / (prior.gamma.rate + 3);
    draw_prior_atoms(topics, prior.rounds, atoms, rng);
    const Vec r = atoms.weights().cwiseMax(1e-30);
    const Generated made = generate([&](Index, Index k) { return r[k]; }, rng);
    auto weights = std::make_unique<GammaGpWeights>(topics, prior, 1);
    weights->set_atoms(atoms);
    return gibbs_at(made, std::move(weights), seed);
  });
}

TEST(Invariance, NbLda) {
  const NbLdaPrior prior{2, 2};
  expect_invariant([&](const Rng& rng, std::uint64_t seed) {
    auto weights = std::make_unique<NbLdaWeights>(topics, documents, prior, 1);
    Stream draws = rng.stream("weights");
    for (double& r : weights->r) r = draws.gamma(prior.g0) / prior.c0;
    const Vec r = weights->r;
    const Generated made = generate([&](Index n, Index) { return r[n]; }, rng);
    return gibbs_at(made, std::move(weights), seed);
  });
}

}  // namespace
}  // namespace quasar
