#include "models/alpha/alpha_components.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/stable.hpp>

#include "core/place.hpp"
#include "core/shared_work.hpp"
#include "simd/generalized_gamma.hpp"
#include "simd/stable_components.hpp"
#include "simd/stable_variances.hpp"

namespace quasar {

namespace {

constexpr Index columns_of_a_piece = 8;  // of the work: part of the definition of sums over columns

AlphaMixtureSettings for_sweeps(AlphaMixtureSettings settings) {
  settings.log_coordinates = settings.record_phi = settings.record_share = false;
  return settings;
}

void require_conjugate(const AlphaSource& source) {
  const auto fits = [&](const GeneralizedGamma& law) { return std::abs(law.power * source.alpha + 2) < 1e-12; };
  if (fits(source.h) && (source.fixed() || fits(source.w))) return;
  throw UsageError(
      fmt::format("alpha-mf: the conditional laws of W and H can be drawn if the power of their priors is -2/alpha, {} "
                  "here: leave power=auto, or take augmentation=entries and another sampler",
                  -2 / source.alpha));
}

}  // namespace

AlphaComponents::AlphaComponents(const Intensities& data, std::vector<AlphaSource> sources,
                                 const AlphaMixtureSettings& settings)
    : factors_(data, std::move(sources), for_sweeps(settings)),
      record_share_(settings.record_share),
      moving_(factors_.moving()),
      squares_(data.squares.array().isNaN().select(-1, data.squares)) {
  if (settings.record_phi) throw UsageError("alpha-mf: record_phi=true is for augmentation=entries");
  for (const AlphaSource& one : factors_.sources()) {
    require_conjugate(one);
    components_ += one.rank;
  }
  const auto seen = (squares_.array() >= 0).cast<double>().matrix();
  seen_in_row_ = seen.rowwise().sum();
  seen_in_column_ = seen.colwise().sum().transpose();
}

Layout AlphaComponents::layout() const {
  Layout layout = factors_.layout();
  if (!record_share_) return layout;
  const std::vector<Variable> share = SourceVariances::variables(rows(), columns(), factors_.settings());
  layout.variables.insert(layout.variables.begin() + factors_.scalars(), share.begin(), share.end());
  return layout;
}

void AlphaComponents::constrain(In x, Out values, const Rng& rng) {
  Vec own(factors_.layout().size());
  factors_.constrain(x, own, rng);
  const Index scalars = factors_.scalars();
  values.head(scalars) = own.head(scalars);
  values.tail(own.size() - scalars) = own.tail(own.size() - scalars);
  if (!record_share_) return;
  SourceVariances found;
  variances(x, 0, found);
  found.record(values.data() + scalars);
}

void AlphaComponents::unconstrain(In values, Out x) const {
  const Index scalars = factors_.scalars();
  Vec own(factors_.layout().size()), all(factors_.dim());
  own.head(scalars) = values.head(scalars);
  own.tail(own.size() - scalars) = values.tail(own.size() - scalars);
  factors_.unconstrain(own, all);
  x.head(moving_) = all.head(moving_);
  draw_prior_phi(x, Rng(0).child("not recorded"));  // the same whenever points are read
  raise_phi(x);
}

void AlphaComponents::draw_start(Out x, const Rng& rng) const {
  Vec all(factors_.dim());
  prior_draw(x, rng);
  factors_.draw_start(all, rng);
  x.head(moving_) = all.head(moving_);
  raise_phi(x);
}

// All components of an entry share what it lies too far out.
void AlphaComponents::raise_phi(Out x) const {
  SourceVariances found;
  variances(x, 0, found);
  const Mat wanted = (squares_ / 2).cwiseQuotient(found.total).cwiseMax(1);
  double* phi = x.data() + moving_;
  for (Index j = 0; j < columns(); ++j) {
    for (const AlphaSource& one : factors_.sources()) {
      Eigen::Map<Mat> own(phi, rows(), one.rank);
      if (!one.gaussian()) own.array().colwise() *= wanted.col(j).array();
      phi += own.size();
    }
  }
}

void AlphaComponents::prior_draw(Out x, const Rng& rng) const {
  Vec all(factors_.dim());
  factors_.prior_draw(all, rng);
  x.head(moving_) = all.head(moving_);
  draw_prior_phi(x, rng);
}

void AlphaComponents::draw_prior_phi(Out x, const Rng& rng) const {
  Stream stream = rng.stream("components");
  double* phi = x.data() + moving_;
  for (Index j = 0; j < columns(); ++j) {
    for (const AlphaSource& one : factors_.sources()) {
      for (Index e = 0; e < one.rank * rows(); ++e) {
        *phi++ = one.gaussian() ? 2 : std::clamp(2 * draw_positive_stable(one.alpha / 2, stream), 1e-260, 1e260);
      }
    }
  }
}

Eval AlphaComponents::logp_grad(In, Out) {
  throw UsageError(
      "alpha-mf with augmentation=components is sampled by gibbs alone; augmentation=entries has gradients for other "
      "samplers");
}

std::vector<Mat> AlphaComponents::powers_of_w(In x) const {
  std::vector<Mat> powers;
  for (std::size_t c = 0; c < factors_.sources().size(); ++c) {
    const AlphaSource& one = factors_.sources()[c];
    Mat w = Eigen::Map<const Mat>(factors_.w(c, x), one.rank, rows()).transpose().cwiseMax(least_dispersion);
    simd::powers(w.data(), one.power(), w.data(), at(w.size()));
    powers.push_back(std::move(w));
  }
  return powers;
}

void AlphaComponents::variances(In x, Index source, SourceVariances& found) const {
  const std::vector<Mat> w = powers_of_w(x);
  found.own.setZero(rows(), columns());
  found.total.setZero(rows(), columns());
  const double* phi = x.data() + moving_;
  for (Index j = 0; j < columns(); ++j) {
    for (std::size_t c = 0; c < w.size(); ++c) {
      const AlphaSource& one = factors_.sources()[c];
      const double* h = factors_.h(c, x) + j * one.rank;
      for (Index k = 0; k < one.rank; ++k, phi += rows()) {
        const Vec part = std::pow(h[k], one.power()) * w[c].col(k).cwiseProduct(Eigen::Map<const Vec>(phi, rows()));
        found.total.col(j) += part;
        if (at(source) == c) found.own.col(j) += part;
      }
    }
  }
}

// Numbers of a column's entries: for each component, a number for each row.
struct AlphaComponents::Column {
  Mat part, later, re, im;  // v_k; the sum of v_k and of those behind it; s_k
  Mat uniforms;             // three of each
  Vec sum, rest_re, rest_im, h;
  Column(Index rows, Index components)
      : part(rows, components),
        later(rows, components + 1),
        re(rows, components),
        im(rows, components),
        uniforms(rows, 3),
        sum(rows),
        rest_re(rows),
        rest_im(rows),
        h(components) {}
};

void AlphaComponents::sweep(Vec& x, const SweepSettings& settings, const Rng& rng) {
  const std::vector<Mat> w = powers_of_w(x);
  const auto pieces = at((columns() + columns_of_a_piece - 1) / columns_of_a_piece);
  std::vector<std::vector<Mat>> rates(pieces);  // of W, from the columns of each piece
  std::vector<std::unique_ptr<Column>> rooms(at(std::max(settings.threads, 1)));
  share_work(pieces, rooms.size(), [&](std::size_t thread, std::size_t piece) {
    if (!rooms[thread]) rooms[thread] = std::make_unique<Column>(rows(), components_);
    for (std::size_t c = 0; c < w.size(); ++c) {
      rates[piece].push_back(factors_.sources()[c].fixed() ? Mat() : Mat(Mat::Zero(w[c].rows(), w[c].cols())));
    }
    const Index begin = static_cast<Index>(piece) * columns_of_a_piece;
    for (Index j = begin; j < std::min(begin + columns_of_a_piece, columns()); ++j) {
      draw_column(x, j, w, *rooms[thread], rates[piece], rng.child("column", static_cast<std::uint64_t>(j)));
    }
  });
  draw_w(x, rates, rng);
}

void AlphaComponents::draw_column(Vec& x, Index j, const std::vector<Mat>& w, Column& room, std::vector<Mat>& rates,
                                  const Rng& rng) const {
  double* phi = x.data() + moving_ + j * rows() * components_;
  Index k = 0;
  for (std::size_t c = 0; c < w.size(); ++c) {  // v_k
    const AlphaSource& one = factors_.sources()[c];
    const double* h = factors_.h(c, x) + j * one.rank;
    for (Index own = 0; own < one.rank; ++own, ++k) {
      room.h[k] = std::pow(std::max(h[own], least_dispersion), one.power());
      room.part.col(k) = room.h[k] * w[c].col(own).cwiseProduct(Eigen::Map<const Vec>(phi + k * rows(), rows()));
    }
  }
  draw_variances(phi, j, w, room, rng);
  draw_parts(phi, j, room, rng);
  Stream gammas = rng.stream("h");
  k = 0;
  for (std::size_t c = 0; c < w.size(); ++c) {
    const AlphaSource& one = factors_.sources()[c];
    double* h = x.data() + (factors_.h(c, x) - x.data()) + j * one.rank;
    const double prior_rate = std::pow(one.h.scale, one.power());
    for (Index own = 0; own < one.rank; ++own, ++k) {
      const double rate = simd::weighted_ratios(room.re.col(k).data(), w[c].col(own).data(), at(rows()));
      const double precision =
          gammas.gamma(one.h.shape + seen_in_column_[j]) / (prior_rate + rate / 2);  // h^(-2/alpha)
      h[own] = std::pow(precision, -one.alpha / 2);
      if (!one.fixed()) rates[c].col(own) += precision * room.re.col(k);
    }
  }
}

// One component after another, the others' sum being that of those before, which are new, and of those behind.
void AlphaComponents::draw_variances(double* phi, Index j, const std::vector<Mat>& w, Column& room,
                                     const Rng& rng) const {
  room.later.col(components_).setZero();
  for (Index k = components_ - 1; k >= 0; --k) room.later.col(k) = room.later.col(k + 1) + room.part.col(k);
  room.sum.setZero();
  Stream angle = rng.stream("angle"), exponential = rng.stream("exponential"), accept = rng.stream("accept");
  Index k = 0;
  for (std::size_t c = 0; c < w.size(); ++c) {
    const AlphaSource& one = factors_.sources()[c];
    for (Index own = 0; own < one.rank; ++own, ++k) {
      if (!one.gaussian()) {
        angle.uniforms(room.uniforms.col(0));
        exponential.uniforms(room.uniforms.col(1));
        accept.uniforms(room.uniforms.col(2));
        simd::propose_component({one.alpha / 2, room.h[k], room.uniforms.col(0).data(), room.uniforms.col(1).data(),
                                 room.uniforms.col(2).data(), squares_.col(j).data(), room.sum.data(),
                                 room.later.col(k + 1).data(), w[c].col(own).data()},
                                room.part.col(k).data(), phi + k * rows(), at(rows()));
      }
      room.sum += room.part.col(k);
    }
  }
}

// s_k: numbers of their own laws, and what they lack to x shared out by v_k / v. |x| stands for x, because the law does
// not change when x turns. Leaves |s_k|^2 / phi_k in re, 0 where x was not seen.
void AlphaComponents::draw_parts(const double* phi, Index j, Column& room, const Rng& rng) const {
  Stream re = rng.stream("re"), im = rng.stream("im");
  re.normals(room.re.reshaped());
  im.normals(room.im.reshaped());
  room.rest_re = squares_.col(j).cwiseMax(0).cwiseSqrt();
  room.rest_im.setZero();
  for (Index k = 0; k < components_; ++k) {
    simd::scale_normals(room.part.col(k).data(), room.re.col(k).data(), room.im.col(k).data(), room.rest_re.data(),
                        room.rest_im.data(), at(rows()));
  }
  for (Index k = 0; k < components_; ++k) {
    simd::correct_normals({room.part.col(k).data(), room.sum.data(), room.rest_re.data(), room.rest_im.data(),
                           squares_.col(j).data(), phi + k * rows(), room.im.col(k).data()},
                          room.re.col(k).data(), at(rows()));
  }
}

// w^(-2/alpha) ~ Gamma(a + J, b^(2/alpha) + rate / 2), row after row.
void AlphaComponents::draw_w(Vec& x, const std::vector<std::vector<Mat>>& rates, const Rng& rng) const {
  for (std::size_t c = 0; c < factors_.sources().size(); ++c) {
    const AlphaSource& one = factors_.sources()[c];
    if (one.fixed()) continue;
    Mat rate = Mat::Zero(rows(), one.rank);
    for (const std::vector<Mat>& piece : rates) rate += piece[c];
    double* w = x.data() + (factors_.w(c, x) - x.data());
    const double prior_rate = std::pow(one.w.scale, one.power());
    Stream gammas = rng.child("source", c).stream("w");
    for (Index i = 0; i < rows(); ++i) {
      for (Index k = 0; k < one.rank; ++k) {
        const double precision = gammas.gamma(one.w.shape + seen_in_row_[i]) / (prior_rate + rate(i, k) / 2);
        w[i * one.rank + k] = std::pow(precision, -one.alpha / 2);
      }
    }
  }
}

}  // namespace quasar
