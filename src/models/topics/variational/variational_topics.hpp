// Coordinate ascent of the bound as a way to fit topics: a step is a sweep over all lines of the model, until the bound
// gains less than a share of itself. Of several random starts each makes a few sweeps, and the best goes on.
#pragma once

#include <memory>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/rng.hpp>

#include "models/topics/topic_method.hpp"
#include "models/topics/variational/factor_model.hpp"

namespace quasar {

struct AscentSettings {
  double tolerance = 1e-4;
  Index restarts = 1;
};

class VariationalTopics final : public TopicMethod {
 public:
  VariationalTopics(std::unique_ptr<FactorModel> model, const AscentSettings& settings, const Rng& rng);

  void step() override;
  double data_passes() const override { return static_cast<double>(sweeps_); }
  bool converged() const override { return converged_; }
  double objective() const override { return objective_; }
  Index topics() const override { return model_->allocations().topics(); }
  Vec prevalence() const override { return model_->allocations().prevalence(); }
  TopicDraw draw() const override { return {model_->words().means(), model_->weights()}; }
  std::vector<NamedNumber> scalars() const override { return model_->scalars(); }
  bool shares(Index document, Out shares) const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  void sweep();
  void try_start();

  std::unique_ptr<FactorModel> model_;
  AscentSettings settings_;
  Rng rng_;
  std::int64_t sweeps_ = 0, started_ = 0;
  double objective_ = -std::numeric_limits<double>::infinity();
  bool converged_ = false;
};

// Parameters of every such method.
std::vector<ParamSpec> ascent_params();  // topics, word_prior, tolerance, restarts
AscentSettings ascent_settings(const Config& config);

}  // namespace quasar
