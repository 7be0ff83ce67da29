// Symmetric positive definite matrices X = exp(S) with the metric of their logarithms, <U, V>_X = tr(s t) for
// s = Dlog_X[U], t = Dlog_X[V]: flat, so that means are exp of the mean logarithm (Arsigny, Fillard, Pennec and Ayache,
// SIAM J. Matrix Analysis 29, 2007). In the eigenvectors of X, Dlog_X multiplies entry (i, j) by log[l_i, l_j].
#include <fmt/core.h>

#include <cmath>

#include <quasar/manifolds.hpp>

#include "manifolds/divided_differences.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

// The logarithm at X and its derivative. Both directions are symmetric operators for tr(uv).
class LogarithmAt {
 public:
  explicit LogarithmAt(MatIn x) : spectrum_(positive_spectrum(x)), weights_(x.rows(), x.rows()) {
    for (Index j = 0; j < x.rows(); ++j) {
      for (Index i = 0; i < x.rows(); ++i) weights_(i, j) = log_difference(spectrum_.values[i], spectrum_.values[j]);
    }
  }
  Mat value() const {
    return spectrum_.map([](double eigenvalue) { return std::log(eigenvalue); });
  }
  Mat flatten(MatIn u) const { return outside(inside(u).cwiseProduct(weights_)); }  // Dlog_X[u]
  Mat curve(MatIn s) const { return outside(inside(s).cwiseQuotient(weights_)); }   // Dexp_log(X)[s], its inverse

  // D^2 exp_log(X)[s, t] = sum_k exp[l_i, l_k, l_j] (s_ik t_kj + t_ik s_kj), l the logarithms of eigenvalues.
  Mat second_exp(MatIn s, MatIn t) const {
    const Mat a = inside(s), b = inside(t);
    const Vec logs = spectrum_.values.array().log();
    Mat sum = Mat::Zero(a.rows(), a.rows());
    for (Index j = 0; j < a.rows(); ++j) {
      for (Index k = 0; k < a.rows(); ++k) {
        for (Index i = 0; i < a.rows(); ++i) {
          sum(i, j) += exp_difference(logs[i], logs[k], logs[j]) * (a(i, k) * b(k, j) + b(i, k) * a(k, j));
        }
      }
    }
    return outside(sum);
  }

 private:
  Mat inside(MatIn u) const { return spectrum_.vectors.transpose() * u * spectrum_.vectors; }
  Mat outside(MatIn u) const { return symmetric_part(spectrum_.vectors * u * spectrum_.vectors.transpose()); }
  Spectrum spectrum_;
  Mat weights_;
};

Mat matrix_exp(MatIn s) {
  return spectrum(s).map([](double value) { return std::exp(value); });
}

class SpdLogEuclidean final : public Manifold {
 public:
  explicit SpdLogEuclidean(Index n) : n_(n) {}
  std::string name() const override { return fmt::format("spd_log_euclidean({})", n_); }
  Shape shape() const override { return {n_, n_}; }
  Index dim() const override { return n_ * (n_ + 1) / 2; }
  Has has() const override { return {.exact_retract = true}; }

  double inner(MatIn x, MatIn u, MatIn v) const override {
    const LogarithmAt at(x);
    return at.flatten(u).cwiseProduct(at.flatten(v)).sum();
  }
  double distance(MatIn x, MatIn y) const override { return (LogarithmAt(x).value() - LogarithmAt(y).value()).norm(); }
  void project(MatIn, MatIn ambient, MatOut out) const override { out = symmetric_part(ambient); }
  void gradient(MatIn x, MatIn partials, MatOut out) const override {
    const LogarithmAt at(x);
    out = at.curve(at.curve(symmetric_part(partials)));
  }
  // The Hessian of f(exp(S)) along s = Dlog[U] is Dexp[H] + D^2 exp[s, G], G and H the partials and their derivative.
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    const LogarithmAt at(x);
    out = at.curve(at.curve(symmetric_part(second)) + at.second_exp(at.flatten(u), symmetric_part(partials)));
  }

  void exp(MatIn x, MatIn u, MatOut out) const override {
    const LogarithmAt at(x);
    out = matrix_exp(at.value() + at.flatten(u));
  }
  void log(MatIn x, MatIn y, MatOut out) const override {
    const LogarithmAt at(x);
    out = at.curve(LogarithmAt(y).value() - at.value());
  }
  void retract(MatIn x, MatIn u, MatOut out) const override { exp(x, u, out); }
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    out = LogarithmAt(y).curve(LogarithmAt(x).flatten(u));
  }
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override { parallel_transport(x, y, u, out); }

  void random_point(Stream& stream, MatOut out) const override { random_positive_definite(stream, out); }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat flat(n_, n_);
    fill_with_symmetric_normals(stream, flat);
    out = LogarithmAt(x).curve(flat);
  }

 private:
  std::string violated(MatIn x) const override { return positive_definite_fault(x); }
  Index n_;
};

}  // namespace

ManifoldPtr spd_log_euclidean(Index n) {
  require_size(n > 0, "spd_log_euclidean: needs at least one row");
  return std::make_shared<SpdLogEuclidean>(n);
}

}  // namespace quasar
