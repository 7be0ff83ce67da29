#include "front/topic_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <quasar/diagnostics.hpp>

#include "front/topic_methods.hpp"
#include "io/join.hpp"

namespace quasar {
namespace {

template <class Value>
std::vector<Index> largest(Index size, Index most, const Value& value) {
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  const auto middle = order.begin() + std::min(most, size);
  const auto before = [&](Index a, Index b) { return value(a) != value(b) ? value(a) > value(b) : a < b; };
  std::partial_sort(order.begin(), middle, order.end(), before);
  order.erase(middle, order.end());
  return order;
}

}  // namespace

std::vector<WordShare> top_words(const Eigen::MatrixXf& phi, Index topic, Index most) {
  std::vector<WordShare> found;
  for (const Index v : largest(phi.cols(), most, [&](Index word) { return phi(topic, word); })) {
    found.push_back({v, phi(topic, v)});
  }
  return found;
}

std::string words_in_a_row(const FittedTopics& found, const Eigen::MatrixXf& phi, Index topic, Index most) {
  std::vector<std::string> words;
  for (const WordShare& one : top_words(phi, topic, most)) words.push_back(found.word(one.word));
  return join(words, " ");
}

double lift_of(const FittedTopics& found, const WordShare& one) {
  const double all = static_cast<double>(found.info.tokens) + static_cast<double>(found.vocabulary());
  return one.probability * all / (static_cast<double>(found.word_counts[static_cast<std::size_t>(one.word)]) + 1);
}

std::vector<TopicShare> top_topics(const Eigen::Ref<const Eigen::VectorXf>& shares, Index most, double least) {
  std::vector<TopicShare> found;
  for (const Index k : largest(shares.size(), most, [&](Index topic) { return shares[topic]; })) {
    if (shares[k] >= least) found.push_back({k, shares[k]});
  }
  return found;
}

Index topics_that_hold(const Vec& prevalence, double share) {
  double sum = 0;
  Index count = 0;
  while (count < prevalence.size() && sum < share * prevalence.sum()) sum += prevalence[count++];
  return count;
}

std::vector<ScalarSummary> summarize_scalars(const FittedTopics& found) {
  const TopicTrace& trace = found.trace;
  const auto first = static_cast<std::size_t>(std::ranges::upper_bound(trace.passes, found.info.burn_in + 1e-9) -
                                              trace.passes.begin());
  const auto kept = static_cast<Index>(trace.moments() - first);
  std::vector<ScalarSummary> all;
  if (trace.moments() == 0) return all;
  Summarizer summarize(kept, 1);
  for (std::size_t k = 0; k < trace.names.size(); ++k) {
    if (found.info.kind == "variational" || kept < 4) {
      all.push_back({trace.names[k], trace.scalar(trace.moments() - 1, k), {}, {}, {}});
      continue;
    }
    Mat draws(kept, 1);
    for (Index i = 0; i < kept; ++i) draws(i, 0) = trace.scalar(first + static_cast<std::size_t>(i), k);
    const Summary summary = summarize(draws);
    all.push_back({trace.names[k], summary.mean, summary.q5, summary.q95, summary.ess_bulk});
  }
  return all;
}

namespace {

constexpr double least_ess = 20, still_falls = 0.01;
constexpr std::size_t least_points = 9;

// The last third of the curve lies below the third before it, by more than it wavers itself.
bool curve_falls(const HeldOutCurve& curve) {
  const auto third = static_cast<Index>(curve.perplexity.size() / 3);
  if (curve.perplexity.size() < least_points) return false;
  const Eigen::Map<const Vec> all(curve.perplexity.data(), std::ssize(curve.perplexity));
  const Vec last = all.tail(third);
  const double before = all.segment(all.size() - 2 * third, third).mean(), mean = last.mean();
  const double wavers = std::sqrt((last.array() - mean).square().mean());
  return before - mean > std::max(still_falls * before, 2 * wavers);
}

}  // namespace

std::vector<std::string> topic_warnings(const FittedTopics& found) {
  const TopicFitInfo& info = found.info;
  std::vector<std::string> warnings;
  const auto more = [&] { return fmt::format("--sweeps {:g}", 2 * std::max(1.0, std::ceil(info.passes))); };
  if (info.stopped_early && info.passes <= info.burn_in) {
    warnings.emplace_back("stopped in the burn-in: the topics are those of the last sweep alone");
  }
  if (info.kind == "variational" && !is_endless(info.method) && !info.converged && !info.stopped_early) {
    warnings.push_back(
        fmt::format("not converged after {:g} passes over the documents: {} may do", info.passes, more()));
  }
  if (info.topic_count == to_string(TopicCount::bounded) && found.topics() > 1 &&
      found.topics_in_use() == found.topics()) {
    warnings.push_back(fmt::format("all {} topics are in use, so that there may be more: --topics {} makes room",
                                   found.topics(), 2 * found.topics()));
  }
  if (info.perplexity >= info.unigram_perplexity && info.held_out_tokens > 0) {
    warnings.emplace_back("the topics tell held-out words no better than the frequencies of the words alone");
  }
  if (curve_falls(found.held_out) && !info.converged) {
    warnings.push_back(fmt::format("the held-out perplexity still falls: {} may lower it", more()));
  }
  const std::vector<ScalarSummary> scalars = summarize_scalars(found);
  const auto ess = [](const ScalarSummary& scalar) {  // what stands still tells nothing
    return scalar.q5 != scalar.q95 ? scalar.ess.value_or(least_ess) : least_ess;
  };
  const auto slowest = std::ranges::min_element(scalars, {}, ess);
  if (slowest != scalars.end() && ess(*slowest) < least_ess) {
    warnings.push_back(fmt::format("{} moves slowly (effective sample size {:.0f}), so that its interval is rough: {}",
                                   slowest->name, *slowest->ess, more()));
  }
  return warnings;
}

}  // namespace quasar
