// The generator itself: known answers, names, independence of block size and instruction set, and the law of uniforms
// and normals.
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <quasar/rng.hpp>

#include "core/philox.hpp"
#include "support/instruction_sets.hpp"
#include "support/laws.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

using test::expect_plausible;

// A sum of independent terms with these moments, against the normal law.
void expect_plausible_sum(double sum, double count, double mean, double variance) {
  expect_plausible(test::z_p_value((sum - count * mean) / std::sqrt(count * variance)));
}

double average_product(In a, In b) { return a.dot(b) / static_cast<double>(a.size()); }

Vec normals(Stream stream, Index n, std::uint64_t from = 0) {
  Vec out(n);
  stream.seek(from);
  stream.normals(out);
  return out;
}

Vec uniforms(Stream stream, Index n, std::uint64_t from = 0) {
  Vec out(n);
  stream.seek(from);
  stream.uniforms(out);
  return out;
}

std::vector<double> sorted(const Vec& v) {
  std::vector<double> s(v.begin(), v.end());
  std::sort(s.begin(), s.end());
  return s;
}

// ---- Philox ----

struct KnownAnswer {
  simd::PhiloxCounter counter;
  PhiloxBlock block;
};

// The vectors published with Random123 for philox4x32, 10 rounds.
const KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c}},
    {{~0ull, ~0ull, ~0u, ~0u}, {0x41c83b0e408f276d, 0x6d5451fda20bc7c6}},
    {{0x299f31d0a4093822, 0x85a308d3243f6a88, 0x13198a2e, 0x03707344}, {0x94fdccebd16cfe09, 0x24126ea15001e420}},
};

TEST(Philox, KnownAnswers) {
  for (const auto& [counter, expected] : known_answers) {
    const PhiloxBlock block = philox_block(counter);
    EXPECT_EQ(block.low, expected.low);
    EXPECT_EQ(block.high, expected.high);
  }
}

TEST(Philox, KnownAnswersOfEveryInstructionSet) {
  test::with_each_instruction_set([] {
    for (const auto& [counter, expected] : known_answers) {
      std::uint64_t low[simd::padded(1)], high[simd::padded(1)];
      simd::philox_blocks(counter, 1, low, high);
      EXPECT_EQ(low[0], expected.low);
      EXPECT_EQ(high[0], expected.high);
    }
  });
}

TEST(Philox, ManyBlocksAreSingleBlocks) {
  test::with_each_instruction_set([] {
    const simd::PhiloxCounter first{0x0123456789abcdef, 0xfedcba9876543210, 0xfffffff0, 7};
    constexpr std::size_t count = 16;  // up to the last element word
    std::uint64_t low[count], high[count];
    simd::philox_blocks(first, count, low, high);
    for (std::uint32_t i = 0; i < count; ++i) {
      const PhiloxBlock block = philox_block({first.key, first.iteration, first.element + i, first.retry});
      EXPECT_EQ(low[i], block.low);
      EXPECT_EQ(high[i], block.high);
    }
  });
}

// ---- Box-Muller ----

// The transform of simd/box_muller.cpp in long double.
std::pair<long double, long double> reference_pair(std::uint64_t radius, std::uint64_t angle) {
  constexpr std::uint64_t mask = 0x000FFFFFFFFFFFFF;
  const long double u = (static_cast<long double>(radius & mask) + 0.5L) * 0x1p-52L;
  const long double t = static_cast<long double>(angle & mask) * 0x1p-52L - 0.5L;
  const long double length = std::sqrt(-2 * std::log(u)) * (angle >> 63 ? -1 : 1);
  const long double theta = t * std::numbers::pi_v<long double> / 2;
  const long double x = length * std::cos(theta), y = length * std::sin(theta);
  return angle >> 62 & 1 ? std::pair{y, x} : std::pair{x, y};
}

double error_in_ulps(double value, long double exact) {
  if (exact == 0) return value == 0 ? 0 : HUGE_VAL;
  const auto rounded = static_cast<double>(std::abs(exact));
  const double ulp = std::nextafter(rounded, HUGE_VAL) - rounded;
  return static_cast<double>(std::abs(value - exact)) / ulp;
}

// Below 1 ulp from the logarithm, halved by the root; below 2 from sine and cosine; half from the root, half from the
// product: 3.5, and a little where these fall on both sides of a power of two.
constexpr double ulp_limit = 4;

void expect_accurate(const std::vector<std::uint64_t>& radius, const std::vector<std::uint64_t>& angle) {
  ASSERT_EQ(radius.size() % simd::vector_padding, 0u);
  std::vector<double> out(2 * radius.size());
  simd::box_muller(radius.data(), angle.data(), radius.size(), out.data());
  double worst = 0;
  for (std::size_t i = 0; i < radius.size(); ++i) {
    const auto [x, y] = reference_pair(radius[i], angle[i]);
    worst = std::max({worst, error_in_ulps(out[2 * i], x), error_in_ulps(out[2 * i + 1], y)});
  }
  EXPECT_LT(worst, ulp_limit);
}

TEST(BoxMuller, IsAccurateAtRandomPoints) {
  std::mt19937_64 words(20240601);
  std::vector<std::uint64_t> radius(1 << 16), angle(radius.size());
  std::generate(radius.begin(), radius.end(), words);
  std::generate(angle.begin(), angle.end(), words);
  expect_accurate(radius, angle);
}

TEST(BoxMuller, IsAccurateAtExtremePoints) {
  // Both ends of every binade, the ends of the interval of the reduced logarithm, and angles at and next to the axes
  // and the diagonals.
  std::vector<std::uint64_t> mantissas = {0, 1, 2};
  for (int b = 1; b <= 52; ++b)
    for (const std::int64_t d : {-2, -1, 0, 1})
      mantissas.push_back((std::uint64_t{1} << b) + static_cast<std::uint64_t>(d));
  for (const double edge : {std::sqrt(0.5), std::sqrt(0.125), 0.75})
    for (const std::int64_t d : {-1, 0, 1})
      mantissas.push_back(static_cast<std::uint64_t>(edge * 0x1p52) + static_cast<std::uint64_t>(d));
  std::vector<std::uint64_t> radius, angle;
  for (const std::uint64_t r : mantissas)
    for (const std::uint64_t a : mantissas)
      for (std::uint64_t symmetry = 0; symmetry < 4; ++symmetry) {
        radius.push_back(r & 0x000FFFFFFFFFFFFF);
        angle.push_back((a & 0x000FFFFFFFFFFFFF) | symmetry << 62);
      }
  radius.resize(simd::padded(radius.size()));
  angle.resize(radius.size());
  expect_accurate(radius, angle);
}

TEST(BoxMuller, EveryInstructionSetGivesTheSameBits) {
  const Rng rng(7);
  const Vec reference = normals(rng.stream("bits"), 10000);
  test::with_each_instruction_set([&] { EXPECT_EQ(normals(rng.stream("bits"), 10000), reference); });
}

// ---- names ----

TEST(Names, GiveTheirNumbersForEver) {
  Stream stream = Rng(42, 3).at(17).child("warmup", 2).stream("momentum");
  EXPECT_EQ(stream.key(), 0x674e9321b8b5c127u);
  EXPECT_EQ(stream.uniform(), 0x1.8cdb7dd5fbe30p-5);
  EXPECT_EQ(stream.normal(), -0x1.83eef95cc21bap-1);
  EXPECT_EQ(stream.normal(), 0x1.d6af76a5fa23bp+0);
  EXPECT_EQ(stream.index(1000000007), 294656083);
}

TEST(Names, AreDistinct) {
  std::set<double> seen;
  int made = 0;
  const auto record = [&](Stream stream) {
    ++made;
    seen.insert(stream.uniform());
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint64_t chain = 0; chain < 4; ++chain)
      for (std::uint64_t iteration : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
        const Rng rng = Rng(seed, chain).at(iteration);
        for (const char* role : {"", "a", "b", "ab", "ba", "chain"}) {
          record(rng.stream(role));
          for (std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
            record(rng.child(role, k).stream("x"));
            record(rng.child("x").child(role, k).stream("x"));
          }
        }
      }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(made));
}

TEST(Names, StreamIsTheNumbersBehindAChild) {
  const Rng rng(5);
  EXPECT_NE(rng.stream("a").key(), rng.child("a").stream("a").key());
  EXPECT_EQ(uniforms(rng.at(9).child("a").stream("b"), 10), uniforms(rng.child("a").at(9).stream("b"), 10));
}

TEST(Names, UniformsAndNormalsShareNoBlock) {
  constexpr std::uint64_t key = 99, iteration = 5;
  std::set<std::tuple<std::uint32_t, std::uint32_t>> counters;
  for (const Domain domain : {Domain::scalars, Domain::normals, Domain::keys})
    for (std::uint32_t element = 0; element < 4; ++element)
      for (std::uint32_t retry = 0; retry < 4; ++retry)
        EXPECT_TRUE(counters.emplace(element, tagged(domain, retry)).second);
  // Normal 2 b is not made of the words behind scalar element b.
  Stream stream(key, iteration);
  const Vec z = normals(stream, 2);
  double from_scalars[2 * simd::padded(1)];
  const PhiloxBlock block = philox_block({key, iteration, 0, tagged(Domain::scalars, 0)});
  const std::array<std::uint64_t, simd::padded(1)> radius = {block.low}, angle = {block.high};
  simd::box_muller(radius.data(), angle.data(), 1, from_scalars);
  EXPECT_NE(z[0], from_scalars[0]);
}

// ---- elements ----

TEST(Elements, NormalsDoNotDependOnBlocks) {
  const Stream stream = Rng(11).stream("blocks");
  const Vec all = normals(stream, 2100);
  for (const Index from : {0, 1, 2, 3, 16, 31, 511, 512, 513, 1023})
    for (const Index size : {0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 511, 512, 513, 1024, 1025})
      EXPECT_EQ(normals(stream, size, static_cast<std::uint64_t>(from)), all.segment(from, size))
          << from << ' ' << size;
}

TEST(Elements, ScalarNormalsAreTheBlock) {
  Stream stream = Rng(11).stream("blocks");
  const Vec all = normals(stream, 65);
  for (Index i = 0; i < all.size(); ++i) EXPECT_EQ(stream.normal(), all[i]);
  EXPECT_EQ(stream.element(), 65u);
}

TEST(Elements, ScalarUniformsAreTheBlock) {
  Stream stream = Rng(11).stream("blocks");
  const Vec all = uniforms(stream, 1000);
  for (Index i = 0; i < all.size(); ++i) EXPECT_EQ(stream.uniform(), all[i]);
  for (const Index size : {0, 1, 15, 255, 256, 257, 700})
    EXPECT_EQ(uniforms(stream, size, 300), all.segment(300, size)) << size;
}

TEST(Elements, MixedDrawsKeepTheirPlaces) {
  const Stream start = Rng(11).stream("mixed");
  const Vec z = normals(start, 12), u = uniforms(start, 12);
  Stream stream = start;
  EXPECT_EQ(stream.uniform(), u[0]);
  EXPECT_EQ(stream.normal(), z[1]);
  stream.gamma(0.3);
  EXPECT_EQ(stream.uniform(), u[3]);
  stream.poisson(1000);
  Vec part(5);
  stream.normals(part);
  EXPECT_EQ(part, z.segment(5, 5));
  stream.uniforms(part.head(2));
  EXPECT_EQ(part.head(2), u.segment(10, 2));
  EXPECT_EQ(stream.element(), 12u);
}

TEST(Elements, RunOutWithAnError) {
  Stream stream = Rng(1).stream("end");
  Vec out = Vec::Constant(4, 9);
  const std::uint64_t elements = std::uint64_t{1} << 32;
  stream.seek(elements - 4);
  EXPECT_NO_THROW(stream.uniforms(out));
  EXPECT_THROW(stream.uniform(), std::length_error);
  stream.seek(elements - 3);
  out.setConstant(9);
  EXPECT_THROW(stream.uniforms(out), std::length_error);
  EXPECT_EQ(out, Vec::Constant(4, 9));
  stream.seek(2 * elements - 4);
  EXPECT_NO_THROW(stream.normals(out));
  EXPECT_THROW(stream.normal(), std::length_error);
  stream.seek(2 * elements - 3);
  out.setConstant(9);
  EXPECT_THROW(stream.normals(out), std::length_error);
  EXPECT_EQ(out, Vec::Constant(4, 9));
  stream.seek(~std::uint64_t{0});
  EXPECT_THROW(stream.normals(out), std::length_error);
  EXPECT_THROW(stream.uniforms(out), std::length_error);
  EXPECT_THROW(stream.gamma(2), std::length_error);
}

// ---- laws ----

TEST(Uniform, IsInsideTheOpenInterval) {
  EXPECT_EQ(open_uniform(0), 0x1p-53);
  EXPECT_EQ(open_uniform(~std::uint64_t{0}), 1 - 0x1p-53);
  for (const std::uint64_t word : {0x0ull, 0x5ull, 0x123456789abcdefull})
    EXPECT_EQ(open_uniform(word) + open_uniform(~word), 1.0);
}

TEST(Uniform, IsUniform) {
  const Vec u = uniforms(Rng(21).stream("law"), 1 << 18);
  expect_plausible(test::ks_p_value(sorted(u), [](double x) { return x; }));
}

TEST(Uniform, EveryBitIsFair) {
  Stream stream = Rng(22).stream("law");
  constexpr int n = 1 << 18;
  std::vector<double> ones(52);
  double statistic = 0;
  for (int i = 0; i < n; ++i) {
    const auto x = static_cast<std::uint64_t>(stream.uniform() * 0x1p52);
    for (int b = 0; b < 52; ++b) ones[b] += static_cast<double>(x >> b & 1);
  }
  for (const double count : ones) statistic += (count - n / 2.0) * (count - n / 2.0) / (n / 4.0);
  expect_plausible(test::chi_square_p_value(statistic, 52));
}

TEST(Normal, IsNormal) {
  const Vec z = normals(Rng(23).stream("law"), 1 << 20);
  const boost::math::normal law;
  expect_plausible(test::ks_p_value(sorted(z), [&](double x) { return boost::math::cdf(law, x); }));
  const auto n = static_cast<double>(z.size());
  const auto a = z.array();
  expect_plausible_sum(z.sum(), n, 0, 1);
  expect_plausible_sum(a.square().sum(), n, 1, 2);
  expect_plausible_sum(a.cube().sum(), n, 0, 15);
  expect_plausible_sum(a.square().square().sum(), n, 3, 96);
}

TEST(Normal, HasItsTails) {
  const Vec z = normals(Rng(24).stream("tails"), 1 << 22);
  const double tail = 2 * boost::math::cdf(boost::math::normal(), -4.0);
  const auto beyond = static_cast<double>((z.array().abs() > 4).count());
  expect_plausible_sum(beyond, static_cast<double>(z.size()), tail, tail * (1 - tail));
}

TEST(Normal, PairsHaveAUniformDirection) {
  constexpr Index pairs = 1 << 18;
  const Vec z = normals(Rng(25).stream("pairs"), 2 * pairs);
  std::vector<double> turns, squares;
  for (Index i = 0; i < pairs; ++i) {
    const double x = z[2 * i], y = z[2 * i + 1];
    turns.push_back(std::atan2(y, x) / (2 * std::numbers::pi) + 0.5);
    squares.push_back(x * x + y * y);
  }
  std::sort(turns.begin(), turns.end());
  std::sort(squares.begin(), squares.end());
  expect_plausible(test::ks_p_value(turns, [](double t) { return t; }));
  expect_plausible(test::ks_p_value(squares, [](double r2) { return -std::expm1(-r2 / 2); }));
}

TEST(Normal, NeighboursAreUncorrelated) {
  constexpr Index n = 1 << 18;
  const Rng rng(26);
  const Vec z = normals(rng.stream("a"), n + 8);
  const auto expect_uncorrelated = [&](const Vec& other) {
    expect_plausible(test::z_p_value(average_product(z.head(n), other) * std::sqrt(static_cast<double>(n))));
  };
  for (const Index lag : {1, 2, 3, 8}) expect_uncorrelated(z.segment(lag, n));
  expect_uncorrelated(normals(rng.at(1).stream("a"), n));
  expect_uncorrelated(normals(rng.at(std::uint64_t{1} << 32).stream("a"), n));
  expect_uncorrelated(normals(rng.stream("b"), n));
  expect_uncorrelated(normals(Rng(27).stream("a"), n));
  expect_uncorrelated(normals(Rng(26, 1).stream("a"), n));
  expect_uncorrelated(
      uniforms(rng.stream("a"), n).array().unaryExpr([](double u) { return std::sqrt(12.0) * (u - 0.5); }));
}

}  // namespace
}  // namespace quasar
