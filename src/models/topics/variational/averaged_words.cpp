#include "models/topics/variational/averaged_words.hpp"

namespace quasar {

AveragedWords::AveragedWords(const Mat& shapes, double prior)
    : prior_(prior), sums_(shapes.array() - prior), tokens_(sums_.rowwise().sum()) {}

void AveragedWords::learn(std::span<const std::uint32_t> words, const Allocations& allocations, double rate,
                          double scale) {
  factor_ *= 1 - rate;
  if (factor_ < 1e-100) {  // or 0, as after a first step of rate 1
    sums_ *= factor_;
    factor_ = 1;
  }
  tokens_ *= 1 - rate;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto counts = allocations.of_word(static_cast<Index>(i));
    sums_.col(words[i]) += rate * scale / factor_ * counts;
    tokens_ += rate * scale * counts;
  }
}

Mat AveragedWords::shapes(std::span<const std::uint32_t> words) const {
  Mat all(topics(), std::ssize(words));
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.col(static_cast<Index>(i)) = prior_ + factor_ * sums_.col(words[i]).array();
  }
  return all;
}

Mat AveragedWords::shapes() const { return prior_ + factor_ * sums_.array(); }

Vec AveragedWords::totals() const { return tokens_.array() + prior_ * static_cast<double>(words()); }

}  // namespace quasar
