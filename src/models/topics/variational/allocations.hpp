// The tokens of every document shared out among the topics:
//
//   r_vnk = A_vk B_nk / P_vn,   P_vn = sum_k A_vk B_nk,   A = exp(E log phi),   B = exp(E log theta),
//
// which is the optimal law of the topics of the d_vn tokens of word v in document n. The r are never stored: all that
// is asked of them is
//
//   X_nk = sum_v d_vn r_vnk = B_nk sum_v A_vk Q_vn,   Y_vk = sum_n d_vn r_vnk = A_vk sum_n Q_vn B_nk,   Q = d / P,
//
// a pass over the documents and one over the words. Each column is written by one thread, in a fixed order.
#pragma once

#include <cstdint>
#include <vector>

#include <quasar/corpus.hpp>

#include "models/topics/variational/word_places.hpp"

namespace quasar {

class Allocations {
 public:
  Allocations(const Corpus& corpus, Index topics, int threads);  // the corpus has to outlive it

  const Corpus& corpus() const { return *corpus_; }
  Index topics() const { return topics_; }
  int threads() const { return threads_; }

  // A and B, a column for each word or document, to be filled in by others. A factor of a column cancels in r; no
  // column of B may be zero, and no number of A.
  auto word_factors(Index v) { return word_factors_.col(v).head(topics_); }
  auto document_factors(Index n) { return document_factors_.col(n).head(topics_); }

  void share_out();                  // X and Y by A and B
  void share_out_document(Index n);  // the same for the Q and X of one document; any thread
  void gather_words();               // Y, by Q and B

  auto of_document(Index n) const { return of_documents_.col(n).head(topics_); }  // X_n
  auto of_word(Index v) const { return of_words_.col(v).head(topics_); }          // Y_v
  const Mat& of_words() const { return of_words_; }  // Y; rows behind the last topic are zero
  Vec prevalence() const { return of_documents_.topRows(topics_).rowwise().sum(); }

  // sum_vnk -d r log r - sum_vn log d!, for the r of the last share_out
  double entropy() const;

  static void fields(auto& self, auto&& visit) { visit("of_documents", self.of_documents_); }  // the rest is made anew

 private:
  const Corpus* corpus_;
  Index topics_;
  int threads_;
  WordPlaces places_;
  double constant_;                                                // sum d log d - log d!
  Vec ratios_;                                                     // Q, in the order of the corpus
  Mat word_factors_, document_factors_, of_words_, of_documents_;  // rows behind the last topic are zero
  std::vector<Vec> gathered_;                                      // each thread's: Q of one word
};

}  // namespace quasar
