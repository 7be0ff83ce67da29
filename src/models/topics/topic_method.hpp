// What every way to fit topics has in common: sampler, variational or stochastic, it moves a state step by step, and at
// any moment new documents can be read by what it has found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/corpus.hpp>
#include <quasar/fields.hpp>
#include <quasar/topics.hpp>

namespace quasar {

struct TopicMethod {
  virtual ~TopicMethod() = default;

  virtual void step() = 0;                 // a sweep over all documents, or a minibatch
  virtual double data_passes() const = 0;  // over the documents, so far
  virtual bool converged() const = 0;      // further steps would change nothing; a sampler never is
  virtual double objective() const = 0;    // what is maximised (the ELBO); NaN: nothing is
  virtual Index topics() const = 0;        // room for them; those in use may be fewer
  virtual Vec prevalence() const = 0;      // tokens of each topic, or what is expected of them; need not be whole
  virtual TopicDraw draw() const = 0;      // of this moment: a draw, or posterior means
  virtual std::vector<NamedNumber> scalars() const = 0;  // hyperparameters: the same names every time

  // The topics' shares in document n of those that are fitted to, which sum to 1. A method that does not keep its
  // documents has none: false.
  virtual bool shares(Index document, Out shares) const = 0;

  virtual void save(Writer& out) const = 0;  // all that the next step needs
  virtual void load(Reader& in) = 0;         // into a method made as if new
};

struct TopicRun {
  std::uint64_t seed = 1;
  int threads = 1;  // the result does not depend on it
};

// Each method has a function of this kind, and one for its parameters: std::span<const ParamSpec> vgp_params(). Names
// that several methods share: topics (K), word_prior (the shapes of a topic's Dirichlet law), rounds (R), a0 and b0 (of
// p_n), c0, e0, f0, {alpha,gamma,c}_{shape,rate}.
using MakeTopicMethod = std::unique_ptr<TopicMethod> (*)(std::shared_ptr<const DocumentSource> documents, const Config&,
                                                         const TopicRun&);

}  // namespace quasar
