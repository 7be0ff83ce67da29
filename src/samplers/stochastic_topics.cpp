#include "samplers/stochastic_topics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "kernels/topics/word_moves.hpp"
#include "models/topics/corpus_in_memory.hpp"
#include "models/topics/topic_params.hpp"
#include "samplers/chosen.hpp"
#include "samplers/weight_chain.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 2> models{{{"gamma-gp"}, {"gamma-nb"}}};
constexpr std::array<Choice, 3> phi_moves{{{"expanded_mean"}, {"rhmc"}, {"gibbs"}}};
constexpr std::array<Choice, 3> keep_choices{{{"auto"}, {"true"}, {"false"}}};

constexpr ParamSpec whole(std::string_view name, std::string_view doc, std::string_view init, double min, double max) {
  return {.name = name, .doc = doc, .type = ParamSpec::integer, .init = init, .min = min, .max = max};
}

const std::vector<ParamSpec>& own_params() {
  static const std::vector<ParamSpec> params = {
      {.name = "model",
       .doc = "of the topics' weights: gamma-gp, atoms of a gamma process, or gamma-nb",
       .type = ParamSpec::choice,
       .init = "gamma-gp",
       .choices = models},
      {.name = "sampler",
       .doc = "of the weights and what they are made of: any on estimated gradients. One with a metric of the place "
              "moves them as they are, others their logarithms",
       .type = ParamSpec::text,
       .init = "sgrld"},
      {.name = "sampler_settings",
       .doc = "its parameters, as name=value with blanks between; what is not given is chosen for topics",
       .type = ParamSpec::text},
      whole("batch_size", "documents in a minibatch; all, where there are no more", "100", 1, 1e9),
      whole("local_sweeps", "over the tokens of a document, each time that it is read", "5", 1, 1e6),
      {.name = "keep_topics",
       .doc = "go on from the topics that a document's tokens had when it was last read; auto: where all documents are "
              "in memory",
       .type = ParamSpec::choice,
       .init = "auto",
       .choices = keep_choices},
      {.name = "phi",
       .doc = "how the topics' words move: expanded_mean, Langevin steps; rhmc, leapfrog steps; gibbs, exact draws, "
              "which need the topics of all tokens: keep_topics, or a minibatch of all documents",
       .type = ParamSpec::choice,
       .init = "expanded_mean",
       .choices = phi_moves},
      {.name = "phi_step",
       .doc = "size of their first step; 0: by the number of tokens",
       .type = ParamSpec::real,
       .init = "0",
       .min = 0,
       .max = 1e100},
      {.name = "phi_decay",
       .doc = "step t has size phi_step (1 + t/phi_delay)^-phi_decay",
       .type = ParamSpec::real,
       .init = "0.6",
       .min = 0,
       .max = 1},
      positive_param("phi_delay", "see phi_decay; in steps", "100"),
      whole("phi_leapfrog_steps", "of phi=rhmc, a step", "20", 1, 1e6),
  };
  return params;
}

std::shared_ptr<const WeightDensity> weight_law(const Config& config) {
  const Index topics = config.integer("topics");
  if (config.text("model") == "gamma-gp") return gamma_process_density(topics, gamma_process_hyperpriors(config));
  return gamma_nb_density(topics, {config.real("c0"), config.real("e0"), config.real("f0")});
}

std::shared_ptr<LocalTopics> local_topics(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                          const TopicRun& run) {
  documents = some_documents(std::move(documents));
  const std::string& keep = config.text("keep_topics");
  const bool in_memory = documents->whole() != nullptr;
  if (keep == "true" && !in_memory) throw UsageError("keep_topics=true needs all documents in memory");
  return std::make_shared<LocalTopics>(
      std::move(documents), config.integer("topics"),
      LocalTopics::Settings{config.integer("local_sweeps"), keep == "auto" ? in_memory : keep == "true", run.threads},
      Rng(run.seed).child("local topics"));
}

WordMoveSettings word_move_settings(const Config& config, const DocumentSource& documents) {
  WordMoveSettings moves{.kind = chosen<WordMoveSettings::Kind>(config, "phi",
                                                                {{"expanded_mean", WordMoveSettings::expanded_mean},
                                                                 {"rhmc", WordMoveSettings::rhmc},
                                                                 {"gibbs", WordMoveSettings::gibbs}}),
                         .prior = config.real("word_prior"),
                         .first_step = config.real("phi_step"),
                         .decay = config.real("phi_decay"),
                         .delay = config.real("phi_delay"),
                         .leapfrog_steps = config.integer("phi_leapfrog_steps")};
  if (moves.first_step > 0) return moves;
  const double tokens = static_cast<double>(documents.tokens()), topics = static_cast<double>(config.integer("topics"));
  const double pull = 1 + tokens / (topics * moves.prior * static_cast<double>(documents.vocabulary()));
  moves.first_step = moves.kind == WordMoveSettings::rhmc ? 0.1 / std::sqrt(pull) : 1 / pull;
  return moves;
}

class StochasticTopics final : public TopicMethod {
 public:
  StochasticTopics(std::shared_ptr<LocalTopics> local, WeightChain weights, WordMoves words)
      : local_(std::move(local)),
        weights_(std::move(weights)),
        words_(std::move(words)),
        prevalence_(Vec::Zero(local_->topics())) {}

  void step() override {
    local_->begin(static_cast<std::uint64_t>(++iteration_));
    weights_.step();
    looked_at_ += local_->looked_at();
    words_.move(iteration_, *local_);
    track_prevalence();
  }

  double data_passes() const override {
    return static_cast<double>(looked_at_) / static_cast<double>(local_->documents());
  }
  bool converged() const override { return false; }
  double objective() const override { return std::numeric_limits<double>::quiet_NaN(); }
  Index topics() const override { return local_->topics(); }
  Vec prevalence() const override { return prevalence_; }
  TopicDraw draw() const override { return {words_.mean(*local_), weights_.weights()}; }
  std::vector<NamedNumber> scalars() const override {
    std::vector<NamedNumber> all = weights_.scalars();
    if (words_.may_fail()) all.push_back({"failed_phi_moves", words_.failed_share(iteration_)});
    return all;
  }

  bool shares(Index document, Out shares) const override {
    if (!local_->keeps()) return false;
    if (!local_->kept(document, shares)) shares.setZero();  // it was not read yet
    shares += weights_.weights();
    shares /= shares.sum();
    return true;
  }

  void save(Writer& out) const override {
    fields(*this, out);
    weights_.save(out);
    words_.save(out);
    local_->save(out);
  }

  void load(Reader& in) override {
    fields(*this, in);
    weights_.load(in);
    words_.load(in);
    local_->load(in);
  }

 private:
  static void fields(auto& self, auto& visit) {
    visit("iteration", self.iteration_);
    visit("looked_at", self.looked_at_);
    visit("prevalence", self.prevalence_);
  }

  // Of all documents where their topics are kept; else a running mean over about one pass.
  void track_prevalence() {
    if (local_->keeps()) {
      prevalence_ = local_->kept_counts().cast<double>().rowwise().sum();
      return;
    }
    const double weight = local_->weight(), steps = std::min(static_cast<double>(iteration_), weight);
    prevalence_ += (weight * local_->counts().cast<double>().rowwise().sum() - prevalence_) / steps;
  }

  std::shared_ptr<LocalTopics> local_;
  WeightChain weights_;
  WordMoves words_;
  std::int64_t iteration_ = 0, looked_at_ = 0;
  Vec prevalence_;
};

}  // namespace

std::span<const ParamSpec> stochastic_topics_params() {
  static const auto params =
      joined({own_params(), {gamma_nb_params().begin(), gamma_nb_params().end()}, gamma_process_params()});
  return params;
}

std::unique_ptr<TopicMethod> make_stochastic_topics(std::shared_ptr<const DocumentSource> documents,
                                                    const Config& config, const TopicRun& run) {
  const WordMoveSettings moves = word_move_settings(config, *documents);
  const Index batch_size = config.integer("batch_size"), all = documents->documents();
  const auto local = local_topics(std::move(documents), config, run);
  if (moves.kind == WordMoveSettings::gibbs && !local->keeps() && batch_size < all) {
    throw UsageError("phi=gibbs needs the topics of all documents: keep_topics=true, or a batch_size of all of them");
  }
  WeightChain weights(local, weight_law(config), {config.real("a0"), config.real("b0")},
                      {config.text("sampler"), config.text("sampler_settings"), batch_size, run.seed});
  WordMoves words(moves, *local, run.threads, Rng(run.seed).child("topics' words"));
  return std::make_unique<StochasticTopics>(local, std::move(weights), std::move(words));
}

}  // namespace quasar
