// Phi of alpha-mf given all else: independence Metropolis with its prior for a proposal, entry by entry.
//
// The prior cancels, so that the log ratio is the gain of log likelihood. Entries that were not seen take every
// proposal that is a number. Numbers of an entry are a function of the names and its place.
#include <algorithm>
#include <numbers>

#include <quasar/rng.hpp>

#include "core/blas_threads.hpp"
#include "core/place.hpp"
#include "models/alpha/alpha_mixture.hpp"
#include "simd/stable_variances.hpp"

namespace quasar {

void AlphaMixture::draw_conditional(Index, In x, Out out, const Rng& rng) {
  const SingleThreadedBlas single;
  const double* theta = positive(x);
  out = x.tail(out.size());
  const Index together = columns_together();
  for (Index column = 0; column < columns(); column += together) {
    const Index width = std::min(together, columns() - column);
    for (std::size_t c = 0; c < count(); ++c) {
      disperse(c, theta, column, width);
      vary(c, x, column, width);
    }
    for (std::size_t c = 0; c < count(); ++c) {
      if (source(c).gaussian()) continue;
      double* log_phi = out.data() + data_->places[c].phi - data_->moving + column * rows();
      draw_phi(c, column, width, log_phi, rng.child("source", c));
    }
  }
}

// log_phi: of that source in those columns; renewed, as are its variances.
void AlphaMixture::draw_phi(std::size_t c, Index column, Index width, double* log_phi, const Rng& rng) {
  const Index size = rows() * width, first = column * rows();
  Eigen::Map<Vec> rest(room_.rest.data(), size);
  rest.setZero();
  for (std::size_t other = 0; other < count(); ++other) {
    if (other != c) rest += Eigen::Map<const Vec>(room_.part[other].data(), size);
  }
  const auto uniforms = [&](const char* role, Index k) {
    Stream stream = rng.stream(role);
    stream.seek(static_cast<std::uint64_t>(first));
    stream.uniforms(room_.uniforms.col(k).head(size));
    return room_.uniforms.col(k).data();
  };
  double* mark = room_.mark.data();
  simd::log_positive_stables(source(c).alpha / 2, std::numbers::ln2, uniforms("angle", 0), uniforms("exponential", 1),
                             mark, at(size));
  simd::stable_variances(mark, 0, room_.dispersion[c].data(), source(c).power(), least_dispersion,
                         room_.proposed.data(), at(size));
  simd::accept_variances(
      {data_->squares.data() + first, rest.data(), room_.proposed.data(), mark, uniforms("accept", 2)},
      room_.part[c].data(), log_phi, at(size));
}

}  // namespace quasar
