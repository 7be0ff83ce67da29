#include "models/topics/variational/topic_dirichlets.hpp"

#include <cmath>

#include "core/parts.hpp"
#include "models/topics/variational/special_functions.hpp"
#include "simd/gamma_functions.hpp"

namespace quasar {
namespace {

// A word that is next to impossible in all topics of a document still has to come from one of them.
constexpr double least_factor = 1e-140;

}  // namespace

void TopicDirichlets::learn(const Allocations& allocations) {
  in_parts(shapes_.cols(), allocations.threads(), [&](std::size_t, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) shapes_.col(v).array() = prior_ + allocations.of_word(v).array();
  });
}

Vec TopicDirichlets::totals(int threads) const {
  return sum_vectors_in_parts(shapes_.rows(), shapes_.cols(), threads, [&](Index begin, Index end, auto sum) {
    sum = shapes_.middleCols(begin, end - begin).rowwise().sum();
  });
}

// E log phi_vk = digamma(b_vk) - digamma(sum_v b_vk). The largest exponential of a word is of order 1 or more, whatever
// its shapes: exp(digamma(b) + 1/b) = exp(digamma(b + 1)).
void fill_word_factors(const Mat& shapes, In totals, Allocations& allocations) {
  const auto topics = static_cast<std::size_t>(shapes.rows());
  Vec of_topic(shapes.rows());
  simd::digamma(totals.data(), of_topic.data(), topics);
  of_topic = (of_topic.minCoeff() - of_topic.array()).exp();
  in_parts(shapes.cols(), allocations.threads(), [&](std::size_t, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      auto factors = allocations.word_factors(v);
      simd::exp_digamma(shapes.col(v).data(), 1 / shapes.col(v).maxCoeff(), factors.data(), topics);
      factors = factors.cwiseProduct(of_topic).cwiseMax(least_factor);
    }
  });
}

double TopicDirichlets::bound(const Mat& counts, int threads) const {
  const Index topics = shapes_.rows(), words = shapes_.cols();
  const auto count = static_cast<std::size_t>(topics);
  const Vec sums = totals(threads);
  Vec of_totals(topics);
  simd::digamma(sums.data(), of_totals.data(), count);
  const double of_words = sum_in_parts(words, threads, [&](Index begin, Index end) {
    Vec left(topics), values(topics);
    double sum = 0;
    for (Index v = begin; v < end; ++v) {
      simd::log_gamma(shapes_.col(v).data(), values.data(), count);
      sum += values.sum();
      left.array() = prior_ + counts.col(v).head(topics).array();
      left -= shapes_.col(v);
      if ((left.array() == 0).all()) continue;  // as after learn()
      simd::digamma(shapes_.col(v).data(), values.data(), count);
      sum += left.dot(values - of_totals);
    }
    return sum;
  });
  const auto v = static_cast<double>(words);
  double sum = of_words + static_cast<double>(topics) * (log_gamma(v * prior_) - v * log_gamma(prior_));
  for (const double total : sums) sum -= log_gamma(total);
  return sum;
}

Eigen::MatrixXf TopicDirichlets::means() const {
  const Vec scale = totals().cwiseInverse();
  return (scale.asDiagonal() * shapes_).cast<float>();
}

}  // namespace quasar
