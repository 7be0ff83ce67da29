// Names of a Stan program's values: variables, shapes and where each value comes from.
#include "targets/stan_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "support/error_message.hpp"

namespace quasar {
namespace {

using Names = std::vector<std::string>;

// The layout's element names, each followed by the position it comes from.
Names parsed(std::string_view names) {
  const StanLayout stan = parse_stan_names(names);
  Names out = element_names(stan.layout);
  EXPECT_EQ(out.size(), stan.source.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].append(" ").append(std::to_string(stan.source[i]));
  return out;
}

TEST(StanNames, Scalars) { EXPECT_EQ(parsed("mu,tau"), (Names{"mu 0", "tau 1"})); }

TEST(StanNames, NothingAtAll) { EXPECT_EQ(parsed(""), Names{}); }

TEST(StanNames, Vectors) {
  EXPECT_EQ(parsed("mu,theta.1,theta.2,tau"), (Names{"mu 0", "theta[1] 1", "theta[2] 2", "tau 3"}));
  EXPECT_EQ(parsed("one.1"), (Names{"one[1] 0"}));
}

TEST(StanNames, MatricesComeByColumnsAndLeaveByRows) {
  EXPECT_EQ(parsed("A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3"),
            (Names{"A[1,1] 0", "A[1,2] 2", "A[1,3] 4", "A[2,1] 1", "A[2,2] 3", "A[2,3] 5"}));
}

TEST(StanNames, TheIndicesCountAndNotTheOrder) {
  EXPECT_EQ(parsed("A.1.1,A.1.2,A.2.1,A.2.2"), (Names{"A[1,1] 0", "A[1,2] 1", "A[2,1] 2", "A[2,2] 3"}));
  EXPECT_EQ(parsed("v.3,v.1,v.2"), (Names{"v[1] 1", "v[2] 2", "v[3] 0"}));
}

TEST(StanNames, ThreeAxes) {
  std::string names;
  for (int k = 1; k <= 4; ++k) {
    for (int j = 1; j <= 3; ++j) {
      for (int i = 1; i <= 2; ++i) {
        names += ",B." + std::to_string(i) + "." + std::to_string(j) + "." + std::to_string(k);
      }
    }
  }
  const StanLayout stan = parse_stan_names(std::string_view(names).substr(1));
  ASSERT_EQ(stan.layout.variables.size(), 1U);
  EXPECT_EQ(stan.layout.variables[0].shape, (std::vector<Index>{2, 3, 4}));
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(stan.source[(i * 3 + j) * 4 + k], static_cast<Index>(i + 2 * (j + 3 * k)));
      }
    }
  }
}

TEST(StanNames, Tuples) {
  EXPECT_EQ(parsed("t:1,t:2.1,t:2.2,t:3:1"), (Names{"t:1 0", "t:2[1] 1", "t:2[2] 2", "t:3:1 3"}));
}

TEST(StanNames, ArraysOfTuplesInterleave) {
  EXPECT_EQ(parsed("u.1:1,u.1:2.1,u.1:2.2,u.2:1,u.2:2.1,u.2:2.2"),
            (Names{"u:1[1] 0", "u:1[2] 3", "u:2[1,1] 1", "u:2[1,2] 2", "u:2[2,1] 4", "u:2[2,2] 5"}));
}

TEST(StanNames, ComplexNumbers) {
  EXPECT_EQ(parsed("z.real,z.imag"), (Names{"z.real 0", "z.imag 1"}));
  EXPECT_EQ(parsed("w.1.real,w.1.imag,w.2.real,w.2.imag"),
            (Names{"w.real[1] 0", "w.real[2] 2", "w.imag[1] 1", "w.imag[2] 3"}));
}

TEST(StanNames, WhatIsNoRectangleIsScalars) {
  EXPECT_EQ(parsed("v.1,v.3"), (Names{"v.1 0", "v.3 1"}));  // a hole
  EXPECT_EQ(parsed("v.0,v.1"), (Names{"v.0 0", "v.1 1"}));  // from 0
  EXPECT_EQ(parsed("v.1,v.1"), (Names{"v.1 0", "v.1 1"}));  // twice
  EXPECT_EQ(parsed("a.1.1,a.2.2,a.1.1,a.2.1"),
            (Names{"a.1.1 0", "a.2.2 1", "a.1.1 2", "a.2.1 3"}));                      // twice, the right number
  EXPECT_EQ(parsed("v,v.1"), (Names{"v 0", "v.1 1"}));                                 // unequal numbers of indices
  EXPECT_EQ(parsed("a.1.1,a.2,b"), (Names{"a.1.1 0", "a.2 1", "b 2"}));                // others are left alone
  EXPECT_EQ(parsed("a.4294967296.4294967296"), (Names{"a.4294967296.4294967296 0"}));  // 2^64 elements
  EXPECT_EQ(parsed("a.99999999999999999999999"), (Names{"a.99999999999999999999999 0"}));
}

TEST(StanNames, OddPiecesBelongToTheName) { EXPECT_EQ(parsed(".,a..b:x.1"), (Names{". 0", "a..b:x[1] 1"})); }

TEST(StanNames, WhatStanCannotHaveWritten) {
  for (const std::string names : {"a,,b", ",a", "a,", "a b", "a\n", "a/b", "caf\xc3\xa9", "a[1]"}) {
    const std::string message = test::error_message<DataError>([&] { parse_stan_names(names); });
    EXPECT_NE(message.find("has a name that no Stan program can have given it"), std::string::npos) << names;
  }
}

}  // namespace
}  // namespace quasar
