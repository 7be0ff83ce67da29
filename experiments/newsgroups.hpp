// 20 Newsgroups: how well topics that were fitted to the earlier postings tell words of the later ones.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quasar/experiment.hpp>

#include "models/topics/held_out.hpp"
#include "models/topics/topic_method.hpp"

namespace quasar {

struct Newsgroups {
  Corpus fitted;
  std::shared_ptr<const TokenSplit> judged;  // other documents: a fifth of their tokens is told by the others
};

// DATA/20newsgroups; quick: some documents of every group. UsageError, DataError
Newsgroups read_newsgroups(const ExperimentOptions& options);

struct NewsMethod {
  std::string name;
  std::span<const ParamSpec> (*params)();
  MakeTopicMethod make;
  Settings settings;
  bool whole_passes;                                              // an iteration is a sweep over all documents
  std::optional<double> perplexity = std::nullopt, seconds = {};  // of an iteration: as printed
};

NewsMethod gamma_nb_by_gibbs(std::optional<double> printed);
NewsMethod nb_lda_by_gibbs(std::optional<double> printed);
NewsMethod gamma_gp_by_gibbs();

// A minibatch of 100 documents an iteration, its topics drawn once; the sampler's step is chosen for topics.
NewsMethod news_by_gradients(const std::string& name, const std::string& model, const std::string& sampler,
                             const std::string& sampler_settings, std::optional<double> perplexity,
                             std::optional<double> seconds = {});

struct NewsSchedule {
  Index burn_in, kept;  // iterations on minibatches; draws of the latter are averaged
  Index every;          // iterations between two measurements
  Index sweeps;         // over all documents, of which half is burn-in; measured as often
};

struct NewsComparison {
  std::vector<NewsMethod> methods;
  Index topics;
  NewsSchedule schedule;
  std::string figure, caption;
};

// All methods, two at a time: perplexity of averaged predictions and of the last draw, seconds of an iteration, topics
// in use; a method that is lost has the iteration where that happened. The figure has perplexity over iterations and
// over time.
ExperimentResult compare_on_newsgroups(NewsComparison comparison, const ExperimentOptions& options);

}  // namespace quasar
