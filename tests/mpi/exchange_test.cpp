// MpiExchange on the ranks that mpirun has started, all of them and every smaller number.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "mpi/mpi_exchange.hpp"

namespace quasar {
namespace {

void on_each_number_of_ranks(const auto& test) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int ranks = 1; ranks <= size; ++ranks) {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
    if (some == MPI_COMM_NULL) continue;
    {
      MpiExchange exchange(some);
      test(exchange);
    }
    MPI_Comm_free(&some);
  }
}

TEST(MpiExchange, SumsHaveTheBitsOfTheTree) {
  const std::vector<double> of = {0.1, 1e16, -1e16, 0.3, 0.7};
  const double expected[] = {of[0], of[0] + of[1], of[0] + of[1] + of[2], (of[0] + of[1]) + (of[2] + of[3]),
                             ((of[0] + of[1]) + (of[2] + of[3])) + of[4]};
  on_each_number_of_ranks([&](Exchange& exchange) {
    for (const std::size_t length : {1UL, 1000UL, 300'000UL}) {
      std::vector<double> values(length, of[static_cast<std::size_t>(exchange.rank())]);
      exchange.sum(values);
      EXPECT_EQ(values, std::vector<double>(length, expected[exchange.size() - 1]));
    }
  });
}

TEST(MpiExchange, MessagesGoRoundInOrder) {
  on_each_number_of_ranks([](Exchange& exchange) {
    const int size = exchange.size(), rank = exchange.rank();
    if (size == 1) return;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (const std::size_t length : {0UL, 1UL, 200'000UL}) {
      std::vector<double> first(length, rank), second(3, 10 + rank), a(length), b(3);
      exchange.receive(a, before, 1);
      exchange.receive(b, before, 1);
      exchange.send(first, next, 1);
      exchange.send(second, next, 1);
      exchange.wait();
      EXPECT_EQ(a, std::vector<double>(length, before));
      EXPECT_EQ(b, std::vector<double>(3, 10 + before));
    }
  });
}

TEST(MpiExchange, BroadcastsWhatRankZeroHas) {
  on_each_number_of_ranks([](Exchange& exchange) {
    std::vector<int> numbers(70'000, exchange.rank() == 0 ? 5 : 0);
    exchange.broadcast(std::as_writable_bytes(std::span(numbers)));
    EXPECT_EQ(numbers, std::vector<int>(70'000, 5));
  });
}

TEST(MpiExchange, TellsWaitingFromWork) {
  on_each_number_of_ranks([](Exchange& exchange) {
    std::vector<double> values(10);
    exchange.sum(values);
    EXPECT_GE(exchange.times.communication, 0);
    EXPECT_GE(exchange.times.waiting, 0);
    EXPECT_EQ(exchange.times.communication + exchange.times.waiting > 0, exchange.size() > 1);
  });
}

TEST(MpiExchange, TakesNoMessageOfAnotherLength) {
  on_each_number_of_ranks([](Exchange& exchange) {
    const int rank = exchange.rank();
    if (exchange.size() < 2 || rank > 1) return;
    std::vector<double> values(rank == 0 ? 3 : 4);
    if (rank == 0) {
      exchange.send(values, 1, 0);
      exchange.wait();
    } else {
      exchange.receive(values, 0, 0);
      EXPECT_THROW(exchange.wait(), std::runtime_error);
    }
  });
}

TEST(MpiExchange, MovesOnWithoutWaiting) {
  on_each_number_of_ranks([](Exchange& exchange) {
    const int size = exchange.size(), rank = exchange.rank();
    exchange.progress();  // nothing is under way
    if (size == 1) return;
    std::vector<double> sent(200'000, rank), arrived(200'000);
    exchange.receive(arrived, (rank + size - 1) % size, 1);
    exchange.send(sent, (rank + 1) % size, 1);
    for (int i = 0; i < 100; ++i) exchange.progress();
    exchange.wait();
    EXPECT_EQ(arrived, std::vector<double>(200'000, (rank + size - 1) % size));
  });
}

TEST(MpiExchange, GivesUpWhatNobodyAnswers) {
  on_each_number_of_ranks([](Exchange& exchange) {
    std::vector<double> sent(200'000), arrived(10);  // the first is too long to leave before somebody takes it
    if (exchange.size() > 1 && exchange.rank() == 0) {
      exchange.receive(arrived, 1, 1);
      exchange.send(sent, 1, 1);
    }
    exchange.give_up();
    exchange.wait();  // for nothing
    exchange.sum(arrived);
  });
}

TEST(MpiExchange, AnErrorIsAMessage) {
  on_each_number_of_ranks([](Exchange& exchange) {
    std::vector<double> values(1);
    EXPECT_THROW(exchange.send(values, exchange.size() + 7, 0), std::runtime_error);
    exchange.broken = true;  // a request that was never begun is left
  });
}

}  // namespace
}  // namespace quasar

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
