// The Fisher metric of the normal model, expected or observed, in (mu, tau) or in (mu, log tau).
#pragma once

#include <quasar/core.hpp>

namespace quasar {

// With k = n + degrees - 2 and d = mu - mean, in (mu, tau):
//
//   expected  diag(n tau, k/(2 tau^2))        observed  [[n tau, n d], [n d, k/(2 tau^2)]]
//
// The observed metric is the Hessian of -log p and positive definite only where d^2 < k/(2 n tau). In (mu, log tau)
// both become J'GJ with J = diag(1, tau).
class NormalGeometry final : public Geometry {
 public:
  enum class Fisher { expected, observed };
  struct Posterior {
    double n, mean, degrees;
    bool natural;
  };
  NormalGeometry(const Posterior& posterior, Fisher fisher);

  bool diagonal() const override { return !observed_; }
  bool metric(In x, Mat& g) override;
  void directional(In x, In u, Mat& out) override;
  void contract(In x, const Mat& a, Out out) override;
  void divergence(In x, Out out) override;

 private:
  struct Entries {  // of a symmetric matrix; cross is 0 in the expected metric
    double mu, cross, tau;
  };
  double tau(In x) const;
  Entries at(In x) const;
  Entries by_mu(In x) const;
  Entries by_tau(In x) const;  // by the second coordinate: tau or log tau

  double n_, mean_, k_;
  bool natural_, observed_;
};

}  // namespace quasar
