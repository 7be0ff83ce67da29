// vgp-svi: see vgp_svi.hpp. Memory is O(batch + vocabulary x topics), and a number for each document.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <quasar/rng.hpp>

#include "models/topics/topic_method.hpp"
#include "models/topics/variational/averaged_words.hpp"
#include "models/topics/variational/gamma_topics.hpp"
#include "models/topics/variational/minibatch.hpp"

namespace quasar {

struct StochasticSettings {
  GammaTopicsSettings model;
  Index batch = 256;
  double delay = 1, kappa = 0.6;
  Index local_steps = 100;  // at most, to find the topics of a document
};

class StochasticGammaTopics final : public TopicMethod {
 public:
  StochasticGammaTopics(std::shared_ptr<const DocumentSource> documents, const StochasticSettings& settings,
                        std::unique_ptr<WeightLaw> law, const TopicRun& run);

  void step() override;
  double data_passes() const override { return passes_; }
  bool converged() const override { return false; }
  double objective() const override;  // the bound, as the documents of the last step let expect it; takes a step's time
  Index topics() const override { return words_.topics(); }
  Vec prevalence() const override { return words_.tokens(); }
  TopicDraw draw() const override;
  std::vector<NamedNumber> scalars() const override { return law_->scalars(); }
  bool shares(Index, Out) const override { return false; }
  void save(Writer& out) const override;
  void load(Reader& in) override;

  const AveragedWords& words() const { return words_; }
  const WeightLaw& law() const { return *law_; }

 private:
  struct Batch {  // with the topics of its tokens
    Batch(const StochasticGammaTopics& method, const std::vector<Index>& ids);
    Minibatch documents;
    double scale;  // N / |S|
    Allocations allocations;
    GammaDocuments topics;
  };
  Vec weights() const { return law_->mean_logs().array().exp(); }
  void average(const Batch& batch, double rate);

  std::shared_ptr<const DocumentSource> source_;
  StochasticSettings settings_;
  int threads_;
  MinibatchOrder order_;
  AveragedWords words_;
  std::unique_ptr<WeightLaw> law_;
  WeightEvidence evidence_;  // averages
  std::vector<Index> last_;  // the documents of the last step
  std::int64_t steps_ = 0;
  double passes_ = 0;
};

}  // namespace quasar
