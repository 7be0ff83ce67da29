#include "kernels/topics/expanded_topics.hpp"

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

#include "core/parts.hpp"
#include "integrators/reciprocal_metric.hpp"
#include "models/topics/topic_words.hpp"

namespace quasar {
namespace {

constexpr Index piece = 32;  // words

Rng of_word(const Rng& rng, Index word) { return rng.child("word", static_cast<std::uint64_t>(word)); }

}  // namespace

ExpandedTopics::ExpandedTopics(Index topics, Index words, double word_prior, int threads)
    : threads_(static_cast<std::size_t>(threads)),
      eta_(word_prior),
      g_(topics, words),
      totals_(topics),
      pull_(topics),
      partial_totals_(topics, (words + piece - 1) / piece),
      p_(topics, words) {}

template <class Use>
void ExpandedTopics::for_words(const Use& use) {
  const auto use_some = [&](std::size_t, Index begin, Index end) {
    for (Index word = begin; word < end; ++word) use(word);
    partial_totals_.col(begin / piece) = g_.middleCols(begin, end - begin).rowwise().sum();
  };
  in_parts(g_.cols(), threads_, use_some, piece);
  totals_ = partial_totals_.rowwise().sum();
  if (totals_.allFinite() && totals_.minCoeff() > 0) return;
  throw Diverged("the topics' words have diverged. Try a phi_step ten times smaller, or a larger batch_size");
}

void ExpandedTopics::set_pull(const Data& data) {
  pull_ = data.weight * data.counts.rowwise().sum().cast<double>().cwiseQuotient(totals_);
}

void ExpandedTopics::draw_start(const Rng& rng) {
  for_words([&](Index word) {
    Stream numbers = of_word(rng, word).stream("start");
    for (double& g : g_.col(word)) g = eta_ * numbers.exponential();
  });
}

void ExpandedTopics::langevin(double step_size, const Data& data, const Rng& rng) {
  set_pull(data);
  const Vec shrink = (1 + step_size / 2 * (1 + pull_.array())).inverse();
  for_words([&](Index word) {
    auto g = g_.col(word).array();
    const auto gain = eta_ + data.weight * data.counts.col(word).cast<double>().array();
    of_word(rng, word).stream("noise").normals(p_.col(word));
    g = ((g + step_size / 2 * gain + (step_size * g).sqrt() * p_.col(word).array()) * shrink.array()).abs();
  });
}

void ExpandedTopics::hamiltonian(double step_size, Index steps, const Data& data, const Rng& rng) {
  const double half = step_size / 2;
  stays_.resize(g_.rows(), g_.cols());
  for_words([&](Index word) {
    of_word(rng, word).stream("momentum").normals(p_.col(word));
    p_.col(word).array() /= g_.col(word).array().sqrt();
  });
  for (Index i = 0; i < steps; ++i) {
    set_pull(data);
    for_words([&](Index word) { depart(word, half, data); });
    set_pull(data);
    for_words([&](Index word) { arrive(word, half, data); });
    failures_ += stays_.count();
  }
}

// The force d log p/dg = (eta - 1)/g - 1 + w (x_vk/g - x_.k/g_.k), with 1/(2g) of the metric: m/g - 1 - w x_.k/g_.k,
// m = eta - 1/2 + w x_vk; and -p^2/2, which makes the half kick implicit.
void ExpandedTopics::depart(Index word, double half, const Data& data) {
  for (Index k = 0; k < g_.rows(); ++k) {
    double &g = g_(k, word), &p = p_(k, word);
    const double m = eta_ - 0.5 + data.weight * data.counts(k, word);
    const double kicked = near_root(1, half, p + half * (m / g - 1 - pull_[k]));
    const double forth = 1 + half * kicked, back = 1 - half * kicked;
    stays_(k, word) = !(forth > 0 && back > 0);
    p = stays_(k, word) ? -p : kicked;
    if (!stays_(k, word)) g *= forth / back;
  }
}

void ExpandedTopics::arrive(Index word, double half, const Data& data) {
  for (Index k = 0; k < g_.rows(); ++k) {
    double& p = p_(k, word);
    const double m = eta_ - 0.5 + data.weight * data.counts(k, word);
    if (!stays_(k, word)) p += half * (m / g_(k, word) - 1 - pull_[k] - p * p / 2);
  }
}

void ExpandedTopics::write(WordTopics& phi) const {
  const Vec scale = totals_.cwiseInverse();
  for (Index word = 0; word < g_.cols(); ++word) {
    float* to = phi.word(word);
    for (Index k = 0; k < g_.rows(); ++k) to[k] = std::max(static_cast<float>(g_(k, word) * scale[k]), least_phi);
  }
}

void ExpandedTopics::save(Writer& out) const {
  out("g", g_);
  out("failures", failures_);
}

void ExpandedTopics::load(Reader& in) {
  in("g", g_);
  in("failures", failures_);
  for_words([](Index) {});
}

}  // namespace quasar
