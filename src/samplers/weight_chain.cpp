#include "samplers/weight_chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "samplers/sampler_settings.hpp"

namespace quasar {
namespace {

// A metric of the place is that of the numbers themselves.
bool takes_natural_coordinates(const SamplerEntry& sampler) { return has_parameter(sampler, "geometry"); }

const SamplerEntry& stochastic_sampler(const std::string& name) {
  const SamplerEntry& sampler = find_sampler(name);
  if (!sampler.stochastic || sampler.blocked) {
    throw UsageError(fmt::format("sampler={}: topics need a sampler on estimated gradients, sgrld for instance", name));
  }
  return sampler;
}

// In the coordinates of TopicSum curvatures are about 1, and the variance of a gradient about N/n. So that neither
// heats by more than a twentieth: e (1 + N/n) = 1/5; with momentum, whose friction takes up noise, e^2 (1 + N/5n) =
// 1/100. Where gradients are divided by their running mean over documents the step is multiplied by it.
double step_size_for(const SamplerEntry& sampler, const Settings& given, double documents, double noise) {
  if (has_parameter(sampler, "leapfrog_steps")) return 0.1 / std::sqrt(1 + noise / 5);
  const double step = 0.2 / (1 + noise);
  if (!has_parameter(sampler, "regularization")) return step;
  const double regularization = Config(sampler.name, sampler.params, given).real("regularization");
  return step * (regularization + std::sqrt(1 + noise) / documents);
}

// Before the first step no document has been looked at: a measurement would find the prior, without noise.
void refuse_what_is_measured(const SamplerEntry& sampler, const Config& config) {
  const std::string estimator = has_parameter(sampler, "estimator") ? config.text("estimator") : "";
  if (estimator == "control_variates" || estimator == "svrg") {
    throw UsageError(fmt::format(
        "estimator={} needs terms that are the same at every look, and topics of tokens are drawn anew", estimator));
  }
  const auto is_zero = [&](const char* name) { return !has_parameter(sampler, name) || config.real(name) == 0; };
  if (is_zero("step_size") && is_zero("learning_rate")) {
    throw UsageError(
        "sampler_settings: a step of 0 would be measured on topics of tokens, which are not drawn before the first "
        "step: give a number, or nothing for one that fits the batch");
  }
  if (has_parameter(sampler, "mass") && config.text("mass") == "fisher") {
    throw UsageError(
        "sampler_settings: mass=fisher is learned in warm-up from minibatches, and on topics there is no warm-up: give "
        "numbers");
  }
}

}  // namespace

Settings weight_sampler_settings(const WeightSampler& sampler, Index documents) {
  const SamplerEntry& entry = stochastic_sampler(sampler.name);
  Settings settings = parsed_settings(sampler.settings);
  if (settings.contains("batch_size")) throw UsageError("sampler_settings: batch_size is a parameter of its own");
  const auto set = [&](const std::string& name, const std::string& value) {
    if (has_parameter(entry, name)) settings.try_emplace(name, value);
  };
  const bool all = sampler.batch_size >= documents;
  const auto terms = static_cast<double>(documents);
  const double noise = all ? 0 : terms / static_cast<double>(sampler.batch_size);
  const double step_size = step_size_for(entry, settings, terms, noise);
  if (!settings.contains("learning_rate")) set("step_size", fmt::format("{}", step_size));
  set("estimator", all ? "full" : "minibatch");
  set("batch_size", fmt::format("{}", all ? documents : sampler.batch_size));
  set("batch_order", "shuffled");
  set("freeze", "false");  // there is no warm-up
  refuse_what_is_measured(entry, Config(entry.name, entry.params, settings));
  return settings;
}

WeightChain::WeightChain(const std::shared_ptr<LocalTopics>& local, std::shared_ptr<const WeightDensity> law,
                         BetaPrior probability, const WeightSampler& sampler)
    : law_(std::move(law)), point_(law_->layout().size()), weights_(local->topics()) {
  const SamplerEntry& entry = stochastic_sampler(sampler.name);
  const bool natural = takes_natural_coordinates(entry);
  auto target = std::make_unique<TopicSum>(
      local, law_, probability, natural ? TopicSum::Coordinates::natural : TopicSum::Coordinates::logarithms);
  law_->start(point_.theta);
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max() / 2;
  ChainSpec spec{.schedule = {.warmup = 0, .draws = no_end, .thin = 1}, .seed = sampler.seed};
  spec.initial.resize(target->dim());
  target->unconstrain(point_.theta, spec.initial);
  const Config config(entry.name, entry.params, weight_sampler_settings(sampler, local->documents()));
  chain_ = entry.make(std::move(target), config, spec);
  set_weights();
}

struct WeightChain::Last final : Sink {
  Vec& theta;
  explicit Last(Vec& to) : theta(to) {}
  void on_draw(const Draw& draw) override { std::ranges::copy(draw.values, theta.data()); }
};

void WeightChain::step() {
  Last last(point_.theta);
  chain_->run_to(chain_->iteration() + 1, last, {});
  set_weights();
}

void WeightChain::set_weights() {
  point_.log_theta = point_.theta.array().log();
  law_->weights(point_, weights_);
  weights_.r = weights_.r.cwiseMax(least_weight);
}

std::vector<NamedNumber> WeightChain::scalars() const {
  std::vector<NamedNumber> scalars;
  Index at = 0;
  for (const Variable& variable : law_->layout().variables) {
    if (variable.shape.empty()) scalars.push_back({variable.name, point_.theta[at]});
    at += variable.size();
  }
  scalars.push_back({"total_weight", weights_.r.sum()});
  return scalars;
}

void WeightChain::save(Writer& out) const {
  out("theta", point_.theta);
  chain_->save(out);
}

void WeightChain::load(Reader& in) {
  in("theta", point_.theta);
  chain_->load(in);
  set_weights();
}

}  // namespace quasar
