#include "kernels/hmc/nuts.hpp"

namespace quasar {

void Subtree::resize(Index dim, Index moving) {
  for (End* end : {&first, &last}) {
    end->p.resize(moving);
    end->v.resize(moving);
  }
  rho.resize(moving);
  x.resize(dim);
  g.resize(dim);
}

void Subtree::become(const PhasePoint& z, double energy_at_z, double weight) {
  for (End* end : {&first, &last}) {
    end->p = z.p;
    end->v = z.v;
  }
  rho = z.p;
  x = z.x;
  g = z.g;
  u = z.u;
  energy = energy_at_z;
  log_weight = weight;
}

bool goes_straight(const Subtree& a, const Subtree& b) {
  const Vec &start = a.first.v, &end = b.last.v;
  const double start_a = start.dot(a.rho), end_b = end.dot(b.rho);
  return start_a + start.dot(b.rho) > 0 && end.dot(a.rho) + end_b > 0 && start_a + start.dot(b.first.p) > 0 &&
         b.first.v.dot(a.rho) + b.first.v.dot(b.first.p) > 0 && a.last.v.dot(b.rho) + a.last.v.dot(a.last.p) > 0 &&
         end_b + end.dot(a.last.p) > 0;
}

void append(Subtree& a, Subtree& b, bool take) {
  if (take) {
    a.x.swap(b.x);
    a.g.swap(b.g);
    a.u = b.u;
    a.energy = b.energy;
  }
  a.rho += b.rho;
  std::swap(a.last, b.last);
  a.log_weight = log_sum_exp(a.log_weight, b.log_weight);
}

double log_sum_exp(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log1p(std::exp(std::min(a, b) - top));
}

}  // namespace quasar
