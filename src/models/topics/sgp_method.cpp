// SGP as one of the ways to fit topics.
#include <algorithm>
#include <numeric>

#include <quasar/errors.hpp>

#include "models/topics/corpus_in_memory.hpp"
#include "models/topics/sgp.hpp"
#include "models/topics/topic_params.hpp"
#include "models/topics/topic_words.hpp"

namespace quasar {
namespace {

class Sgp final : public TopicMethod {
 public:
  Sgp(std::shared_ptr<const DocumentSource> documents, const SgpOptions& options, const TopicRun& run)
      : corpus_(some_documents(std::move(documents))),
        options_(options),
        rng_(Rng(run.seed).child("sgp")),
        threads_(std::max(run.threads, 1)),
        state_(initial_sgp_state(*corpus_, options_, rng_.child("start"))) {}

  void step() override { sgp_sweep(*corpus_, options_, rng_.at(++sweeps_), threads_, state_); }
  double data_passes() const override { return static_cast<double>(sweeps_); }
  bool converged() const override { return false; }
  double objective() const override { return std::numeric_limits<double>::quiet_NaN(); }
  Index topics() const override { return state_.used(); }

  Vec prevalence() const override { return state_.word_counts.cast<double>().rowwise().sum(); }

  TopicDraw draw() const override {
    return {mean_topic_words(state_.word_counts, options_.word_prior), state_.atoms.weights().head(topics())};
  }

  std::vector<NamedNumber> scalars() const override {
    return {{"alpha", state_.atoms.alpha},
            {"gamma", state_.atoms.gamma},
            {"c", state_.atoms.c},
            {"atoms", static_cast<double>(state_.atoms.count())},
            {"topics", static_cast<double>(topics())}};
  }

  // In proportion to E(z_nk | x_nk, g_k): by z itself a topic without tokens would be all or nothing.
  bool shares(Index document, Out shares) const override {
    IntegerWeights integers;
    for (Index k = 0; k < topics(); ++k) shares[k] = integers.mean(0, state_.atoms.weight(k));
    for (const TopicInDocument& topic : state_.documents[static_cast<std::size_t>(document)]) {
      shares[topic.topic] = integers.mean(topic.x, state_.atoms.weight(topic.topic));
    }
    shares /= shares.sum();
    return true;
  }

  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  CorpusInMemory corpus_;
  SgpOptions options_;
  Rng rng_;
  int threads_;
  std::uint64_t sweeps_ = 0;
  SgpState state_;
};

void Sgp::save(Writer& out) const {
  std::vector<std::uint32_t> lengths, numbers;
  for (const auto& document : state_.documents) {
    lengths.push_back(static_cast<std::uint32_t>(document.size()));
    for (const auto& [topic, z, x] : document) numbers.insert(numbers.end(), {topic, z, x});
  }
  out("sweeps", sweeps_);
  out("count", state_.atoms.count());
  out("used", topics());
  out("atoms", state_.atoms);
  out("phi", state_.phi);
  out("word_counts", state_.word_counts);
  out("lengths", lengths);
  out("documents", numbers);
}

void Sgp::load(Reader& in) {
  Index count = 0, used = 0;
  in("sweeps", sweeps_);
  in("count", count);
  in("used", used);
  if (used < 0 || used > count || count > options_.most_atoms)
    throw DataError("sgp: the saved number of topics cannot be");
  state_.atoms.resize(count);
  in("atoms", state_.atoms);
  state_.phi = WordTopics(used, corpus_->vocabulary);
  in("phi", state_.phi);
  state_.word_counts.resize(used, corpus_->vocabulary);
  in("word_counts", state_.word_counts);
  std::vector<std::uint32_t> lengths(state_.documents.size());
  in("lengths", lengths);
  std::vector<std::uint32_t> numbers(3 * std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
  in("documents", numbers);
  auto next = numbers.begin();
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    state_.documents[n].resize(lengths[n]);
    for (auto& [topic, z, x] : state_.documents[n]) {
      topic = *next++, z = *next++, x = *next++;
      if (topic >= used) throw DataError("sgp: a saved document has a topic that is not there");
    }
  }
}

}  // namespace

std::span<const ParamSpec> sgp_params() {
  static const auto params = [] {
    ParamSpec topics = topics_param("50");
    topics.doc = "topics that a run begins with; how many there are is learned";
    const ParamSpec most_atoms = {.name = "most_atoms",
                                  .doc = "a sweep that needs more atoms, in use or not, ends the run",
                                  .type = ParamSpec::integer,
                                  .init = "5000",
                                  .min = 1,
                                  .max = static_cast<double>(most_topics)};
    return joined({{topics, word_prior_param()}, gamma_process_params(), {most_atoms}});
  }();
  return params;
}

std::unique_ptr<TopicMethod> make_sgp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run) {
  const SgpOptions options{.prior = gamma_process_hyperpriors(config),
                           .word_prior = config.real("word_prior"),
                           .topics = config.integer("topics"),
                           .most_atoms = config.integer("most_atoms")};
  return std::make_unique<Sgp>(std::move(documents), options, run);
}

}  // namespace quasar
