#include <fmt/core.h>

#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/manifold.hpp>

namespace quasar {

// Rounding may leave a negative square; NaN stays NaN.
double Manifold::norm(MatIn x, MatIn u) const {
  const double square = inner(x, u, u);
  return std::sqrt(square < 0 ? 0 : square);
}

std::string Manifold::fault(MatIn x) const {
  const auto [rows, cols] = shape();
  if (x.rows() != rows || x.cols() != cols) {
    return fmt::format("it is {} x {}, not {} x {}", x.rows(), x.cols(), rows, cols);
  }
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      if (!std::isfinite(x(i, j))) return fmt::format("entry ({}, {}) is {}", i + 1, j + 1, x(i, j));
    }
  }
  return violated(x);
}

void Manifold::check(MatIn x) const {
  if (const std::string why = fault(x); !why.empty()) throw DataError(fmt::format("no point of {}: {}", name(), why));
}

void Manifold::check_tangent(MatIn x, MatIn u) const {
  const auto [rows, cols] = shape();
  const auto refuse = [this](const std::string& why) {
    throw DataError(fmt::format("no tangent vector of {}: {}", name(), why));
  };
  if (u.rows() != rows || u.cols() != cols) {
    refuse(fmt::format("it is {} x {}, not {} x {}", u.rows(), u.cols(), rows, cols));
  }
  if (!u.allFinite()) refuse("it has entries that are not finite");
  const double away = (project(x, u) - u).norm(), length = u.norm();
  const double rounding = 10 * std::numeric_limits<double>::epsilon() * project_norm(x) * length;
  if (away > 1e-8 * (1 + length) + rounding) refuse(fmt::format("it points {:.3g} out of the tangent space", away));
}

Mat Manifold::project(MatIn x, MatIn ambient) const {
  Mat out = empty();
  project(x, ambient, out);
  return out;
}

Mat Manifold::gradient(MatIn x, MatIn partials) const {
  Mat out = empty();
  gradient(x, partials, out);
  return out;
}

Mat Manifold::hessian(MatIn x, MatIn partials, MatIn second, MatIn u) const {
  Mat out = empty();
  hessian(x, partials, second, u, out);
  return out;
}

Mat Manifold::exp(MatIn x, MatIn u) const {
  Mat out = empty();
  exp(x, u, out);
  return out;
}

Mat Manifold::log(MatIn x, MatIn y) const {
  Mat out = empty();
  log(x, y, out);
  return out;
}

Mat Manifold::retract(MatIn x, MatIn u) const {
  Mat out = empty();
  retract(x, u, out);
  return out;
}

Mat Manifold::parallel_transport(MatIn x, MatIn y, MatIn u) const {
  Mat out = empty();
  parallel_transport(x, y, u, out);
  return out;
}

Mat Manifold::transport(MatIn x, MatIn y, MatIn u) const {
  Mat out = empty();
  transport(x, y, u, out);
  return out;
}

Mat Manifold::random_point(Stream& stream) const {
  Mat out = empty();
  random_point(stream, out);
  return out;
}

Mat Manifold::random_tangent(MatIn x, Stream& stream) const {
  Mat out = empty();
  random_tangent(x, stream, out);
  return out;
}

}  // namespace quasar
