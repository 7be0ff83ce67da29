#include "models/topics/document_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr std::size_t uniforms_at_once = 1024;  // many, that they cost little; a long document needs no more memory

}  // namespace

void expect_countable(std::int64_t tokens) {
  if (tokens <= most_tokens) return;
  throw DataError(fmt::format(
      "{} tokens are more than {}, the most whose topics can be drawn: leave out the most frequent words, or "
      "try method vgp, which does not draw them",
      tokens, most_tokens));
}

DocumentSweep::DocumentSweep(Index topics)
    : topics_(topics),
      weights_(simd::topic_stride(static_cast<std::size_t>(topics))),
      totals_(weights_.size()),
      counts_(weights_.size()),
      uniforms_(static_cast<Index>(uniforms_at_once)) {}

void DocumentSweep::set_weights(In weights) {
  std::transform(weights.begin(), weights.end(), weights_.begin(), [](double r) { return static_cast<float>(r); });
}

void DocumentSweep::set_weights(double of_each) { std::fill_n(weights_.begin(), topics_, static_cast<float>(of_each)); }

void DocumentSweep::count(std::span<const TopicOfToken> topics) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const TopicOfToken topic : topics) ++counts_[topic];
}

double DocumentSweep::uniform(std::size_t token, std::size_t tokens, Stream& stream) {
  const std::size_t place = token % uniforms_at_once;
  if (place == 0) stream.uniforms(uniforms_.head(static_cast<Index>(std::min(uniforms_at_once, tokens - token))));
  return uniforms_[static_cast<Index>(place)];
}

void DocumentSweep::put(std::size_t topic, std::uint32_t change) {
  counts_[topic] += change;
  totals_[topic] = weights_[topic] + static_cast<float>(counts_[topic]);
}

// Products of single precision may all be too small for it: then in double.
TopicOfToken DocumentSweep::choose(const float* phi, double u) const {
  const std::size_t found =
      simd::choose_topic(phi, totals_.data(), totals_.size(), static_cast<float>(u * (1 - 0x1p-24)));
  if (found < totals_.size()) return static_cast<TopicOfToken>(found);
  const auto product = [&](Index k) {
    const auto i = static_cast<std::size_t>(k);
    return static_cast<double>(phi[i]) * static_cast<double>(totals_[i]);
  };
  double total = 0;
  for (Index k = 0; k < topics_; ++k) total += product(k);
  double rest = u * total;
  Index k = 0;
  while (k + 1 < topics_ && rest >= product(k)) rest -= product(k++);
  return static_cast<TopicOfToken>(k);
}

void DocumentSweep::start(const Document& document, const WordTopics& phi, std::span<TopicOfToken> topics,
                          Stream uniforms) {
  count({});
  totals_ = weights_;
  std::size_t token = 0;
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    const float* word = phi.word(document.words[i]);
    for (const std::size_t end = token + document.counts[i]; token < end; ++token) {
      topics[token] = choose(word, uniform(token, topics.size(), uniforms));
      put(topics[token], 1);
    }
  }
}

void DocumentSweep::sweep(const Document& document, const WordTopics& phi, std::span<TopicOfToken> topics,
                          Stream uniforms) {
  count(topics);
  for (std::size_t k = 0; k < totals_.size(); ++k) totals_[k] = weights_[k] + static_cast<float>(counts_[k]);
  std::size_t token = 0;
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    const float* word = phi.word(document.words[i]);
    for (const std::size_t end = token + document.counts[i]; token < end; ++token) {
      put(topics[token], -1U);
      topics[token] = choose(word, uniform(token, topics.size(), uniforms));
      put(topics[token], 1);
    }
  }
}

}  // namespace quasar
