// Small alpha-stable factorizations: one or two sources, W free or given, in either coordinates.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

#include "models/alpha/alpha_mixture.hpp"

namespace quasar::test {

struct AlphaKind {
  Index sources = 1;
  bool fixed = false;  // W of the first source
  bool log_coordinates = false;
  std::string name() const {
    return std::to_string(sources) + " sources" + (fixed ? ", fixed" : "") + (log_coordinates ? ", log" : "");
  }
};

inline const std::vector<AlphaKind> alpha_kinds{{1, false, false}, {1, false, true}, {1, true, true},
                                                {2, false, false}, {2, true, false}, {2, true, true}};

inline constexpr Index alpha_rows = 3, alpha_columns = 4, alpha_rank = 2;

inline std::vector<AlphaSource> alpha_sources(const AlphaKind& kind, Index rows = alpha_rows, Index rank = alpha_rank) {
  std::vector<AlphaSource> sources{{.alpha = 1.2, .rank = rank, .w = {2.5, 1.1, -2 / 1.2}, .h = {2, 0.8, -2 / 1.2}}};
  if (kind.fixed) {
    Mat dictionary(rows, rank);
    Rng(7).stream("dictionary").uniforms(dictionary.reshaped());
    sources[0].dictionary = dictionary;
  }
  if (kind.sources == 2) {
    sources[0].name = "speech";
    sources.push_back(
        {.name = "noise", .alpha = 1.89, .rank = rank - 1, .w = {3, 0.6, -2 / 1.89}, .h = {2.2, 0.9, -2 / 1.89}});
  }
  return sources;
}

inline Intensities some_intensities(Index rows = alpha_rows, Index columns = alpha_columns) {
  Mat normals(rows, columns), uniforms(rows, columns);
  Rng(3).stream("normals").normals(normals.reshaped());
  Rng(3).stream("uniforms").uniforms(uniforms.reshaped());
  return {(normals.array().square() / uniforms.array()).matrix()};
}

inline AlphaMixture alpha_mixture(const AlphaKind& kind, const Intensities& data = some_intensities()) {
  return {data, alpha_sources(kind, data.squares.rows()), {.log_coordinates = kind.log_coordinates}};
}

// |x|^2 of numbers with these variances; NaN, not seen, where `seen` is below 0.
inline Mat drawn_squares(const Mat& variance, const Mat& seen, Stream& stream) {
  Mat squares(variance.rows(), variance.cols());
  for (Index e = 0; e < squares.size(); ++e) {
    const double re = stream.normal(), im = stream.normal();
    squares.data()[e] = seen.data()[e] >= 0 ? variance.data()[e] * (re * re + im * im) : NAN;
  }
  return squares;
}

}  // namespace quasar::test
