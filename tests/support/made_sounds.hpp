// Sounds made of plain recursions: the same bits as in tests/oracle/make_separation_reference.py.
#pragma once

#include <cstdint>

#include <quasar/core.hpp>

namespace quasar::test {

// Lehmer's generator with the multiplier 48271 (Park, Miller & Stockmeyer 1993), in (-1, 1).
inline Vec lehmer_noise(std::int64_t seed, Index samples) {
  constexpr std::int64_t modulus = 2147483647;
  Vec values(samples);
  for (double& value : values) {
    seed = seed * 48271 % modulus;
    value = 2 * (static_cast<double>(seed) / static_cast<double>(modulus)) - 1;
  }
  return values;
}

// Noise that comes and goes, through a filter with that double pole: 0 leaves it white, near 1 it has almost no high
// frequencies.
inline Vec made_source(std::int64_t seed, Index samples, double pole) {
  const Vec noise = lehmer_noise(seed, samples);
  Vec values(samples);
  double first = 0, second = 0;
  for (Index n = 0; n < samples; ++n) {
    const double loudness = 0.05 + static_cast<double>((n / 700 + seed) % 3);
    const double value = ((2 * pole) * first - (pole * pole) * second) + loudness * noise[n];
    second = first;
    first = value;
    values[n] = value;
  }
  return values;
}

inline Mat made_sources(Index count, Index samples, double pole) {
  Mat sources(samples, count);
  for (Index i = 0; i < count; ++i) sources.col(i) = made_source(11 + i, samples, pole);
  return sources;
}

// Source j through a short filter, with some of the next source and of fresh noise.
inline Vec made_estimate(const Mat& sources, Index j) {
  const auto target = sources.col(j), other = sources.col((j + 1) % sources.cols());
  Vec values = lehmer_noise(101 + j, sources.rows());
  for (Index n = 0; n < values.size(); ++n) {
    const double echo = n >= 5 ? target[n - 5] : 0;
    const double leak = n >= 2 ? other[n - 2] : 0;
    values[n] = ((0.8 * target[n] + 0.3 * echo) + 0.05 * leak) + 0.02 * values[n];
  }
  return values;
}

}  // namespace quasar::test
