// Counts of words from a gamma process by way of whole numbers, and a sampler of its posterior (SGP):
//
//   z_nk ~ Poisson(g_k),   d_vn ~ Poisson(sum_k phi_vk z_nk),   phi_k ~ Dirichlet(word_prior, ...),
//
// with g_k = E_k exp(-T_k) the atoms of the first R rounds (gamma_process_prior.hpp; Roychowdhury and Kulis, AISTATS
// 2015, with exact draws where theirs are Monte Carlo integrals). How many atoms there are is learned: those that no
// document uses are, given all else, a Poisson process with the rate of the prior thinned by exp(-N g), and are drawn
// anew in every sweep.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/topics/gamma_process_prior.hpp"
#include "models/topics/sgp_documents.hpp"
#include "models/topics/topic_method.hpp"

namespace quasar {

struct SgpOptions {
  GammaProcessHyperpriors prior;
  double word_prior = 0.05;
  Index topics = 50;        // that a run begins with
  Index most_atoms = 5000;  // a sweep that needs more is a RunError
};

struct SgpState {
  GammaProcessAtoms atoms;  // those in use, then those that no document uses
  std::vector<std::vector<TopicInDocument>> documents;
  WordTopics phi{0, 0};         // of the atoms in use
  WordTopicCounts word_counts;  // tokens of each word that belong to them

  Index used() const { return phi.topics(); }
};

// Every topic once in every document, weights that add up to the tokens of a document, words at random.
SgpState initial_sgp_state(const Corpus& corpus, const SgpOptions& options, const Rng& rng);

// Draws everything anew, once.
void sgp_sweep(const Corpus& corpus, const SgpOptions& options, const Rng& rng, int threads, SgpState& state);

std::span<const ParamSpec> sgp_params();
std::unique_ptr<TopicMethod> make_sgp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run);

}  // namespace quasar
