#include "targets/gamma.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <fmt/core.h>

#include <cmath>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

bool PositiveGeometry::metric(In x, Mat& g) {
  if (natural_) {
    g = x.cwiseInverse();
  } else {
    g = x.array().exp();
  }
  return g.minCoeff() > 0;
}

void PositiveGeometry::directional(In x, In u, Mat& out) {
  if (natural_) {
    out = -u.array() / x.array().square();
  } else {
    out = u.array() * x.array().exp();
  }
}

void PositiveGeometry::contract(In x, const Mat& a, Out out) {
  if (natural_) {
    out = -a.col(0).array() / x.array().square();
  } else {
    out = a.col(0).array() * x.array().exp();
  }
}

void PositiveGeometry::divergence(In x, Out out) {
  if (natural_) {
    out.setOnes();
  } else {
    out = -(-x.array()).exp();
  }
}

GammaProduct::GammaProduct(Vec shapes, Vec rates, Coordinates coordinates)
    : shapes_(std::move(shapes)), rates_(std::move(rates)), geometry_(coordinates == Coordinates::natural) {
  constexpr Interval positive{0, std::numeric_limits<double>::infinity()};
  if (coordinates == Coordinates::natural) support_.assign(static_cast<std::size_t>(dim()), positive);
}

// In y = log theta the Jacobian adds y, which makes the power of theta shape instead of shape - 1.
Eval GammaProduct::logp_grad(In x, Out grad) {
  if (natural()) {
    if (!(x.minCoeff() > 0)) return {-std::numeric_limits<double>::infinity(), false};
    grad = (shapes_.array() - 1) / x.array() - rates_.array();
    return checked(((shapes_.array() - 1) * x.array().log()).sum() - rates_.dot(x));
  }
  grad = rates_.array() * x.array().exp();
  const double logp = shapes_.dot(x) - grad.sum();
  grad = shapes_ - grad;
  return checked(logp);
}

void GammaProduct::constrain(In x, Out values, const Rng&) {
  values = x;
  if (!natural()) values = values.array().exp();
}

void GammaProduct::unconstrain(In values, Out x) const {
  if ((values.array() <= 0).any()) throw UsageError("gamma: theta must be positive");  // NaN: not given, and so in x
  x = values;
  if (!natural()) x = x.array().log();
}

void GammaProduct::draw(const Rng& rng, Out x) const {
  Stream numbers = rng.stream("gamma");
  for (Index i = 0; i < dim(); ++i) x[i] = numbers.gamma(shapes_[i]) / rates_[i];
  if (!natural()) x = x.array().log();
}

Moments GammaProduct::moments() const {
  const auto shape = shapes_.array(), rate = rates_.array();
  if (natural()) return {shape / rate, shape / rate.square()};
  return {shapes_.unaryExpr([](double a) { return boost::math::digamma(a); }).array() - rate.log(),
          shapes_.unaryExpr([](double a) { return boost::math::trigamma(a); })};
}

namespace {

Vec positive_numbers(std::string_view name, std::string_view text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = parse_real(text.substr(begin, end - begin));
    if (!number || !(*number > 0) || !std::isfinite(*number)) {
      throw UsageError(fmt::format("gamma: {} must be positive numbers separated by commas, not '{}'", name, text));
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  return Eigen::Map<const Vec>(numbers.data(), static_cast<Index>(numbers.size()));
}

}  // namespace

std::unique_ptr<Target> make_gamma(const Config& config, const Table*) {
  Vec shapes = positive_numbers("shapes", config.text("shapes")),
      rates = positive_numbers("rates", config.text("rates"));
  if (shapes.size() != rates.size()) {
    throw UsageError(fmt::format("gamma: {} shapes but {} rates", shapes.size(), rates.size()));
  }
  const auto coordinates = config.text("coordinates") == "natural" ? GammaProduct::Coordinates::natural
                                                                   : GammaProduct::Coordinates::unconstrained;
  return std::make_unique<GammaProduct>(std::move(shapes), std::move(rates), coordinates);
}

}  // namespace quasar
