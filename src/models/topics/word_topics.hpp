// phi, word after word: the topics' probabilities of one word stand side by side, for loops over the topics.
#pragma once

#include <Eigen/Core>

#include <quasar/core.hpp>

#include "simd/topic_choice.hpp"

namespace quasar {

inline constexpr double least_weight = 1e-30;  // of a topic, in single precision too

class WordTopics {
 public:
  WordTopics(Index topics, Index words)
      : topics_(topics),
        values_(
            Eigen::MatrixXf::Zero(static_cast<Index>(simd::topic_stride(static_cast<std::size_t>(topics))), words)) {}
  explicit WordTopics(const Eigen::MatrixXf& phi) : WordTopics(phi.rows(), phi.cols()) {
    values_.topRows(topics_) = phi;
  }

  Index topics() const { return topics_; }
  Index words() const { return values_.cols(); }
  Index stride() const { return values_.rows(); }  // what stands behind the last topic is zero
  float* word(Index v) { return values_.col(v).data(); }
  const float* word(Index v) const { return values_.col(v).data(); }
  auto phi() const { return values_.topRows(topics_); }  // topics x words

  static void fields(auto& self, auto&& visit) { visit("values", self.values_); }

 private:
  Index topics_;
  Eigen::MatrixXf values_;
};

}  // namespace quasar
