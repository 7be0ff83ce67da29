// Gamma and Beta laws as factors of a variational posterior: expectations and entropies.
#pragma once

#include <quasar/core.hpp>

#include "models/gamma_precision.hpp"

namespace quasar {

struct GammaLaw {
  double shape = 1, rate = 1;

  double mean() const { return shape / rate; }
  double mean_log() const;
  double mean_exp_minus() const;  // E exp(-x) = (rate / (rate + 1))^shape
  double entropy() const;         // H = a - log b + log Gamma(a) + (1 - a) digamma(a)

  static void fields(auto& self, auto&& visit) {
    visit("shape", self.shape);
    visit("rate", self.rate);
  }
};

// E log Gamma(x; prior) + entropy, for x of this law: what a hyperparameter adds to the bound.
double bound_of(const GammaLaw& law, const GammaPrior& prior);

struct BetaLaw {
  double first = 1, second = 1;

  double mean() const { return first / (first + second); }
  double mean_log() const;             // E log x
  double mean_log_complement() const;  // E log(1 - x)
  double entropy() const;

  static void fields(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
  }
};

double log_beta(double a, double b);  // log of Euler's beta function

}  // namespace quasar
