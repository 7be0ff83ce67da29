// How a metric changes from place to place, as the integrators on it need it: with its own scratch, so that nothing
// allocates.
#pragma once

#include <quasar/core.hpp>

#include "metrics/mass_matrix.hpp"

namespace quasar {

// A position, a momentum, and the metric there.
struct RiemannianPoint {
  Vec x, g;           // position and grad U
  Vec p, v;           // momentum and velocity G^-1 p
  Vec slope;          // grad (U + c log|G|): the part of the force without momentum
  MassMatrix metric;  // G(x)
  double u = 0;       // potential energy

  explicit RiemannianPoint(Index dim = 0, bool diagonal = false)
      : x(dim), g(dim), p(dim), v(dim), slope(dim), metric(dim, diagonal) {}
  void turn() {  // time backwards
    p = -p;
    v = -v;
  }
};

class MetricTerms {
 public:
  explicit MetricTerms(Geometry* geometry = nullptr) : geometry_(geometry) {}

  void trace(const RiemannianPoint& z, Vec& t);    // t_i = tr(G^-1 dG/dx_i)
  void kinetic(const RiemannianPoint& z, Vec& w);  // w_i = v'(dG/dx_i)v

  // D x D, or D x 1 where it is diagonal.
  const Mat& by_momentum(const RiemannianPoint& z, Vec& w);  // w, and row i = ((dG/dx_i) v)' G^-1 = (dw_i/dp)'/2
  const Mat& by_position(const RiemannianPoint& z);          // column j = G^-1 (dG/dx_j) v = -dv/dx_j at this p

 private:
  Geometry* geometry_;
  Mat directional_, weights_;
};

}  // namespace quasar
