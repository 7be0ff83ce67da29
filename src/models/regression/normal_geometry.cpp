#include "models/regression/normal_geometry.hpp"

#include <cmath>

namespace quasar {

NormalGeometry::NormalGeometry(const Posterior& posterior, Fisher fisher)
    : n_(posterior.n),
      mean_(posterior.mean),
      k_(posterior.n + posterior.degrees - 2),
      natural_(posterior.natural),
      observed_(fisher == Fisher::observed) {}

double NormalGeometry::tau(In x) const { return natural_ ? x[1] : std::exp(x[1]); }

NormalGeometry::Entries NormalGeometry::at(In x) const {
  const double t = tau(x), d = observed_ ? n_ * (x[0] - mean_) : 0;
  return natural_ ? Entries{n_ * t, d, k_ / (2 * t * t)} : Entries{n_ * t, d * t, k_ / 2};
}

NormalGeometry::Entries NormalGeometry::by_mu(In x) const {
  return {0, observed_ ? n_ * (natural_ ? 1 : tau(x)) : 0, 0};
}

NormalGeometry::Entries NormalGeometry::by_tau(In x) const {
  const double t = tau(x);
  return natural_ ? Entries{n_, 0, -k_ / (t * t * t)} : Entries{n_ * t, observed_ ? n_ * (x[0] - mean_) * t : 0, 0};
}

bool NormalGeometry::metric(In x, Mat& g) {
  const Entries e = at(x);
  if (observed_) {
    g.resize(2, 2);
    g << e.mu, e.cross, e.cross, e.tau;
  } else {
    g.resize(2, 1);
    g << e.mu, e.tau;
  }
  return e.mu > 0 && e.tau > 0 && e.mu * e.tau > e.cross * e.cross;
}

void NormalGeometry::directional(In x, In u, Mat& out) {
  const Entries m = by_mu(x), t = by_tau(x);
  out.resize(2, 2);
  out << m.mu * u[0] + m.cross * u[1], t.mu * u[0] + t.cross * u[1],  //
      m.cross * u[0] + m.tau * u[1], t.cross * u[0] + t.tau * u[1];
}

void NormalGeometry::contract(In x, const Mat& a, Out out) {
  const double mu = a(0, 0), tau = observed_ ? a(1, 1) : a(1, 0), cross = observed_ ? a(0, 1) + a(1, 0) : 0;
  const auto trace = [&](const Entries& e) { return mu * e.mu + cross * e.cross + tau * e.tau; };
  out << trace(by_mu(x)), trace(by_tau(x));
}

// d(G^-1) = -G^-1 dG G^-1, column j of it for the coordinate j.
void NormalGeometry::divergence(In x, Out out) {
  const Entries e = at(x), m = by_mu(x), t = by_tau(x);
  const double det = e.mu * e.tau - e.cross * e.cross;
  Eigen::Matrix2d inverse, mu, tau;
  inverse << e.tau / det, -e.cross / det, -e.cross / det, e.mu / det;
  mu << m.mu, m.cross, m.cross, m.tau;
  tau << t.mu, t.cross, t.cross, t.tau;
  out = -inverse * (mu * inverse.col(0) + tau * inverse.col(1));
}

}  // namespace quasar
