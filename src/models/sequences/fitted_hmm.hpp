// A fitted hidden Markov model, whatever the method: enough to describe its states and to look ahead.
#pragma once

#include "models/sequences/asymp_hmm.hpp"
#include "models/sequences/asymp_ihmm.hpp"
#include "models/sequences/hmm_em.hpp"

namespace quasar {

struct FittedHmm {
  Path states;
  Mat centres, variances;  // of each value in each state, a column for every state
  Mat transition;          // a state that nothing was seen to leave stays
  Mat last;                // a column for every sequence: the probabilities of the states at its last point
};

FittedHmm fitted(const Sequences& data, const AsympHmmOptions& options, const HmmFit& fit);
FittedHmm fitted(const Sequences& data, const AsympIhmmOptions& options, const IhmmFit& fit);
FittedHmm fitted(const Sequences& data, const HmmEmOptions& options, const HmmEmFit& fit);

struct Forecast {
  Mat mean, sd;  // a column for every step ahead of the last point
};

// E[x_{N+h}] = sum_k p_k m_k and Var[x_{N+h}] = sum_k p_k (v_k + (m_k - E)^2) with p = last^T T^h: what is not known of
// the centres and transitions themselves is left out.
Forecast forecast(const FittedHmm& model, Index sequence, Index steps);

}  // namespace quasar
