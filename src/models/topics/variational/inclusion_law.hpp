// What is known of the probabilities pi_k that a topic takes part in a document, in vibp and vbp, and how it learns
// from the documents. All that it sees of them is, with s_k the expected number of documents that topic k takes part
// in,
//
//   sum_k s_k E log pi_k + (N - s_k) E log(1 - pi_k),
//
// where the second expectation may be replaced by a lower bound.
#pragma once

#include <vector>

#include <quasar/fields.hpp>

#include "models/topics/topic_method.hpp"

namespace quasar {

struct InclusionLaw {
  virtual ~InclusionLaw() = default;

  virtual void start() = 0;
  virtual Vec mean_logs() const = 0;                              // E log pi_k
  virtual Vec mean_log_complements() const = 0;                   // E log(1 - pi_k), or what bounds it from below
  virtual Vec means() const = 0;                                  // E pi_k
  virtual double bound() const = 0;                               // E log p - E log q of all that is in the law
  virtual Index lines() const = 0;                                // steps, each of which raises the bound
  virtual void line(Index i, In included, double documents) = 0;  // s, N
  virtual std::vector<NamedNumber> scalars() const = 0;
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

}  // namespace quasar
