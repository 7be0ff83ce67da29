#include "models/alpha/alpha_source.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

bool is_law(const GeneralizedGamma& law) {
  return law.shape > 0 && law.scale > 0 && std::isfinite(law.shape + law.scale);
}

bool has_power(const GeneralizedGamma& law) {
  return std::abs(law.power) >= least_prior_power && std::isfinite(law.power);
}

}  // namespace

void check_sources(const std::vector<AlphaSource>& sources, Index rows) {
  if (sources.empty()) throw UsageError("alpha-mf: there must be a source");
  for (const AlphaSource& one : sources) {
    const std::string who = one.name.empty() ? "alpha-mf" : fmt::format("alpha-mf: source {}", one.name);
    if (!(one.alpha >= least_alpha && one.alpha <= 2)) throw UsageError(who + ": alpha must be from 0.1 to 2");
    if (one.rank < 1) throw UsageError(who + ": rank must be at least 1");
    for (const GeneralizedGamma& law : {one.w, one.h}) {
      if (has_power(law)) continue;
      throw UsageError(fmt::format("{}: the power of a prior must be {} or more in size, not {}", who,
                                   least_prior_power, law.power));
    }
    if (!is_law(one.w) || !is_law(one.h)) throw UsageError(who + ": priors need a positive shape and scale");
    if (!one.fixed()) continue;
    if (one.dictionary.rows() != rows || one.dictionary.cols() != one.rank) {
      throw DataError(fmt::format("{}: the dictionary is {} x {}, where data and rank need {} x {}", who,
                                  one.dictionary.rows(), one.dictionary.cols(), rows, one.rank));
    }
    if (!one.dictionary.allFinite() || !(one.dictionary.minCoeff() >= 0)) {
      throw DataError(who + ": the dictionary must hold numbers that are not negative");
    }
  }
}

void check_intensities(const Intensities& data) {
  if (data.squares.size() == 0) throw DataError(fmt::format("{}: the matrix is empty", data.source));
  Index seen = 0;
  double largest = 0;
  for (Index j = 0; j < data.squares.cols(); ++j) {
    for (Index i = 0; i < data.squares.rows(); ++i) {
      const double square = data.squares(i, j);
      if (std::isnan(square)) continue;
      if (!(square >= 0) || std::isinf(square)) {
        throw DataError(fmt::format("{}: row {}, column {}: the square of the number there is not finite", data.source,
                                    i + 1, j + 1));
      }
      largest = std::max(largest, square);
      ++seen;
    }
  }
  if (seen == 0) throw DataError(fmt::format("{}: no entry of the matrix is observed", data.source));
  if (largest == 0) throw DataError(fmt::format("{}: all entries are 0: there is nothing to factorize", data.source));
}

}  // namespace quasar
