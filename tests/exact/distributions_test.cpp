// What all distributions share: a draw spends its own elements only, and refuses arguments out of range.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "support/laws.hpp"

namespace quasar {
namespace {

using test::vec;

Stream stream(std::string_view role) { return Rng(20240229).stream(role); }

TEST(Elements, EachDrawSpendsItsOwn) {
  const std::pair<const char*, std::function<double(Stream&)>> draws[] = {
      {"exponential", [](Stream& s) { return s.exponential(); }},
      {"gamma", [](Stream& s) { return s.gamma(0.5); }},
      {"beta", [](Stream& s) { return s.beta(0.5, 2); }},
      {"small poisson", [](Stream& s) { return static_cast<double>(s.poisson(2)); }},
      {"large poisson", [](Stream& s) { return static_cast<double>(s.poisson(20)); }},
      {"small binomial", [](Stream& s) { return static_cast<double>(s.binomial(5, 0.5)); }},
      {"large binomial", [](Stream& s) { return static_cast<double>(s.binomial(100, 0.5)); }},
      {"index", [](Stream& s) { return static_cast<double>(s.index(10)); }},
      {"categorical", [](Stream& s) {
         return static_cast<double>(s.categorical(vec({1, 2, 3})));
       }}};
  for (const auto& [name, draw] : draws) {
    SCOPED_TRACE(name);
    Stream forward = stream("elements"), backward = forward;
    std::vector<double> values;
    for (int e = 0; e < 50; ++e) values.push_back(draw(forward));
    EXPECT_EQ(forward.element(), 50u);
    for (int e = 50; e-- > 0;) {
      backward.seek(static_cast<std::uint64_t>(e));
      EXPECT_EQ(draw(backward), values[e]);
    }
  }
}

TEST(Elements, VectorsSpendOnePerComponent) {
  Stream s = stream("elements");
  Vec x(3);
  std::vector<std::int64_t> counts(3);
  std::vector<Index> indices(3);
  s.dirichlet(vec({1, 2, 3}), x);
  EXPECT_EQ(s.element(), 3u);
  s.multinomial(10, vec({1, 2, 3}), counts);
  EXPECT_EQ(s.element(), 6u);
  s.permutation(indices);
  EXPECT_EQ(s.element(), 9u);
  s.sample_with_replacement(9, indices);
  EXPECT_EQ(s.element(), 12u);
  s.sample_without_replacement(9, indices);
  EXPECT_EQ(s.element(), 15u);
}

TEST(Arguments, OutOfRangeAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Stream s = stream("hostile");
  for (const double bad : {0.0, -1.0, nan, inf, -inf, 5e-324}) {
    EXPECT_THROW(s.gamma(bad), std::invalid_argument) << bad;
    EXPECT_THROW(s.beta(bad, 1), std::invalid_argument) << bad;
    EXPECT_THROW(s.beta(1, bad), std::invalid_argument) << bad;
    Vec x(2);
    EXPECT_THROW(s.dirichlet(vec({1, bad}), x), std::invalid_argument) << bad;
  }
  for (const double bad : {-1e-9, nan, inf, 1e19}) EXPECT_THROW(s.poisson(bad), std::invalid_argument) << bad;
  for (const double bad : {-1e-9, 1 + 1e-9, nan, inf}) EXPECT_THROW(s.binomial(5, bad), std::invalid_argument) << bad;
  EXPECT_THROW(s.binomial(-1, 0.5), std::invalid_argument);
  std::vector<std::int64_t> counts(2);
  for (const Vec& bad : {Vec(), vec({0, 0}), vec({1, -1}), vec({1, nan}), vec({1, inf}), vec({1e308, 1e308})}) {
    EXPECT_THROW(s.categorical(bad), std::invalid_argument) << bad.transpose();
    EXPECT_THROW(s.multinomial(3, bad, std::span(counts).first(bad.size())), std::invalid_argument) << bad.transpose();
  }
  EXPECT_THROW(s.multinomial(-1, vec({1, 1}), counts), std::invalid_argument);
  EXPECT_THROW(s.multinomial(3, vec({1, 1, 1}), counts), std::invalid_argument);
  Vec x(3);
  EXPECT_THROW(s.dirichlet(vec({1, 1}), x), std::invalid_argument);
  EXPECT_THROW(s.dirichlet(Vec(), x), std::invalid_argument);
  std::vector<Index> three(3);
  EXPECT_THROW(s.sample_without_replacement(2, three), std::invalid_argument);
  EXPECT_THROW(s.sample_without_replacement(-1, three), std::invalid_argument);
  EXPECT_THROW(s.sample_with_replacement(0, three), std::invalid_argument);
  for (const Index bad : {Index{0}, Index{-1}}) EXPECT_THROW(s.index(bad), std::invalid_argument);
  EXPECT_EQ(s.element(), 0u) << "a refused draw spends nothing";
}

TEST(Arguments, EmptyRequestsAreFine) {
  Stream s = stream("empty");
  std::vector<Index> none;
  Vec empty;
  s.permutation(none);
  s.sample_with_replacement(1, none);
  s.sample_without_replacement(0, none);
  s.normals(empty);
  s.uniforms(empty);
  EXPECT_EQ(s.element(), 0u);
}

}  // namespace
}  // namespace quasar
