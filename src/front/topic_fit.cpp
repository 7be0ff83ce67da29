#include "front/topic_fit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr double rounding = 1e-9;             // of sums of parts of passes
constexpr double most_moments = 1000;         // of the trace
constexpr double most_bytes_of_shares = 1e8;  // where nobody asked for them

// Whether a multiple of `every` lies between two numbers of passes, or at the second.
bool crossed(double before, double now, double every) {
  return std::floor(now / every + rounding) > std::floor(before / every + rounding);
}

// Of each word, over all documents: a part of them at a time, since they need not be in memory.
std::vector<std::int64_t> count_words(const DocumentSource& documents) {
  constexpr Index at_once = 4096;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(documents.vocabulary()), 0);
  const auto add = [&](const Corpus& some) {
    for (std::size_t i = 0; i < some.words.size(); ++i) counts[some.words[i]] += some.counts[i];
  };
  if (documents.whole()) {
    add(*documents.whole());
    return counts;
  }
  Corpus some;
  std::vector<Index> ids;
  for (Index first = 0; first < documents.documents(); first += at_once) {
    ids.resize(static_cast<std::size_t>(std::min(at_once, documents.documents() - first)));
    std::iota(ids.begin(), ids.end(), first);
    documents.read(ids, some);
    add(some);
  }
  return counts;
}

std::string configuration_of(const TopicTask& task) {
  nlohmann::ordered_json json = task.settings.to_json();
  if (task.held_out) json["held_out"] = task.held_out->given;
  for (const auto& [name, value] : task.reading) json["documents"][name] = value;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void check_task(const TopicTask& task) {
  const auto fail = [&](std::string_view cause) {
    throw DataError(fmt::format("{}: {}", task.documents.source, cause));
  };
  if (task.documents.documents->documents() == 0) fail("has no documents");
  if (task.documents.documents->tokens() == 0) fail("has no words");
  if (task.held_out && task.held_out->split->held_out.tokens() == 0) {
    throw DataError(fmt::format("held out, {}: no words are left to judge by", task.held_out->given));
  }
}

std::shared_ptr<const TokenSplit> of_documents(const OpenCorpus& documents, double share, const Rng& rng) {
  if (!(share > 0 && share < 1)) {
    throw UsageError(fmt::format("--held-out {:g}: a share of the tokens is between 0 and 1", share));
  }
  const Corpus* all = documents.documents->whole();
  if (!all) {
    throw UsageError(
        fmt::format("{} is packed and read as it is needed: no words can be held out of it. Name a file to "
                    "judge by that is not packed",
                    documents.source));
  }
  return std::make_shared<TokenSplit>(split_tokens(*all, share, rng));
}

}  // namespace

TopicTask topic_task(OpenCorpus documents, const std::string& held_out, const Config& reading,
                     TopicFitSettings settings) {
  if (held_out.empty()) return {std::move(documents), std::nullopt, std::move(settings)};
  const Rng rng = Rng(settings.seed).child("held-out");
  if (const auto share = parse_real(held_out)) {
    HeldOutTokens tokens{of_documents(documents, *share, rng), true, held_out};
    documents.documents = std::make_shared<DocumentsInMemory>(tokens.split->seen);
    return {std::move(documents), std::move(tokens), std::move(settings)};
  }
  const OpenCorpus others = read_corpus_by({documents.documents->vocabulary(), documents.words}, held_out, reading);
  HeldOutTokens tokens{of_documents(others, usual_share_held_out, rng), false, held_out, others.content_hash};
  return {std::move(documents), std::move(tokens), std::move(settings)};
}

TopicFit::TopicFit(TopicTask task) : task_(std::move(task)), rng_(Rng(task_.settings.seed).child("fit")) {
  check_task(task_);
  const TopicFitSettings& settings = task_.settings;
  const DocumentSource& source = *task_.documents.documents;
  word_counts_ = count_words(source);
  method_ = settings.method->make(task_.documents.documents, settings.parameters, {settings.seed, settings.threads});
  trace_every_ = std::max(settings.sweeps / most_moments, rounding);
  keep_every_ = (settings.sweeps - settings.burn_in) / static_cast<double>(settings.draws);
  const double bytes = 4.0 * static_cast<double>(method_->topics()) * static_cast<double>(source.documents());
  keeps_shares_ = settings.shares == "yes" || (settings.shares == "auto" && bytes <= most_bytes_of_shares);
  Vec first(method_->topics());
  method_has_shares_ = method_->shares(0, first);
  same_topics_ = settings.method->count != TopicCount::open;
  resize_sums(method_->topics());
  if (task_.held_out) predictions_.emplace(task_.held_out->split);
  for (const NamedNumber& scalar : method_->scalars()) trace_.names.push_back(scalar.name);

  info_.method = settings.method->name;
  info_.kind = to_string(settings.method->kind);
  info_.topic_count = to_string(settings.method->count);
  info_.data_source = task_.documents.source;
  info_.data_hash = task_.documents.content_hash;
  if (task_.held_out) {
    const HeldOutTokens& tokens = *task_.held_out;
    info_.held_out_source = tokens.of_fitted ? fmt::format("{} of the tokens", tokens.given) : tokens.given;
    info_.held_out_hash = task_.held_out->content_hash;
  }
  info_.configuration = configuration_of(task_);
  info_.seed = settings.seed;
  info_.documents = source.documents();
  info_.tokens = source.tokens();
  info_.burn_in = settings.burn_in;
}

void TopicFit::resize_sums(Index topics) {
  prevalence_ = Vec::Zero(topics);
  const Index documents = keeps_shares_ && method_has_shares_ ? task_.documents.documents->documents() : 0;
  shares_ = Eigen::MatrixXf::Zero(topics, documents);
}

bool TopicFit::done() const {
  return method_->converged() || method_->data_passes() >= task_.settings.sweeps - rounding;
}

void TopicFit::step() {
  using Clock = std::chrono::steady_clock;
  const double before = method_->data_passes();
  const auto began = Clock::now();
  method_->step();
  seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
  ++steps_;
  const double now = method_->data_passes(), burn_in = task_.settings.burn_in;
  const bool last = done(), samples = task_.settings.method->kind != TopicKind::variational;
  if (last || crossed(before, now, trace_every_)) note_moment();
  if (predictions_ && (last || crossed(before, now, task_.settings.evaluate_every))) evaluate();
  if (samples && crossed(std::max(before - burn_in, 0.0), now - burn_in, keep_every_)) keep();
}

void TopicFit::note_moment() {
  trace_.passes.push_back(method_->data_passes());
  trace_.seconds.push_back(seconds_);
  trace_.objective.push_back(method_->objective());
  trace_.topics_in_use.push_back(static_cast<double>(count_in_use(method_->prevalence())));
  for (const NamedNumber& scalar : method_->scalars()) {
    if (!std::isfinite(scalar.value)) {
      throw RunError(
          fmt::format("{} is {} after {:g} passes over the documents: a smaller step size, or other priors "
                      "(quasar list topics) may help",
                      scalar.name, scalar.value, method_->data_passes()));
    }
    trace_.scalars.push_back(scalar.value);
  }
}

Mat TopicFit::shares_of_documents() const {
  Mat all(method_->topics(), task_.documents.documents->documents());
  for (Index n = 0; n < all.cols(); ++n) method_->shares(n, all.col(n));
  return all;
}

void TopicFit::score_draw(HeldOutPredictions& predictions, const TopicDraw& draw) const {
  if (task_.held_out->of_fitted && method_has_shares_) {
    predictions.add(draw.phi, shares_of_documents());
  } else {
    const FoldIn fold_in{.threads = task_.settings.threads};
    predictions.add(draw, fold_in, rng_.child("held-out").at(static_cast<std::uint64_t>(steps_)));
  }
}

void TopicFit::evaluate() {
  HeldOutPredictions now(task_.held_out->split);
  score_draw(now, method_->draw());
  curve_.passes.push_back(method_->data_passes());
  curve_.seconds.push_back(seconds_);
  curve_.perplexity.push_back(now.score().perplexity());
}

void TopicFit::keep() {
  TopicDraw draw = method_->draw();
  if (!draw.phi.allFinite() || !draw.weights.allFinite()) {
    throw RunError(
        fmt::format("the topics are no longer finite after {:g} passes over the documents", method_->data_passes()));
  }
  if (!same_topics_) resize_sums(method_->topics());
  const Vec tokens = method_->prevalence();
  prevalence_ += tokens / tokens.sum();
  if (predictions_) score_draw(*predictions_, draw);
  Vec share(method_->topics());
  for (Index n = 0; n < shares_.cols(); ++n) {
    method_->shares(n, share);
    shares_.col(n) += share.cast<float>();
  }
  draws_.push_back(std::move(draw));
}

}  // namespace quasar
