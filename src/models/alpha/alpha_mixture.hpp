// alpha-mf: factorization of a complex matrix whose entries are alpha-stable (Simsekli, Liutkus and Cemgil, IEEE Signal
// Processing Letters 22, 2015; Simsekli, Badeau, Cemgil and Richard, ICML 2016), and mixtures of such sources:
//
//   x_ij = sum of x_ij,c over sources,   Re x_ij, Im x_ij | Phi ~ N(0, v_ij),   v_ij = sum_c Phi_ij,c
//   L_ij,c^(2/alpha_c), L_c = W_c H_c,   W_c, H_c > 0 with generalised Gamma priors, Phi_ij,c = 2 A with A positive
//   stable, E exp(-t A) = exp(-t^(alpha_c/2)).
//
// Phi is drawn between the steps of any sampler by independence Metropolis with the prior for a proposal, entry by
// entry and source after source, which leaves its conditional law unchanged. The density is that of W, H and log Phi
// with respect to the prior of Phi, which has no closed form.
//
// x = for each source W, unless it is given, and H, a column for each row and for each column of the data, or their
// logarithms; then log Phi for each source with alpha < 2. Terms are the entries that were seen, column after column.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/core.hpp>

#include "models/alpha/alpha_source.hpp"
#include "models/alpha/held_out_entries.hpp"
#include "models/alpha/stable_density.hpp"

namespace quasar {

struct AlphaMixtureSettings {
  bool log_coordinates = false;  // of W and H; otherwise they themselves, restricted to > 0
  Index phi_every = 1;           // passes over the data between two draws of Phi
  bool record_level = true;      // costs a product of W and H for every draw
  bool record_phi = false;
  bool record_share = false;     // of the first source: its gain, and the variance that is left
  HeldOutEntries held_out = {};  // of one source: their mean log density given W and H is recorded
  std::string row_dim = "row", column_dim = "column";
};

// v of a source and of all of them. Given W, H, Phi and x, E x_ij,c = gain x_ij, and real and imaginary part vary
// around it with that variance each.
struct SourceVariances {
  Mat own, total;
  auto gain() const { return own.cwiseQuotient(total); }
  auto variance() const { return own.cwiseProduct((1 - gain().array()).matrix()); }

  static constexpr Index recorded = 2;  // matrices: gain and variance, row after row
  void record(double* values) const;
  static std::vector<Variable> variables(Index rows, Index columns, const AlphaMixtureSettings& settings);
};

class AlphaMixture final : public FiniteSum {
 public:
  AlphaMixture(const Intensities& data, std::vector<AlphaSource> sources, AlphaMixtureSettings settings);

  std::unique_ptr<Target> fork() const override { return std::make_unique<AlphaMixture>(*this); }
  Index dim() const override { return dim_; }
  Layout layout() const override;  // level, W[row, factor], H[factor, column] of each source, and what settings add
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  void draw_start(Out x, const Rng& rng) const override;
  std::span<const Interval> support() const override { return data_->support; }
  std::span<const Conditional> conditionals() const override { return data_->conditionals; }
  void draw_conditional(Index i, In x, Out out, const Rng& rng) override;

  Index terms() const override { return data_->terms; }
  bool proper_prior() const override { return data_->conditionals.empty(); }  // that of Phi has no density
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;
  Eval add_all(In x, double weight, Out grad, Want want) override;

  const std::vector<AlphaSource>& sources() const { return data_->sources; }
  const AlphaMixtureSettings& settings() const { return data_->settings; }
  Index rows() const { return data_->squares.rows(); }
  Index columns() const { return data_->squares.cols(); }
  Index scalars() const;                          // numbers that are recorded first: levels, and what was held out
  Index moving() const { return data_->moving; }  // coordinates of W and H
  // W and H of a source in natural coordinates, a column for each row and for each column of the data.
  const double* w(std::size_t c, In x) const { return factors(c, x.data(), nullptr).w; }
  const double* h(std::size_t c, In x) const { return factors(c, x.data(), nullptr).h; }

  void variances(In x, Index source, SourceVariances& found);  // sizes what it finds
  void prior_draw(Out x, const Rng& rng) const;                // of W, H and Phi
  void held_out_log_densities(In x, Out logs);                 // log p(x_ij | W, H), Phi integrated out
  enum class Factor { w, h };
  void climb(Factor which, Out x);  // of every source: to where the density given Phi is no smaller

 private:
  struct Place {      // of a source in x
    Index w, h, phi;  // w: -1 where it is given; phi: -1 where there is none
    Index w_size, h_size;
  };
  struct Data {   // of all forks
    Mat squares;  // -1 where there is none
    Index terms = 0;
    std::vector<Index> seen = {};  // the places of terms, where not every entry was seen
    std::vector<AlphaSource> sources;
    std::vector<Mat> dictionaries = {};  // transposed; empty where W is drawn
    std::vector<Place> places = {};
    Index moving = 0;  // coordinates of W and H
    AlphaMixtureSettings settings;
    std::vector<Interval> support = {};
    std::vector<Conditional> conditionals = {};
    std::unique_ptr<const IsotropicStableDensity> density = {};  // where entries are held out
  };
  struct Factors {  // of a source at a point, and where their slopes go: null for W that is given
    const double *w, *h;
    double *w_slopes, *h_slopes;
  };
  static constexpr Index entries_together = 64;  // of those that are anywhere
  struct Room {                                  // scratch
    Vec theta, slopes;                           // in log coordinates: exponentials, and slopes of what they are
    std::vector<Vec> dispersion, part;           // of each source, of some entries
    Vec total, slope, rest, proposed, mark;
    Mat uniforms;
  };

  const AlphaSource& source(std::size_t c) const { return data_->sources[c]; }
  std::size_t count() const { return data_->sources.size(); }
  Index columns_together() const;
  const double* positive(In x);  // W and H themselves
  Factors factors(std::size_t c, const double* theta, double* slopes) const;
  const double* log_phi(std::size_t c, In x, Index entry) const;
  void disperse(std::size_t c, const double* theta, Index column, Index columns);
  double level(std::size_t c, const double* theta);
  Mat dispersion_of(std::size_t c, In x) const;
  void draw_prior_phi(Out x, const Rng& rng) const;
  void raise_phi(std::size_t c, const Mat& dispersion, Out x) const;
  void take_phi(In values, Out x) const;
  void scale_h(std::size_t c, double factor, Out x) const;
  void vary(std::size_t c, In x, Index column, Index columns);
  template <class Id>
  double add_entries(In x, const double* theta, Index count, Id id, double weight, double* slopes, Out grad, Want want);
  double add_columns(In x, const double* theta, Index column, Index columns, double weight, double* slopes, Out grad,
                     Want want);
  template <class Add>
  Eval add_with(In x, double weight, Out grad, Want want, Add add);
  void ask_for_more(std::size_t c, Index first, Index size, const Vec& total, Vec& lowering);
  void move_up(std::size_t c, Index begin, const Mat& raising, const Mat& lowering, Out x) const;
  void draw_phi(std::size_t c, Index column, Index width, double* log_phi, const Rng& rng);

  std::shared_ptr<const Data> data_;
  Index dim_;
  Room room_;
};

}  // namespace quasar
