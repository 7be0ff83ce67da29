#include "models/topics/variational/variational_topics.hpp"

#include <cmath>
#include <utility>

#include "models/topics/topic_params.hpp"

namespace quasar {
namespace {

constexpr Index sweeps_of_a_start = 5;

}  // namespace

VariationalTopics::VariationalTopics(std::unique_ptr<FactorModel> model, const AscentSettings& settings, const Rng& rng)
    : model_(std::move(model)), settings_(settings), rng_(rng) {
  model_->start(rng_.child("start"));
}

void VariationalTopics::step() {
  if (settings_.restarts > 1 && started_ < settings_.restarts) return try_start();
  sweep();
  const double before = std::exchange(objective_, model_->bound());
  converged_ = objective_ - before < settings_.tolerance * std::abs(objective_);
}

void VariationalTopics::sweep() {
  for (Index i = 0; i < model_->lines(); ++i) model_->line(i);
  ++sweeps_;
}

// The model is that of the best start so far. What is saved of it is all that its next sweep needs.
void VariationalTopics::try_start() {
  Writer best;
  model_->save(best);
  if (started_ > 0) model_->start(rng_.child("start", static_cast<std::uint64_t>(started_)));
  for (Index i = 0; i < sweeps_of_a_start; ++i) sweep();
  ++started_;
  const double bound = model_->bound();
  if (bound > objective_) {
    objective_ = bound;
  } else {
    Reader in(best.bytes());
    model_->load(in);
  }
}

bool VariationalTopics::shares(Index document, Out shares) const {
  shares = model_->expected_topics(document);
  shares /= shares.sum();
  return true;
}

void VariationalTopics::save(Writer& out) const {
  out("sweeps", sweeps_);
  out("started", started_);
  out("objective", objective_);
  out("converged", converged_);
  model_->save(out);
}

void VariationalTopics::load(Reader& in) {
  in("sweeps", sweeps_);
  in("started", started_);
  in("objective", objective_);
  in("converged", converged_);
  model_->load(in);
}

std::vector<ParamSpec> ascent_params() {
  return {topics_param(),
          word_prior_param("0.4"),
          {.name = "tolerance",
           .doc = "the fit ends when a sweep raises the bound by less than this share of it",
           .type = ParamSpec::real,
           .init = "1e-4",
           .min = 0,
           .max = 1},
          {.name = "restarts",
           .doc = "random starts, of which the best after 5 sweeps goes on",
           .type = ParamSpec::integer,
           .init = "1",
           .min = 1,
           .max = 1000}};
}

AscentSettings ascent_settings(const Config& config) {
  return {config.real("tolerance"), static_cast<Index>(config.integer("restarts"))};
}

}  // namespace quasar
