// Functions of Gamma that counts need. NaN where they have no finite value: a point to reject, not an error.
#pragma once

namespace quasar {

double log_factorial(double n);

// Gamma(a + n) / (Gamma(a) a^n), which is 1 in the limit of large a, for one a > 0 and many n >= 0.
class GammaRatio {
 public:
  explicit GammaRatio(double a);

  struct Value {
    double log;    // of the ratio
    double slope;  // a (digamma(a + n) - digamma(a))
  };
  Value operator()(double n) const;

 private:
  double a_, log_a_, log_gamma_, digamma_;
};

}  // namespace quasar
