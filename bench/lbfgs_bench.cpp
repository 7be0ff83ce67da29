// Products and draws of L-BFGS against plain loops over the same memory.
//
// A product has to read every pair twice: once for the dot products and once to combine them. A draw reads it once and
// needs its normals. Times are ratios to loops that do just this, one pair after the other, measured in turns in the
// same run. The bar: 1.3.
#include <array>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "metrics/lbfgs.hpp"
#include "side_by_side.hpp"

namespace quasar {
namespace {

constexpr Index dim = 1'000'000;
constexpr Index memory = 7;
constexpr double bar = 1.3;

using Coefficients = std::array<double, memory>;

Coefficients dot_products(const Mat& columns, const Vec& v) {
  Coefficients sums{};
  for (Index j = 0; j < memory; ++j) sums[static_cast<std::size_t>(j)] = columns.col(j).dot(v);
  return sums;
}

void add_combination(const Mat& columns, const Coefficients& weights, Vec& out) {
  for (Index j = 0; j < memory; ++j) out += weights[static_cast<std::size_t>(j)] * columns.col(j);
}

void run() {
  Stream stream = Rng(1).stream("pairs");
  Mat s(dim, memory), y(dim, memory);
  Vec v(dim), out(dim), h0(dim);
  Lbfgs h(dim, memory);
  for (Index j = 0; j < memory; ++j) {
    stream.normals(s.col(j));
    y.col(j) = 2 * s.col(j);
    h.add_pair(s.col(j), y.col(j));
  }
  stream.uniforms(h0);
  h.set_initial(h0);
  stream.normals(v);

  const auto two_sweeps = [&] {
    const Coefficients a = dot_products(s, v), b = dot_products(y, v);
    out = v;
    add_combination(y, a, out);
    add_combination(s, b, out);
  };
  const auto one_sweep_and_normals = [&] {
    Coefficients zeta{};
    stream.normals(out);
    for (double& normal : zeta) normal = stream.normal();
    const Coefficients c = dot_products(y, out);
    add_combination(s, c, out);
  };
  report(
      "product", bar, [&] { h.apply(v, out); }, two_sweeps);
  report(
      "solve", bar, [&] { h.solve(v, out); }, two_sweeps);
  report(
      "draw", bar, [&] { h.draw(stream, out); }, one_sweep_and_normals);
}

}  // namespace
}  // namespace quasar

int main() { quasar::run(); }
