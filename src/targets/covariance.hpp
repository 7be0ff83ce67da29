// Covariance matrices known through what a Gaussian needs of them: products with the inverse and with a square root.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

struct Covariance {
  virtual ~Covariance() = default;
  virtual Index dim() const = 0;
  virtual void solve(In x, Out out) const = 0;  // Sigma^-1 x
  virtual void root(In z, Out x) const = 0;     // A z with A A' = Sigma
  virtual Vec variances() const = 0;            // the diagonal of Sigma
};

class DiagonalCovariance final : public Covariance {  // O(d)
 public:
  explicit DiagonalCovariance(Vec variances);
  Index dim() const override { return variances_.size(); }
  void solve(In x, Out out) const override;
  void root(In z, Out x) const override;
  Vec variances() const override { return variances_; }

 private:
  Vec variances_, precisions_, deviations_;
};

class RotatedCovariance final : public Covariance {  // Q diag(eigenvalues) Q', O(d^2)
 public:
  RotatedCovariance(const Mat& basis, In eigenvalues);
  Index dim() const override { return root_.rows(); }
  void solve(In x, Out out) const override;
  void root(In z, Out x) const override;
  Vec variances() const override;

 private:
  Mat root_, precision_;
};

// own I + shared 11', O(d) by the Sherman-Morrison formula. Its eigenvalues are own (d - 1 times) and own + d shared.
class ExchangeableCovariance final : public Covariance {
 public:
  ExchangeableCovariance(Index dim, double own, double shared);
  Index dim() const override { return dim_; }
  void solve(In x, Out out) const override;
  void root(In z, Out x) const override;
  Vec variances() const override;

 private:
  Index dim_;
  double own_, shared_;
};

Vec log_uniform_spectrum(Index dim, double condition);  // log-spaced from 1 to 1/condition

// An orthogonal matrix, uniform over all of them (Haar measure), that depends on the seed alone.
Mat random_basis(Index dim, std::uint64_t seed);

}  // namespace quasar
