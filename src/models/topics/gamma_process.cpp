#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/gamma_process.hpp>
#include <quasar/rng.hpp>

namespace quasar {
namespace {

constexpr double most_rounds = 1e15;       // whole numbers of a double, and of an Index
constexpr double most_exact_rounds = 1e9;  // beyond them the incomplete gamma function does not converge

void expect_positive(const char* name, double value) {
  if (!(value > 0 && std::isfinite(value))) {
    throw UsageError(fmt::format("gamma process: {} has to be a positive number, not {}", name, value));
  }
}

void check(const GammaProcess& process) {
  expect_positive("alpha", process.alpha);
  expect_positive("gamma", process.gamma);
  expect_positive("c", process.c);
}

void check(const GammaProcess& process, double draws, Index rounds) {
  check(process);
  expect_positive("draws", draws);
  if (rounds < 0) throw UsageError(fmt::format("gamma process: rounds cannot be {}", rounds));
}

double draw_weight(const GammaProcess& process, Index round, AtomConstruction construction, Stream& draws) {
  if (construction == AtomConstruction::rounds) {
    const double e = draws.exponential() / process.c;
    return e * std::exp(-draws.gamma(static_cast<double>(round)) / process.alpha);
  }
  const double g = draws.gamma(1 + process.alpha) / process.c;
  double left = 1, last = 0;
  for (Index l = 0; l < round; ++l) left *= 1 - (last = draws.beta(1, process.alpha));
  return g * left * (construction == AtomConstruction::sticks ? draws.beta(1, process.alpha) : last);
}

// int_0^inf P(rounds, y) / (1 + exp(y / alpha) c / draws) dy, y = alpha t: a step up at `rounds`, as wide as its root,
// and one down at alpha log(draws / c), behind which it falls as exp(-y / alpha).
double missed_points(const GammaProcess& process, double draws, Index rounds) {
  if (rounds == 0) return process.alpha * std::log1p(draws / process.c);
  const auto shape = static_cast<double>(rounds);
  const double down = process.alpha * std::max(0.0, std::log(draws / process.c));
  const auto missed = [&](double y) {
    return boost::math::gamma_p(shape, y) / (1 + std::exp(y / process.alpha) * (process.c / draws));
  };
  const double peak = std::max(down, shape * process.alpha / (1 + process.alpha));  // near to it
  const double width = std::sqrt(shape), tail = 40 * (process.alpha + width);
  std::array<double, 7> ends = {0,
                                std::max(0.0, shape - 10 * width),
                                std::min(down, shape),
                                peak,
                                std::max(down, shape),
                                shape + 10 * width,
                                std::max(down, shape) + tail};
  std::ranges::sort(ends);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (ends[i + 1] <= ends[i]) continue;
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(missed, ends[i], ends[i + 1], 12, 1e-12);
  }
  return sum;
}

void check_error(double error) {
  if (!(error > 0 && error < 1)) throw UsageError(fmt::format("gamma process: an error of {} is not in (0, 1)", error));
}

}  // namespace

double GammaProcess::rate(double weight) const { return gamma * alpha / weight * std::exp(-c * weight); }
double GammaProcess::mean_mass() const { return gamma * alpha / c; }
double GammaProcess::mass_variance() const { return gamma * alpha / (c * c); }
double GammaProcess::laplace(double s) const { return std::exp(-gamma * alpha * std::log1p(s / c)); }

double GammaProcess::mean_weight(Index round) const {
  return std::exp(-static_cast<double>(round) * std::log1p(1 / alpha)) / c;
}

double GammaProcess::mean_mass_beyond(Index rounds) const { return gamma * alpha * mean_weight(rounds); }

WeightedAtoms draw_gamma_process(const GammaProcess& process, Index rounds, Stream& draws,
                                 AtomConstruction construction) {
  check(process, 1, rounds);
  WeightedAtoms atoms;
  for (Index i = 1; i <= rounds; ++i) {
    atoms.round.insert(atoms.round.end(), static_cast<std::size_t>(draws.poisson(process.gamma)), static_cast<int>(i));
  }
  atoms.weights.resize(std::ssize(atoms.round));
  for (Index k = 0; k < atoms.weights.size(); ++k) {
    atoms.weights[k] = draw_weight(process, atoms.round[static_cast<std::size_t>(k)], construction, draws);
  }
  return atoms;
}

double truncation_bound(const GammaProcess& process, double draws, Index rounds) {
  check(process, draws, rounds);
  return -std::expm1(-draws * process.mean_mass_beyond(rounds));
}

double truncation_error(const GammaProcess& process, double draws, Index rounds) {
  check(process, draws, rounds);
  if (static_cast<double>(rounds) > most_exact_rounds) {
    throw UsageError(
        fmt::format("gamma process: what {} rounds miss can be told by the bound alone, which is near to it", rounds));
  }
  return -std::expm1(-process.gamma * missed_points(process, draws, rounds));
}

// draws gamma (alpha / c) rho^rounds = -log(1 - error)
Index rounds_for_bound(const GammaProcess& process, double draws, double error) {
  check(process, draws, 0);
  check_error(error);
  const double allowed = -std::log1p(-error);
  const double rounds = std::log(draws * process.mean_mass() / allowed) / std::log1p(1 / process.alpha);
  if (!(rounds <= most_rounds)) {
    throw UsageError(fmt::format(
        "gamma process: an error of {} needs about {:.2g} rounds, and {:.0g} are the most; with alpha = {} weights "
        "hardly fall from round to round",
        error, rounds, most_rounds, process.alpha));
  }
  return static_cast<Index>(std::max(1.0, std::ceil(rounds)));
}

Index rounds_for_error(const GammaProcess& process, double draws, double error) {
  Index too_few = 0, enough = rounds_for_bound(process, draws, error);
  while (enough - too_few > 1) {
    const Index middle = too_few + (enough - too_few) / 2;
    (truncation_error(process, draws, middle) <= error ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace quasar
