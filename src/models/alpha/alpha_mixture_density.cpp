// The density of alpha-mf and its slopes, entry by entry or whole columns at once.
#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/blas_threads.hpp"
#include "core/place.hpp"
#include "core/sum_chunk.hpp"
#include "models/alpha/alpha_mixture.hpp"
#include "simd/column_products.hpp"
#include "simd/stable_variances.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

// From slopes by log v to slopes by L and by log Phi: v = sum of v_c, v_c = Phi L^power.
void share_slopes(double power, double weight, const double* slope, const double* total, const double* part,
                  double* dispersion, double* by_phi, Index count) {
  for (Index e = 0; e < count; ++e) {
    by_phi[e] = weight * slope[e] * (part[e] / total[e]);
    dispersion[e] = dispersion[e] > least_dispersion ? power * by_phi[e] / dispersion[e] : 0;
  }
}

int as_int(Index i) { return static_cast<int>(i); }

}  // namespace

Index AlphaMixture::columns_together() const { return std::clamp<Index>(sum_chunk / rows(), 1, columns()); }

const double* AlphaMixture::positive(In x) {
  if (!settings().log_coordinates) return x.data();
  simd::exponentials(x.data(), room_.theta.data(), at(data_->moving));
  return room_.theta.data();
}

AlphaMixture::Factors AlphaMixture::factors(std::size_t c, const double* theta, double* slopes) const {
  const Place& place = data_->places[c];
  Factors found{data_->dictionaries[c].data(), theta + place.h, nullptr, slopes ? slopes + place.h : nullptr};
  if (!source(c).fixed()) {
    found.w = theta + place.w;
    if (slopes) found.w_slopes = slopes + place.w;
  }
  return found;
}

const double* AlphaMixture::log_phi(std::size_t c, In x, Index entry) const {
  const Index begin = data_->places[c].phi;
  return begin < 0 ? nullptr : x.data() + begin + entry;
}

// L of one source in some columns.
void AlphaMixture::disperse(std::size_t c, const double* theta, Index column, Index columns) {
  const Factors of = factors(c, theta, nullptr);
  const Index rank = source(c).rank;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(rows()), as_int(columns), as_int(rank), 1, of.w,
              as_int(rank), of.h + column * rank, as_int(rank), 0, room_.dispersion[c].data(), as_int(rows()));
}

// Its variances there.
void AlphaMixture::vary(std::size_t c, In x, Index column, Index columns) {
  simd::stable_variances(log_phi(c, x, column * rows()), std::numbers::ln2, room_.dispersion[c].data(),
                         source(c).power(), least_dispersion, room_.part[c].data(), at(rows() * columns));
}

Eval AlphaMixture::prior(In x, Out grad, Want want) {
  const bool density = want == Want::both;
  grad.tail(dim_ - data_->moving).setZero();
  double logp = 0;
  const auto add = [&](const GeneralizedGamma& law, Index begin, Index size) {
    const auto slopes_of = settings().log_coordinates ? simd::log_stacy_slopes : simd::natural_stacy_slopes;
    logp += slopes_of(law.law(), x.data() + begin, density, grad.data() + begin, at(size));
    if (density) logp += static_cast<double>(size) * law.log_constant();
  };
  for (std::size_t c = 0; c < count(); ++c) {
    const Place& place = data_->places[c];
    if (!source(c).fixed()) add(source(c).w, place.w, place.w_size);
    add(source(c).h, place.h, place.h_size);
  }
  return checked(logp);
}

template <class Id>
double AlphaMixture::add_entries(In x, const double* theta, Index count_of_ids, Id id, double weight, double* slopes,
                                 Out grad, Want want) {
  using Numbers = std::array<double, entries_together>;
  std::array<simd::ColumnPair, entries_together> pairs;
  std::array<Index, entries_together> entry;
  Numbers squares, total, slope, phi, by_phi;
  double sum = 0;
  for (Index begin = 0; begin < count_of_ids; begin += entries_together) {
    const Index size = std::min(entries_together, count_of_ids - begin);
    for (Index e = 0; e < size; ++e) {
      const Index one = id(begin + e);
      entry[at(e)] = data_->seen.empty() ? one : data_->seen[at(one)];
      squares[at(e)] = data_->squares.data()[entry[at(e)]];
    }
    const auto aim = [&](Index rank) {
      for (std::size_t e = 0; e < at(size); ++e) {
        pairs[e] = {at(entry[e] % rows() * rank), at(entry[e] / rows() * rank)};
      }
    };
    std::fill_n(total.begin(), size, 0.0);
    for (std::size_t c = 0; c < count(); ++c) {
      const Factors at_c = factors(c, theta, nullptr);
      double *dispersion = room_.dispersion[c].data(), *part = room_.part[c].data();
      aim(source(c).rank);
      simd::column_products(pairs.data(), at(size), at(source(c).rank), at_c.w, at_c.h, dispersion);
      const double* own_phi = log_phi(c, x, 0);
      for (std::size_t e = 0; own_phi && e < at(size); ++e) phi[e] = own_phi[entry[e]];
      simd::stable_variances(own_phi ? phi.data() : nullptr, std::numbers::ln2, dispersion, source(c).power(),
                             least_dispersion, part, at(size));
      for (std::size_t e = 0; e < at(size); ++e) total[e] += part[e];
    }
    sum += simd::log_variance_slopes(squares.data(), total.data(), want == Want::both, slope.data(), at(size));
    for (std::size_t c = 0; c < count(); ++c) {
      const Factors at_c = factors(c, theta, slopes);
      const Index rank = source(c).rank;
      double* dispersion = room_.dispersion[c].data();  // from now on its slopes
      share_slopes(source(c).power(), weight, slope.data(), total.data(), room_.part[c].data(), dispersion,
                   by_phi.data(), size);
      if (count() > 1) aim(rank);
      simd::add_column_slopes(pairs.data(), at(size), at(rank), dispersion, at_c.w, at_c.h, at_c.w_slopes,
                              at_c.h_slopes);
      double* phi_slopes = data_->places[c].phi < 0 ? nullptr : grad.data() + data_->places[c].phi;
      for (std::size_t e = 0; phi_slopes && e < at(size); ++e) phi_slopes[entry[e]] += by_phi[e];
    }
  }
  return sum;
}

double AlphaMixture::add_columns(In x, const double* theta, Index column, Index columns, double weight, double* slopes,
                                 Out grad, Want want) {
  const Index size = rows() * columns, first = column * rows();
  Eigen::Map<Vec> total(room_.total.data(), size);
  for (std::size_t c = 0; c < count(); ++c) {
    disperse(c, theta, column, columns);
    vary(c, x, column, columns);
    const Eigen::Map<const Vec> part(room_.part[c].data(), size);
    if (c == 0)
      total = part;
    else
      total += part;
  }
  const double sum = simd::log_variance_slopes(data_->squares.data() + first, total.data(), want == Want::both,
                                               room_.slope.data(), at(size));
  for (std::size_t c = 0; c < count(); ++c) {
    const Factors at_c = factors(c, theta, slopes);
    const int rank = as_int(source(c).rank), all = as_int(rows()), wide = as_int(columns);
    double *dispersion = room_.dispersion[c].data(), *by_phi = room_.rest.data();
    share_slopes(source(c).power(), weight, room_.slope.data(), total.data(), room_.part[c].data(), dispersion, by_phi,
                 size);
    if (at_c.w_slopes) {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rank, all, wide, 1, at_c.h + column * rank, rank, dispersion,
                  all, 1, at_c.w_slopes, rank);
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rank, wide, all, 1, at_c.w, rank, dispersion, all, 1,
                at_c.h_slopes + column * rank, rank);
    if (data_->places[c].phi >= 0) {
      grad.segment(data_->places[c].phi + first, size) += Eigen::Map<const Vec>(by_phi, size);
    }
  }
  return sum;
}

// add(theta, slopes): with W and H themselves, and where their slopes go; returns what says whether all is finite, the
// log density where that is wanted.
template <class Add>
Eval AlphaMixture::add_with(In x, double weight, Out grad, Want want, Add add) {
  const double* theta = positive(x);
  double sum = 0;
  if (settings().log_coordinates) {
    room_.slopes.setZero();
    sum = add(theta, room_.slopes.data());
    grad.head(data_->moving) += room_.theta.cwiseProduct(room_.slopes);
  } else {
    sum = add(theta, grad.data());
  }
  return checked(want == Want::both ? weight * sum : sum);
}

Eval AlphaMixture::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) {
  return add_with(x, weight, grad, want, [&](const double* theta, double* slopes) {
    return add_entries(
        x, theta, std::ssize(ids), [&](Index i) { return ids[at(i)]; }, weight, slopes, grad, want);
  });
}

// Whole columns by products of matrices, what is left of others at both ends entry by entry.
Eval AlphaMixture::add_range(In x, Index begin, Index end, double weight, Out grad, Want want) {
  const SingleThreadedBlas single;
  return add_with(x, weight, grad, want, [&](const double* theta, double* slopes) {
    const auto entries = [&](Index from, Index to) {
      return add_entries(
          x, theta, to - from, [&](Index i) { return from + i; }, weight, slopes, grad, want);
    };
    const Index first = (begin + rows() - 1) / rows(), last = end / rows();
    if (!data_->seen.empty() || first >= last) return entries(begin, end);
    double sum = entries(begin, first * rows());
    for (Index column = first; column < last; column += columns_together()) {
      sum += add_columns(x, theta, column, std::min(columns_together(), last - column), weight, slopes, grad, want);
    }
    return sum + entries(last * rows(), end);
  });
}

// The chunks are columns: what was not seen is among them and adds nothing.
Eval AlphaMixture::add_all(In x, double weight, Out grad, Want want) {
  const SingleThreadedBlas single;
  return add_with(x, weight, grad, want, [&](const double* theta, double* slopes) {
    double sum = 0;
    for (Index column = 0; column < columns(); column += columns_together()) {
      const Index width = std::min(columns_together(), columns() - column);
      sum += add_columns(x, theta, column, width, weight, slopes, grad, want);
    }
    return sum;
  });
}

}  // namespace quasar
