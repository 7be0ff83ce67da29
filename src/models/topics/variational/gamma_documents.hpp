// The topics of the documents in vgp and vngp: theta_nk ~ Gamma(g_k, scale p_n / (1 - p_n)), with q(theta_nk) a Gamma
// law of shape a_nk, in units of the scale; the best is a_nk = gt_k + X_nk with gt_k = exp(E log g_k).
#pragma once

#include <optional>

#include "models/topics/variational/allocations.hpp"
#include "models/topics/variational/document_scales.hpp"
#include "models/topics/variational/weight_law.hpp"

namespace quasar {

class GammaDocuments {
 public:
  GammaDocuments(const Corpus& corpus, Index topics, std::optional<ScalePrior> prior);

  void start();                                              // every topic in every document, alike
  void refresh(const Allocations& allocations, In weights);  // a = gt + X
  void fill_factors(Allocations& allocations) const;         // exp(digamma(a)), up to factors of documents

  // Refreshes, fills and shares out by turns, each document until the shapes change by less than 1e-3 on average.
  void settle(Allocations& allocations, In weights, Index most_turns);

  WeightEvidence evidence(const Allocations& allocations, In weights) const;
  double bound(const Allocations& allocations, In weights, double total) const;  // with E log theta of all tokens

  const Mat& shapes() const { return shapes_; }  // topics x documents
  void set_shapes(const Mat& shapes) { shapes_ = shapes; }
  DocumentScales& scales() { return scales_; }
  const DocumentScales& scales() const { return scales_; }

 private:
  void fill_factors(Allocations& allocations, Index n) const;

  const Corpus* corpus_;
  Mat shapes_;
  DocumentScales scales_;
};

}  // namespace quasar
