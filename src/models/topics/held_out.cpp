#include "models/topics/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parts.hpp"
#include "models/topics/document_sweep.hpp"

namespace quasar {
namespace {

struct FoldInScratch {
  DocumentSweep sweep;
  std::vector<TopicOfToken> topics;
};

// probability(place among the held-out words, word)
template <class Probability>
HeldOutScore score_of(const TokenSplit& split, const Probability& probability) {
  HeldOutScore score;
  for (Index n = 0; n < split.held_out.documents(); ++n) {
    if (split.seen.document(n).words.empty()) continue;
    const Document document = split.held_out.document(n);
    const auto first = split.held_out.begin[static_cast<std::size_t>(n)];
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      score.log_likelihood +=
          document.counts[i] * std::log(probability(first + static_cast<Index>(i), document.words[i]));
      score.tokens += document.counts[i];
    }
  }
  return score;
}

void add_shares(std::span<const std::uint32_t> counts, In weights, double total, Out sum) {
  for (Index k = 0; k < sum.size(); ++k) {
    sum[k] += (weights[k] + static_cast<double>(counts[static_cast<std::size_t>(k)])) / total;
  }
}

}  // namespace

TokenSplit split_tokens(const Corpus& corpus, double share, const Rng& rng) {
  TokenSplit split;
  split.seen.vocabulary = split.held_out.vocabulary = corpus.vocabulary;
  std::vector<std::uint32_t> words[2], counts[2];
  for (Index n = 0; n < corpus.documents(); ++n) {
    const Document document = corpus.document(n);
    Stream draws = rng.child("document", static_cast<std::uint64_t>(n)).stream("held out");
    for (int part = 0; part < 2; ++part) {
      words[part].clear();
      counts[part].clear();
    }
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      const auto kept_back = static_cast<std::uint32_t>(draws.binomial(document.counts[i], share));
      const std::uint32_t of_part[2] = {document.counts[i] - kept_back, kept_back};
      for (int part = 0; part < 2; ++part) {
        if (of_part[part] == 0) continue;
        words[part].push_back(document.words[i]);
        counts[part].push_back(of_part[part]);
      }
    }
    split.seen.add({words[0], counts[0]});
    split.held_out.add({words[1], counts[1]});
  }
  return split;
}

Mat infer_shares(const Corpus& documents, const TopicDraw& topics, const FoldIn& settings, const Rng& rng) {
  const WordTopics phi(topics.phi);
  Mat shares = Mat::Zero(phi.topics(), documents.documents());
  std::vector<FoldInScratch> scratch(static_cast<std::size_t>(std::max(settings.threads, 1)),
                                     {DocumentSweep(phi.topics()), {}});
  for (FoldInScratch& s : scratch) s.sweep.set_weights(topics.weights);
  const double total_weight = topics.weights.sum();
  const auto infer = [&](FoldInScratch& s, Index n) {
    const Document document = documents.document(n);
    const Rng name = rng.child("document", static_cast<std::uint64_t>(n));
    expect_countable(document.tokens());
    s.topics.resize(static_cast<std::size_t>(document.tokens()));
    const double total = total_weight + static_cast<double>(s.topics.size());
    s.sweep.start(document, phi, s.topics, name.stream("start"));
    if (s.topics.empty()) {
      shares.col(n) = topics.weights / total;
      return;
    }
    for (Index t = 0; t < settings.discarded + settings.kept; ++t) {
      s.sweep.sweep(document, phi, s.topics, name.child("sweep", static_cast<std::uint64_t>(t)).stream("topics"));
      if (t >= settings.discarded) add_shares(s.sweep.counts(), topics.weights, total, shares.col(n));
    }
    shares.col(n) /= static_cast<double>(settings.kept);
  };
  in_parts(documents.documents(), scratch.size(), [&](std::size_t thread, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) infer(scratch[thread], n);
  });
  return shares;
}

double HeldOutScore::per_token() const { return log_likelihood / static_cast<double>(tokens); }
double HeldOutScore::perplexity() const { return std::exp(-per_token()); }

HeldOutPredictions::HeldOutPredictions(TokenSplit split)
    : HeldOutPredictions(std::make_shared<const TokenSplit>(std::move(split))) {}
HeldOutPredictions::HeldOutPredictions(std::shared_ptr<const TokenSplit> split)
    : split_(std::move(split)), sum_(Vec::Zero(split_->held_out.nonzeros())) {}

void HeldOutPredictions::add(const TopicDraw& topics, const FoldIn& settings, const Rng& rng) {
  add(topics.phi, infer_shares(split_->seen, topics, settings, rng));
}

void HeldOutPredictions::add(const Eigen::MatrixXf& phi, const Mat& shares) {
  for (Index n = 0; n < split_->held_out.documents(); ++n) {
    const Document document = split_->held_out.document(n);
    const auto first = split_->held_out.begin[static_cast<std::size_t>(n)];
    const Eigen::VectorXf of_document = shares.col(n).cast<float>();
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      const Index at = first + static_cast<Index>(i);
      sum_[at] += static_cast<double>(phi.col(document.words[i]).dot(of_document));
    }
  }
  ++draws_;
}

HeldOutScore HeldOutPredictions::score() const {
  return score_of(*split_, [&](Index at, std::uint32_t) { return sum_[at] / static_cast<double>(draws_); });
}

HeldOutScore unigram_score(std::span<const std::int64_t> word_counts, const TokenSplit& split) {
  double total = 0;
  for (const std::int64_t count : word_counts) total += static_cast<double>(count + 1);
  return score_of(split, [&](Index, std::uint32_t word) { return static_cast<double>(word_counts[word] + 1) / total; });
}

HeldOutScore unigram_score(const Corpus& fitted, const TokenSplit& split) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(fitted.vocabulary), 0);
  for (std::size_t i = 0; i < fitted.words.size(); ++i) counts[fitted.words[i]] += fitted.counts[i];
  return unigram_score(counts, split);
}

}  // namespace quasar
