// A chain of any sampler on estimated gradients over what the weights of topics are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/registry.hpp>

#include "models/topics/topic_method.hpp"
#include "models/topics/topic_sum.hpp"

namespace quasar {

struct WeightSampler {
  std::string name, settings;  // settings: name=value, with blanks between
  Index batch_size;
  std::uint64_t seed;
};

// What the sampler is given, and what it is not given: a step size for these documents, and batches in shuffled order.
Settings weight_sampler_settings(const WeightSampler& sampler, Index documents);

class WeightChain {
 public:
  WeightChain(const std::shared_ptr<LocalTopics>& local, std::shared_ptr<const WeightDensity> law,
              BetaPrior probability, const WeightSampler& sampler);

  void step();  // on documents that `local` has begun to look at anew
  const Vec& weights() const { return weights_.r; }
  std::vector<NamedNumber> scalars() const;  // hyperparameters, and the sum of the weights

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Last;  // draw
  void set_weights();

  std::shared_ptr<const WeightDensity> law_;
  std::unique_ptr<Chain> chain_;
  PositivePoint point_;
  WeightsAt weights_;
};

}  // namespace quasar
