#include "models/topics/variational/allocations.hpp"

#include <cmath>

#include "core/parts.hpp"
#include "models/topics/variational/special_functions.hpp"
#include "simd/gamma_functions.hpp"
#include "simd/sparse_rows.hpp"

namespace quasar {
namespace {

Index padded(Index topics) {
  constexpr auto step = static_cast<Index>(simd::padding);
  return (topics + step - 1) / step * step;
}

// d log d - log d!, of all counts; most of them are small.
double sum_of_constants(const Corpus& corpus) {
  std::vector<double> known(64);
  for (std::size_t d = 1; d < known.size(); ++d) {
    const auto x = static_cast<double>(d);
    known[d] = x * std::log(x) - log_gamma(x + 1);
  }
  double sum = 0;
  for (const std::uint32_t d : corpus.counts) {
    const auto x = static_cast<double>(d);
    sum += d < known.size() ? known[d] : x * std::log(x) - log_gamma(x + 1);
  }
  return sum;
}

// sum_ik x_ik log f_ik over columns; what is shared out by a factor that is too small for a double is 0.
double weighted_logs(const Mat& x, const Mat& factors, int threads) {
  return sum_in_parts(x.cols(), threads, [&](Index begin, Index end) {
    Vec logs(x.rows());
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      logs = factors.col(i).cwiseMax(1e-300);
      simd::natural_log(logs.data(), logs.data(), static_cast<std::size_t>(logs.size()));
      sum += x.col(i).dot(logs);
    }
    return sum;
  });
}

}  // namespace

Allocations::Allocations(const Corpus& corpus, Index topics, int threads)
    : corpus_(&corpus),
      topics_(topics),
      threads_(threads),
      places_(corpus),
      constant_(sum_of_constants(corpus)),
      ratios_(Vec::Ones(corpus.nonzeros())),
      word_factors_(Mat::Zero(padded(topics), corpus.vocabulary)),
      document_factors_(Mat::Zero(padded(topics), corpus.documents())),
      of_words_(Mat::Zero(padded(topics), corpus.vocabulary)),
      of_documents_(Mat::Zero(padded(topics), corpus.documents())),
      gathered_(static_cast<std::size_t>(threads), Vec(static_cast<Index>(places_.most()))) {}

void Allocations::share_out() {
  in_parts(corpus_->documents(), threads_, [&](std::size_t, Index begin, Index end) {
    for (Index n = begin; n < end; ++n) share_out_document(n);
  });
  gather_words();
}

void Allocations::share_out_document(Index n) {
  const Document document = corpus_->document(n);
  const std::size_t count = document.words.size();
  const auto width = static_cast<std::size_t>(of_documents_.rows());
  double* ratios = ratios_.data() + corpus_->begin[static_cast<std::size_t>(n)];
  simd::sparse_dots(document.words.data(), count, word_factors_.data(), width, document_factors_.col(n).data(), ratios);
  for (std::size_t i = 0; i < count; ++i) ratios[i] = static_cast<double>(document.counts[i]) / ratios[i];
  simd::sparse_times_dense({document.words.data(), ratios, count}, word_factors_.data(), width,
                           of_documents_.col(n).data());
  of_documents_.col(n).array() *= document_factors_.col(n).array();
}

void Allocations::gather_words() {
  const auto width = static_cast<std::size_t>(of_words_.rows());
  in_parts(corpus_->vocabulary, threads_, [&](std::size_t thread, Index begin, Index end) {
    double* gathered = gathered_[thread].data();
    for (Index v = begin; v < end; ++v) {
      const WordPlaces::Word word = places_.word(v);
      for (std::size_t i = 0; i < word.places.size(); ++i) gathered[i] = ratios_[word.places[i]];
      simd::sparse_times_dense({word.documents.data(), gathered, word.documents.size()}, document_factors_.data(),
                               width, of_words_.col(v).data());
      of_words_.col(v).array() *= word_factors_.col(v).array();
    }
  });
}

// r = A B Q / d, so that the logarithm of r is a sum.
double Allocations::entropy() const {
  const double of_ratios = sum_in_parts(corpus_->documents(), threads_, [&](Index begin, Index end) {
    const auto first = corpus_->begin[static_cast<std::size_t>(begin)];
    const auto last = corpus_->begin[static_cast<std::size_t>(end)];
    Vec logs(last - first);
    simd::natural_log(ratios_.data() + first, logs.data(), static_cast<std::size_t>(logs.size()));
    double sum = 0;
    for (Index i = 0; i < logs.size(); ++i) {
      sum += static_cast<double>(corpus_->counts[static_cast<std::size_t>(first + i)]) * logs[i];
    }
    return sum;
  });
  return constant_ - of_ratios - weighted_logs(of_documents_, document_factors_, threads_) -
         weighted_logs(of_words_, word_factors_, threads_);
}

}  // namespace quasar
