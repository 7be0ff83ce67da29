// Gamma processes and the sampler SGP, by draws: the law of the mass; then, by exact starts (Geweke 2004, with
// independent restarts), the Gibbs steps of atoms and whole sweeps of SGP: hyperparameters, atoms, weights, topics and
// documents from the prior, a few sweeps given the documents, and all must still have the law of the prior. Another
// sample of it is what they are compared with. False-positive rate: family_alpha over all assertions.
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/gamma_process.hpp>

#include "models/topics/sgp.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int mass_assertions = 7, atom_statistics = 7, sweep_statistics = 12, weight_assertions = 1;
constexpr int assertions = mass_assertions + atom_statistics + sweep_statistics + weight_assertions;
const double level_of_each = test::per_assertion(test::family_alpha, assertions);

std::vector<double> masses(const GammaProcess& process, AtomConstruction construction, int draws) {
  const Index rounds = rounds_for_bound(process, 1, 1e-4);  // what is left out is too little to be seen
  Stream stream = Rng(1).child("masses", static_cast<std::uint64_t>(construction)).stream("atoms");
  std::vector<double> sums;
  for (int i = 0; i < draws; ++i)
    sums.push_back(draw_gamma_process(process, rounds, stream, construction).weights.sum());
  return sums;
}

TEST(GammaProcess, HasAGammaMass) {
  for (const GammaProcess& process : {GammaProcess{2, 1.5, 1}, GammaProcess{1, 3, 2}, GammaProcess{0.5, 2, 0.7}}) {
    for (const AtomConstruction construction : {AtomConstruction::rounds, AtomConstruction::sticks}) {
      std::vector<double> sums = masses(process, construction, 3000);
      std::ranges::sort(sums);
      const boost::math::gamma_distribution<> law(process.gamma * process.alpha, 1 / process.c);
      EXPECT_GT(test::ks_p_value(sums, [&](double x) { return boost::math::cdf(law, x); }), level_of_each);
    }
  }
}

// gamma alpha (1 + alpha) / (c (2 + alpha)) = 2.25, where a gamma process has 3.
TEST(GammaProcess, HasTooLittleMassAsPrinted) {
  const std::vector<double> sums = masses({2, 1.5, 1}, AtomConstruction::shared_stick, 3000);
  const auto n = static_cast<double>(sums.size());
  double mean = 0, square = 0;
  for (const double x : sums) mean += x / n, square += x * x / n;
  EXPECT_LT(std::abs(mean - 2.25) / std::sqrt((square - mean * mean) / n), test::z_threshold(level_of_each));
}

using Statistics = std::vector<double>;

// before(rng) is a draw of the prior's statistics; after(rng) is one too, if the steps that it takes are right.
template <class Before, class After>
void expect_same_law(int replicates, const Before& before, const After& after) {
  std::vector<Statistics> prior, moved;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(7).child("replicate", static_cast<std::uint64_t>(r));
    prior.push_back(before(rng.child("before")));
    moved.push_back(after(rng.child("after")));
  }
  for (std::size_t i = 0; i < prior[0].size(); ++i) {
    std::vector<double> a, b;
    for (int r = 0; r < replicates; ++r) {
      a.push_back(prior[static_cast<std::size_t>(r)][i]), b.push_back(moved[static_cast<std::size_t>(r)][i]);
    }
    std::ranges::sort(a), std::ranges::sort(b);
    EXPECT_GT(test::ks_two_sample_p_value(a, b), level_of_each) << "statistic " << i;
  }
}

constexpr Index documents = 3, words = 2;

SgpOptions small() {
  SgpOptions options;
  options.prior = {3, {4, 2}, {4, 4}, {12, 6}};
  options.word_prior = 0.3;
  return options;
}

Statistics statistics_of(const GammaProcessAtoms& atoms) {
  return {atoms.alpha,
          atoms.gamma,
          atoms.c,
          static_cast<double>(atoms.count()),
          atoms.T.sum(),
          atoms.weights().sum(),
          atoms.count() > 0 ? atoms.T.minCoeff() : 0};
}

// Points of q = 3 Poisson processes, then two steps of the atoms; how many there are stays.
TEST(GammaProcessPrior, IsLeftAsItIs) {
  const GammaProcessHyperpriors prior = small().prior;
  expect_same_law(
      50000, [&](const Rng& rng) { return statistics_of(draw_prior_atoms(prior, rng)); },
      [&](const Rng& rng) {
        GammaProcessAtoms atoms = draw_prior_atoms(prior, rng);
        Vec counts(atoms.count());
        Stream draws = rng.stream("points");
        for (Index k = 0; k < counts.size(); ++k) counts[k] = static_cast<double>(draws.poisson(3 * atoms.weight(k)));
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
          update_atoms(counts, 3, prior.rounds, atoms, rng.at(turn));
          update_hyperparameters(prior, atoms, rng.at(turn));
        }
        return statistics_of(atoms);
      });
}

struct FromPrior {
  SgpState state;
  Corpus corpus;
};

FromPrior draw_prior(const SgpOptions& options, const Rng& rng) {
  FromPrior all;
  SgpState& state = all.state;
  state.atoms = draw_prior_atoms(options.prior, rng);
  const Index count = state.atoms.count();
  Eigen::MatrixXf phi(count, words);
  Stream draws = rng.stream("documents");
  const Vec shapes = Vec::Constant(words, options.word_prior);
  for (Index k = 0; k < count; ++k) {
    Vec row(words);
    draws.dirichlet(shapes, row);
    phi.row(k) = row.cast<float>();
  }
  state.phi = WordTopics(phi);
  all.corpus.vocabulary = words;
  for (Index n = 0; n < documents; ++n) {
    std::vector<TopicInDocument> topics;
    Vec rates = Vec::Zero(words);
    for (Index k = 0; k < count; ++k) {
      const auto z = static_cast<std::uint32_t>(draws.poisson(state.atoms.weight(k)));
      if (z > 0) topics.push_back({static_cast<std::uint32_t>(k), z, 0});
      rates += z * phi.row(k).cast<double>();
    }
    std::vector<std::uint32_t> seen, counts;
    for (Index v = 0; v < words; ++v) {
      const auto d = static_cast<std::uint32_t>(draws.poisson(rates[v]));
      if (d > 0) seen.push_back(static_cast<std::uint32_t>(v)), counts.push_back(d);
    }
    all.corpus.add({seen, counts});
    state.documents.push_back(topics);
  }
  return all;
}

// Free of the order of atoms.
Statistics statistics_of(const SgpState& state, const Corpus& corpus) {
  Statistics all = statistics_of(state.atoms);
  double z = 0, with_tokens = 0, rates = 0, agreement = 0;
  std::vector<bool> used(static_cast<std::size_t>(state.atoms.count()));
  for (std::size_t n = 0; n < state.documents.size(); ++n) {
    const Document document = corpus.document(static_cast<Index>(n));
    double z_here = 0, rate = 0, excess = 0;  // of the first word; of its tokens over those of the second
    for (const TopicInDocument& topic : state.documents[n]) {
      used[topic.topic] = true;
      z_here += topic.z;
      rate += topic.z * static_cast<double>(state.phi.word(0)[topic.topic]);
    }
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      excess += (document.words[i] == 0 ? 1.0 : -1.0) * document.counts[i];
    }
    z += z_here;
    rates += rate;
    with_tokens += z_here * static_cast<double>(document.tokens());
    agreement += excess * (2 * rate - z_here);
  }
  const auto count = static_cast<double>(std::ranges::count(used, true));
  all.insert(all.end(), {z, count, rates, with_tokens, agreement});
  return all;
}

// P(z = 0 | no tokens, g = 1.7) = exp(-1.7 / e).
TEST(Sgp, TopicsWithoutTokensAreSilentAsOftenAsTheyShould) {
  constexpr double known = .535050015;
  constexpr int replicates = 20000;
  const WordTopics phi(Eigen::MatrixXf(Eigen::MatrixXf::Ones(1, 1)));
  SgpDocuments sums(phi, Vec::Constant(1, 1.7), 1);
  int silent = 0;
  for (std::uint64_t n = 0; n < replicates; ++n) {
    std::vector<TopicInDocument> topics;
    sums.draw(0, {}, topics, Rng(9).child("document", n));
    silent += topics.empty() ? 1 : 0;
  }
  const double error = std::sqrt(known * (1 - known) / replicates);
  EXPECT_LT(std::abs(static_cast<double>(silent) / replicates - known), test::z_threshold(level_of_each) * error);
}

TEST(Sgp, LeavesTheJointLawUnchanged) {
  const SgpOptions options = small();
  expect_same_law(
      50000,
      [&](const Rng& rng) {
        const FromPrior drawn = draw_prior(options, rng);
        return statistics_of(drawn.state, drawn.corpus);
      },
      [&](const Rng& rng) {
        FromPrior drawn = draw_prior(options, rng);
        for (std::uint64_t turn = 0; turn < 3; ++turn) sgp_sweep(drawn.corpus, options, rng.at(turn), 1, drawn.state);
        return statistics_of(drawn.state, drawn.corpus);
      });
}

}  // namespace
}  // namespace quasar
