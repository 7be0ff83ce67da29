#include "models/topics/sgp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "core/parts.hpp"
#include "models/topics/topic_words.hpp"

namespace quasar {
namespace {

// work(thread, document)
template <class Work>
void for_documents(std::size_t documents, int threads, const Work& work) {
  in_parts(static_cast<Index>(documents), static_cast<std::size_t>(threads),
           [&](std::size_t thread, Index begin, Index end) {
             for (Index n = begin; n < end; ++n) work(thread, static_cast<std::size_t>(n));
           });
}

void draw_documents(const Corpus& corpus, const Rng& rng, int threads, SgpDocuments& sums, SgpState& state) {
  for_documents(state.documents.size(), threads, [&](std::size_t thread, std::size_t n) {
    sums.draw(thread, corpus.document(static_cast<Index>(n)), state.documents[n], rng.child("document", n));
  });
}

// Forgets the atoms that no document uses; the others keep their order. Returns their old numbers.
std::vector<Index> keep_used(std::span<const std::uint64_t> uses, int threads, SgpState& state) {
  std::vector<Index> used;
  std::vector<std::uint32_t> numbers(uses.size());
  for (std::size_t k = 0; k < uses.size(); ++k) {
    numbers[k] = static_cast<std::uint32_t>(used.size());
    if (uses[k] > 0) used.push_back(static_cast<Index>(k));
  }
  for (std::size_t k = 0; k < used.size(); ++k) {
    state.atoms.T[static_cast<Index>(k)] = state.atoms.T[used[k]];
    state.atoms.E[static_cast<Index>(k)] = state.atoms.E[used[k]];
  }
  state.atoms.resize(std::ssize(used));
  if (used.size() < uses.size()) {
    for_documents(state.documents.size(), threads, [&](std::size_t, std::size_t n) {
      for (TopicInDocument& topic : state.documents[n]) topic.topic = numbers[topic.topic];
    });
  }
  return used;
}

// All atoms of the prior, of which each stays with the probability exp(-N g) that no document uses it.
void draw_unused(double documents, const SgpOptions& options, GammaProcessAtoms& atoms, Stream draws) {
  const Index used = atoms.count();
  const std::int64_t fresh = draws.poisson(static_cast<double>(options.prior.rounds) * atoms.gamma);
  if (used + fresh > options.most_atoms) {
    throw RunError(
        fmt::format("sgp: {} topics and {} atoms of the prior are more than most_atoms = {}; fewer rounds, "
                    "or a larger gamma_rate, make fewer",
                    used, fresh, options.most_atoms));
  }
  atoms.resize(used + fresh);
  Index kept = used;
  for (std::int64_t i = 0; i < fresh; ++i) {
    draw_prior_atom(kept, options.prior.rounds, atoms, draws);
    if (draws.uniform() < std::exp(-documents * atoms.weight(kept))) ++kept;
  }
  atoms.resize(kept);
}

// Of the topics in use, by their new numbers. One that was not in use before has no tokens.
WordTopicCounts counts_of_used(const WordTopicCounts& counts, std::span<const Index> used) {
  WordTopicCounts kept = WordTopicCounts::Zero(std::ssize(used), counts.cols());
  for (Index v = 0; v < counts.cols(); ++v) {
    for (Index k = 0; k < kept.rows(); ++k) {
      const Index before = used[static_cast<std::size_t>(k)];
      if (before < counts.rows()) kept(k, v) = counts(before, v);
    }
  }
  return kept;
}

void draw_words(WordTopicCounts counts, double word_prior, int threads, const Rng& rng, SgpState& state) {
  state.word_counts = std::move(counts);
  if (state.used() != state.word_counts.rows()) {
    state.phi = WordTopics(state.word_counts.rows(), state.word_counts.cols());
  }
  draw_topic_words(state.word_counts, word_prior, threads, rng.child("phi"), state.phi);
}

double mean(const GammaPrior& prior) { return prior.shape / prior.rate; }

}  // namespace

SgpState initial_sgp_state(const Corpus& corpus, const SgpOptions& options, const Rng& rng) {
  expect_countable(corpus.tokens());
  SgpState state;
  const Index topics = options.topics;
  const auto documents = static_cast<double>(corpus.documents());
  state.atoms.alpha = mean(options.prior.alpha);
  state.atoms.gamma = mean(options.prior.gamma);
  state.atoms.c = mean(options.prior.c);
  draw_prior_atoms(topics, options.prior.rounds, state.atoms, rng);
  const Vec uses = Vec::Constant(topics, static_cast<double>(corpus.tokens()) / static_cast<double>(topics));
  for (std::uint64_t turn = 0; turn < 5; ++turn) {
    update_atoms(uses, documents, options.prior.rounds, state.atoms, rng.at(turn));
    update_hyperparameters(options.prior, state.atoms, rng.at(turn));
  }
  std::vector<TopicInDocument> all;
  for (Index k = 0; k < topics; ++k) all.push_back({static_cast<std::uint32_t>(k), 1, 0});
  state.documents.assign(static_cast<std::size_t>(corpus.documents()), all);
  draw_words(WordTopicCounts::Zero(topics, corpus.vocabulary), 1, 1, rng, state);
  return state;
}

void sgp_sweep(const Corpus& corpus, const SgpOptions& options, const Rng& rng, int threads, SgpState& state) {
  SgpDocuments sums(state.phi, state.atoms.weights(), threads);
  draw_documents(corpus, rng, threads, sums, state);
  const std::vector<Index> used = keep_used(sums.uses(), threads, state);
  const auto documents = static_cast<double>(corpus.documents());
  draw_unused(documents, options, state.atoms, rng.stream("unused"));
  Vec uses = Vec::Zero(state.atoms.count());
  for (std::size_t k = 0; k < used.size(); ++k) {
    uses[static_cast<Index>(k)] = static_cast<double>(sums.uses()[static_cast<std::size_t>(used[k])]);
  }
  update_atoms(uses, documents, options.prior.rounds, state.atoms, rng);
  update_hyperparameters(options.prior, state.atoms, rng);
  draw_words(counts_of_used(sums.words_of_topics(), used), options.word_prior, threads, rng, state);
}

}  // namespace quasar
