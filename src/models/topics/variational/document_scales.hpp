// The scales of the documents in the gamma laws of their topics, theta_nk ~ Gamma(g_k, scale p_n / (1 - p_n)): either
// q(p_n) = Beta(a0 + D_n, b0 + E sum_k g_k), where p_n ~ Beta(a0, b0) and D_n are the tokens of document n, or p_n =
// 1/2 for all, which is the rate 1.
//
// Of p_n the tokens of a document know by p_n^D_n (1 - p_n)^(sum_k g_k).
#pragma once

#include <optional>

#include <quasar/corpus.hpp>

namespace quasar {

struct ScalePrior {
  double a0 = 0.01, b0 = 0.01;
};

class DocumentScales {
 public:
  DocumentScales(const Corpus& corpus, std::optional<ScalePrior> prior);  // none: fixed at 1/2

  void learn(double total);  // E sum_k g_k
  double exposure() const;   // q = -sum_n E log(1 - p_n)
  double bound(double total) const;

  static void fields(auto& self, auto&& visit) { visit("second", self.second_); }

 private:
  Vec tokens_;
  std::optional<ScalePrior> prior_;
  double second_ = 1;  // b0 + E sum_k g_k, the same for all documents
};

}  // namespace quasar
