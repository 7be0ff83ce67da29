// alpha-mf with a positive stable variable for every component of every entry, so that each block has a conditional law
// that can be drawn (Simsekli, Liutkus and Cemgil 2015):
//
//   x_ij = sum of s_ijk,   Re s_ijk, Im s_ijk | phi ~ N(0, phi_ijk (W_ik H_kj)^(2/alpha)),   phi_ijk = 2 A.
//
// The same law of x given W and H as that of AlphaMixture, by the sum of independent stable numbers. A sweep draws
//
//   phi | W, H, x         one component after another, s integrated out: independence Metropolis from the prior
//   s | phi, W, H, x      complex normal numbers given their sum
//   H | s, phi, W         h^(-2/alpha) ~ Gamma(a + I, b^(2/alpha) + sum_i |s|^2 / (2 phi w^(2/alpha)))
//   W | s, phi, H         likewise
//
// The first two together draw (phi, s) given the rest, because s is drawn anew from its law given the new phi before
// anything looks at it: this is what keeps a sampler that integrates something out in some of its steps right (van Dyk
// and Park, JASA 103, 2008). Were s drawn before phi, or kept, the law would be another. Columns are independent given
// W, so that all three steps of a column come before those of the next one, and s exists for one column at a time.
//
// x = W and H of each source as in AlphaMixture, then phi for each column of the data and each component of all
// sources, a number for each row. That of an entry that was not seen is drawn from its prior.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/row_sweep.hpp>

#include "models/alpha/alpha_mixture.hpp"

namespace quasar {

class AlphaComponents final : public Target, public RowSweep {
 public:
  // Powers of the priors that are drawn must be -2/alpha. UsageError
  AlphaComponents(const Intensities& data, std::vector<AlphaSource> sources, const AlphaMixtureSettings& settings);

  std::unique_ptr<Target> fork() const override { return std::make_unique<AlphaComponents>(*this); }
  Index dim() const override { return moving_ + entries() * components_; }
  Layout layout() const override;
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  void draw_start(Out x, const Rng& rng) const override;
  Eval logp_grad(In x, Out grad) override;  // UsageError

  bool has_density() const override { return false; }
  void sweep(Vec& x, const SweepSettings& settings, const Rng& rng) override;

  Index rows() const { return factors_.rows(); }
  Index columns() const { return factors_.columns(); }
  Index components() const { return components_; }
  void variances(In x, Index source, SourceVariances& found) const;
  void prior_draw(Out x, const Rng& rng) const;

 private:
  struct Column;  // scratch of a thread
  void draw_prior_phi(Out x, const Rng& rng) const;
  void raise_phi(Out x) const;
  Index entries() const { return rows() * columns(); }
  std::vector<Mat> powers_of_w(In x) const;  // W^(2/alpha), a column for each component
  void draw_column(Vec& x, Index j, const std::vector<Mat>& w, Column& room, std::vector<Mat>& rates,
                   const Rng& rng) const;
  void draw_variances(double* phi, Index j, const std::vector<Mat>& w, Column& room, const Rng& rng) const;
  void draw_parts(const double* phi, Index j, Column& room, const Rng& rng) const;
  void draw_w(Vec& x, const std::vector<std::vector<Mat>>& rates, const Rng& rng) const;

  AlphaMixture factors_;  // where W and H are, and what is recorded of them
  bool record_share_;
  Index moving_, components_ = 0;
  Mat squares_;  // -1: not seen
  Vec seen_in_row_, seen_in_column_;
};

}  // namespace quasar
