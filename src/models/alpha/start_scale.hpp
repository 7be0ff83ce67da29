// How large dispersions are that belong to intensities of a given size.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/core.hpp>

#include "models/alpha/alpha_source.hpp"

namespace quasar {

inline double median_of(const Mat& values) {
  std::vector<double> all(values.data(), values.data() + values.size());
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

// Of the entries that were seen and are not 0; squares of others are below 0.
inline double median_square(const Mat& squares) {
  std::vector<double> all;
  std::copy_if(squares.data(), squares.data() + squares.size(), std::back_inserter(all),
               [](double s) { return s > 0; });
  if (all.empty()) return 1;
  return median_of(Eigen::Map<const Vec>(all.data(), std::ssize(all)));
}

// |x|^2 of an isotropic stable number of dispersion 1 has a median near 3 for all alpha: 3 for alpha = 1, 4 log 2
// for 2.
inline double typical_dispersion(double alpha, double median) { return std::pow(median / 3, alpha / 2); }

// The scale of H with which typical entries of W H are as large as those of a source that makes up this share of the
// intensities.
inline double fitting_h_scale(const AlphaSource& source, const Mat& squares, double share = 1) {
  GeneralizedGamma unit = source.h;
  unit.scale = 1;
  const double w = source.fixed() ? source.dictionary.mean() : source.w.typical();
  const double dispersion = typical_dispersion(source.alpha, share * median_square(squares));
  return dispersion / (static_cast<double>(source.rank) * w * unit.typical());
}

}  // namespace quasar
