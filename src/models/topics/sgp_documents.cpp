#include "models/topics/sgp_documents.hpp"

#include <algorithm>
#include <atomic>
#include <numbers>
#include <numeric>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

// A place in running sums, in proportion to what was added there; one where nothing was added is never chosen.
std::size_t choose_place(std::span<const double> sums, double u) {
  auto found = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
  if (found == sums.end()) found = std::lower_bound(sums.begin(), sums.end(), sums.back());  // rounded up
  return static_cast<std::size_t>(found - sums.begin());
}

template <class Count>
void add_from_any_thread(Count& to, Count change) {
  std::atomic_ref(to).fetch_add(change, std::memory_order_relaxed);
}

}  // namespace

SgpDocuments::SgpDocuments(const WordTopics& phi, In weights, int threads)
    : phi_(phi),
      weights_(weights.begin(), weights.end()),
      running_sums_(weights_.size()),
      words_of_topics_(WordTopicCounts::Zero(phi.topics(), phi.words())),
      uses_(weights_.size()),
      scratch_(static_cast<std::size_t>(threads)) {
  std::partial_sum(weights_.begin(), weights_.end(), running_sums_.begin());
  for (Scratch& s : scratch_) {
    s.z.resize(weights_.size()), s.x.resize(weights_.size()), s.unseen.resize(weights_.size());
  }
}

void SgpDocuments::draw(std::size_t thread, const Document& document, std::vector<TopicInDocument>& topics,
                        const Rng& rng) {
  allocate(document, topics, scratch_[thread], rng.stream("topics"));
  draw_weights(topics, scratch_[thread], rng.stream("weights"));
}

// (x_vnk)_k ~ Multinomial(d_vn; phi_vk z_nk / sum): only topics that the document uses.
void SgpDocuments::allocate(const Document& document, std::span<const TopicInDocument> topics, Scratch& s,
                            Stream uniforms) {
  s.sums.resize(topics.size());
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    const auto v = static_cast<Index>(document.words[i]);
    const float* phi = phi_.word(v);
    double sum = 0;
    for (std::size_t a = 0; a < topics.size(); ++a) {
      s.sums[a] = sum += static_cast<double>(phi[topics[a].topic]) * topics[a].z;
    }
    if (!(sum > 0))
      throw RunError("sgp: a document has none of the topics of its words; was its state saved with others?");
    for (std::uint32_t token = 0; token < document.counts[i]; ++token) {
      const std::uint32_t k = topics[choose_place(s.sums, uniforms.uniform())].topic;
      ++s.x[k];
      add_from_any_thread(words_of_topics_(k, v), 1U);
    }
  }
}

// Weights of topics without tokens are Poisson(g_k / e), which are drawn all together; what falls to a topic that has
// tokens is left aside.
void SgpDocuments::draw_weights(std::vector<TopicInDocument>& topics, Scratch& s, Stream draws) {
  if (weights_.empty()) return;
  for (const TopicInDocument& t : topics) s.z[t.topic] = t.z;
  for (std::int64_t left = draws.poisson(running_sums_.back() / std::numbers::e); left > 0; --left) {
    ++s.unseen[choose_place(running_sums_, draws.uniform())];
  }
  topics.clear();
  for (std::uint32_t k = 0; k < weights_.size(); ++k) {
    const std::uint32_t x = s.x[k];
    const std::uint32_t z = x == 0 ? s.unseen[k] : s.integers.draw(x, weights_[k], s.z[k], draws.uniform());
    s.z[k] = s.x[k] = s.unseen[k] = 0;
    if (z == 0) continue;
    topics.push_back({k, z, x});
    add_from_any_thread(uses_[k], std::uint64_t{z});
  }
}

}  // namespace quasar
