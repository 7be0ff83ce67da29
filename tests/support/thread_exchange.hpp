// Ranks as threads of one process, for tests of what runs over an Exchange:
//
//   run_ranks(4, [&](Exchange& exchange) { ... });
//
// Stricter than MPI need be: a message is copied straight from the sender's memory to the receiver's when that one
// waits, as large messages are, so whoever changes it too early, or waits for a send that nobody takes, is found out.
// An error of one rank ends the waiting of the others and is thrown by run_ranks; so is a wait of a minute.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <quasar/exchange.hpp>

namespace quasar::test {

class ThreadWorld {  // what the ranks have in common
 public:
  explicit ThreadWorld(int size)
      : size_(size), sums_(static_cast<std::size_t>(size)), bytes_(static_cast<std::size_t>(size)) {}
  int size() const { return size_; }

  struct Message {
    std::span<const double> from;
    bool taken = false;
  };
  using Address = std::tuple<int, int, int>;  // from, to, tag

  std::shared_ptr<Message> post(const Address& address, std::span<const double> from) {
    const std::lock_guard lock(mutex_);
    auto message = std::make_shared<Message>(Message{from});
    under_way_[address].push_back(message);
    changed_.notify_all();
    return message;
  }
  void take(const Address& address, std::span<double> into) {
    std::unique_lock lock(mutex_);
    auto& queue = under_way_[address];
    wait_until(lock, [&] { return !queue.empty(); });
    Message& message = *queue.front();
    if (message.from.size() != into.size())
      throw std::logic_error("a message is not as long as who receives it expects");
    std::copy(message.from.begin(), message.from.end(), into.begin());
    message.taken = true;
    queue.pop_front();
    changed_.notify_all();
  }
  void wait_for(const Message& message) {
    std::unique_lock lock(mutex_);
    wait_until(lock, [&] { return message.taken; });
  }

  void sum(int rank, std::span<double> values) {
    sums_[static_cast<std::size_t>(rank)] = values;
    meet();
    if (rank == 0) add_in_tree();
    meet();
    if (rank != 0) std::copy(sums_[0].begin(), sums_[0].end(), values.begin());
    meet();
  }
  void broadcast(int rank, std::span<std::byte> bytes) {
    bytes_[static_cast<std::size_t>(rank)] = bytes;
    meet();
    if (bytes.size() != bytes_[0].size()) throw std::logic_error("ranks broadcast texts of different length");
    if (rank != 0) std::copy(bytes_[0].begin(), bytes_[0].end(), bytes.begin());
    meet();
  }

  void give_up(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void wait_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done) {
    const auto minute = std::chrono::seconds(60);
    if (!changed_.wait_for(lock, minute, [&] { return done() || error_; })) {
      throw std::logic_error("a rank waits for ever");
    }
    if (!done()) throw std::runtime_error("another rank has failed");
  }
  void meet() {
    std::unique_lock lock(mutex_);
    const std::int64_t meeting = meetings_;
    if (++present_ == size_) {
      present_ = 0;
      ++meetings_;
      changed_.notify_all();
    }
    wait_until(lock, [&] { return meetings_ != meeting; });
  }
  void add_in_tree() {  // (0 + 1) + (2 + 3); a rank without a partner is added later
    const std::size_t size = sums_.size();
    for (const auto& values : sums_) {
      if (values.size() != sums_[0].size()) throw std::logic_error("ranks add vectors of different length");
    }
    for (std::size_t apart = 1; apart < size; apart *= 2) {
      for (std::size_t r = 0; r + apart < size; r += 2 * apart) {
        for (std::size_t i = 0; i < sums_[0].size(); ++i) sums_[r][i] += sums_[r + apart][i];
      }
    }
  }

  int size_, present_ = 0;
  std::int64_t meetings_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Address, std::deque<std::shared_ptr<Message>>> under_way_;
  std::vector<std::span<double>> sums_;
  std::vector<std::span<std::byte>> bytes_;
  std::exception_ptr error_;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return world_.size(); }
  void send(std::span<const double> from, int to, int tag) override {
    sent_.push_back(world_.post({rank_, to, tag}, from));
  }
  void receive(std::span<double> into, int from, int tag) override { expected_.push_back({{from, rank_, tag}, into}); }
  void wait() override {
    for (const auto& [address, into] : expected_) world_.take(address, into);
    for (const auto& message : sent_) world_.wait_for(*message);
    expected_.clear();
    sent_.clear();
  }
  void sum(std::span<double> values) override { world_.sum(rank_, values); }
  void broadcast(std::span<std::byte> bytes) override { world_.broadcast(rank_, bytes); }

 private:
  ThreadWorld& world_;
  int rank_;
  std::vector<std::shared_ptr<ThreadWorld::Message>> sent_;
  std::vector<std::pair<ThreadWorld::Address, std::span<double>>> expected_;
};

inline void run_ranks(int size, const std::function<void(Exchange&)>& body) {
  ThreadWorld world(size);
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&world, &body, rank] {
        try {
          ThreadExchange exchange(world, rank);
          body(exchange);
        } catch (...) {
          world.give_up(std::current_exception());
        }
      });
    }
  }
  world.rethrow();
}

}  // namespace quasar::test
