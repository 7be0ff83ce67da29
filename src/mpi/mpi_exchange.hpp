// Exchange over MPI. Every operation is made of messages between two ranks that are begun and then waited for: MPI's
// own reductions may add in any order, and its own waiting keeps a core busy for as long as it takes.
#pragma once

#include <mpi.h>

#include <vector>

#include <quasar/exchange.hpp>

namespace quasar {

void check_mpi(int code, const char* act);  // RunError with MPI's own words

class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(MPI_Comm ranks);  // on communicators of its own
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(std::span<const double> from, int to, int tag) override;
  void receive(std::span<double> into, int from, int tag) override;
  void wait() override;
  void progress() override;
  void sum(std::span<double> values) override;
  void broadcast(std::span<std::byte> bytes) override;
  void give_up() override;

 private:
  struct Requests {
    std::vector<MPI_Request> begun;
    std::vector<int> expected;  // bytes of what is received
    void add(int bytes) {
      begun.push_back(MPI_REQUEST_NULL);
      expected.push_back(bytes);
    }
    void clear() {
      begun.clear();
      expected.clear();
    }
  };
  void begin_send(std::span<const std::byte> from, int to, int tag, MPI_Comm ranks, Requests& requests);
  void begin_receive(std::span<std::byte> into, int from, int tag, MPI_Comm ranks, Requests& requests);
  bool all_done(Requests& requests);  // then there are none left. RunError
  void finish(Requests& requests);
  void sum_piece(std::span<double> values);

  MPI_Comm neighbours_ = MPI_COMM_NULL, all_ = MPI_COMM_NULL;  // so that tags of the two uses never meet
  int rank_ = 0, size_ = 1;
  Requests messages_, steps_;  // of send and receive; of a step of a sum or broadcast
  std::vector<MPI_Status> statuses_;
  std::vector<double> arrived_;
};

}  // namespace quasar
