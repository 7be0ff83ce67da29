// What is known of the weights g_k of the topics in vgp and vngp, and how it learns from documents.
//
// The bound has E log Gamma(g + x) - E log Gamma(g) for the tokens x of a topic in a document, which is convex in
// log g: at gt_k = exp(E log g_k) it is bounded from below, and that again by its tangent. So all that a law sees of
// the documents is
//
//   sum_k L_k E log g_k - q sum_k E g_k,   L_k = sum_n gt_k (digamma(gt_k + X_nk) - digamma(gt_k)),
//   q = -sum_n E log(1 - p_n),
//
// and a step that raises this with the law's own terms raises the bound.
#pragma once

#include <memory>
#include <vector>

#include <quasar/fields.hpp>

#include "models/topics/topic_method.hpp"

namespace quasar {

struct WeightEvidence {
  Vec counts;           // L_k
  double exposure = 0;  // q
};

struct WeightLaw {
  virtual ~WeightLaw() = default;

  virtual void start(double mean) = 0;     // g_k about this
  virtual Vec mean_logs() const = 0;       // E log g_k
  virtual double total() const = 0;        // E sum_k g_k
  virtual double bound() const = 0;        // E log p - E log q of all that is in the law
  virtual Index lines() const = 0;         // steps, each of which raises the bound
  virtual Index moving_lines() const = 0;  // the first of them, which change E log g and want evidence of this moment
  virtual void line(Index i, const WeightEvidence& evidence) = 0;
  virtual std::vector<NamedNumber> scalars() const = 0;
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

// E log g_k is at least this, which no document can tell from what is less.
inline constexpr double least_log_weight = -600;

}  // namespace quasar
