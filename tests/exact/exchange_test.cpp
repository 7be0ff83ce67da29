// Between ranks, here threads of one process: messages, sums in a fixed tree, broadcasts, and an error that ends all.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/exchange.hpp>

#include "support/error_message.hpp"
#include "support/thread_exchange.hpp"

namespace quasar {
namespace {

TEST(Exchange, MessagesGoRoundInOrder) {
  test::run_ranks(3, [](Exchange& exchange) {
    const int next = (exchange.rank() + 1) % 3, before = (exchange.rank() + 2) % 3;
    std::vector<double> first(4, exchange.rank()), second(2, 10 + exchange.rank()), a(4), b(2);
    exchange.send(first, next, 7);
    exchange.send(second, next, 7);
    exchange.receive(a, before, 7);
    exchange.receive(b, before, 7);
    exchange.wait();
    EXPECT_EQ(a, std::vector<double>(4, before));
    EXPECT_EQ(b, std::vector<double>(2, 10 + before));
  });
}

TEST(Exchange, SumsHaveTheBitsOfTheTree) {
  const std::vector<double> of = {0.1, 1e16, -1e16, 0.3, 0.7};
  for (int size = 1; size <= 5; ++size) {
    const double expected[] = {of[0], of[0] + of[1], of[0] + of[1] + of[2], (of[0] + of[1]) + (of[2] + of[3]),
                               ((of[0] + of[1]) + (of[2] + of[3])) + of[4]};
    test::run_ranks(size, [&](Exchange& exchange) {
      std::vector<double> values = {of[static_cast<std::size_t>(exchange.rank())]};
      exchange.sum(values);
      EXPECT_EQ(values[0], expected[size - 1]) << size;
    });
  }
}

TEST(Exchange, BroadcastsWhatRankZeroHas) {
  test::run_ranks(4, [](Exchange& exchange) {
    std::vector<int> numbers(3, exchange.rank() == 0 ? 5 : 0);
    exchange.broadcast(std::as_writable_bytes(std::span(numbers)));
    EXPECT_EQ(numbers, std::vector<int>(3, 5));
  });
}

TEST(Exchange, AnErrorOfOneRankEndsAll) {
  const std::string message = test::error_message<DataError>([] {
    test::run_ranks(3, [](Exchange& exchange) {
      if (exchange.rank() == 1) throw DataError("a file is missing");
      std::vector<double> value(1);
      exchange.sum(value);
    });
  });
  EXPECT_EQ(message, "a file is missing");
}

TEST(Exchange, EveryPartHasOneOwner) {
  for (const Index parts : {1, 4, 7, 64}) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      for (Index part = 0; part < parts; ++part) {
        const int owner = owner_of(part, ranks, parts);
        ASSERT_TRUE(owner >= 0 && owner < ranks);
        EXPECT_TRUE(share_of(owner, ranks, parts).has(part)) << part << " of " << parts << " on " << ranks;
      }
    }
  }
}

}  // namespace
}  // namespace quasar
