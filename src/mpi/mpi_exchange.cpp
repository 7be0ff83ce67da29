#include "mpi/mpi_exchange.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <string>
#include <thread>

#include <quasar/errors.hpp>

#include "core/timed.hpp"

namespace quasar {
namespace {

// A count is an int, and transports have their own limits well below 2^31 bytes.
constexpr std::size_t longest_message = std::size_t{1} << 28;
constexpr int sends_nothing_back = -1;

// At once where the other rank is as fast; then leaving the core to it, should it share this one; then asleep, since
// whoever is later than that is busy with something long.
template <class Done>
void wait_patiently(Done&& done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds eager(50), awake(2000);
  const auto began = Clock::now();
  while (!done()) {
    const auto waited = Clock::now() - began;
    if (waited > awake) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    } else if (waited > eager) {
      sched_yield();
    }
  }
}

MPI_Comm copy_of(MPI_Comm ranks) {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(ranks, &copy), "set up its ranks");
  check_mpi(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "set up its ranks");
  return copy;
}

template <class Bytes>
void in_pieces(Bytes bytes, const auto& each) {
  do {
    const std::size_t length = std::min(bytes.size(), longest_message);
    each(bytes.first(length));
    bytes = bytes.subspan(length);
  } while (!bytes.empty());
}

}  // namespace

void check_mpi(int code, const char* act) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RunError(fmt::format("MPI could not {}: {}", act, text.substr(0, static_cast<std::size_t>(length))));
}

MpiExchange::MpiExchange(MPI_Comm ranks) : neighbours_(copy_of(ranks)), all_(copy_of(ranks)) {
  MPI_Comm_rank(ranks, &rank_);
  MPI_Comm_size(ranks, &size_);
}

MpiExchange::~MpiExchange() {
  if (broken) return;  // to free is to wait for the others
  MPI_Comm_free(&neighbours_);
  MPI_Comm_free(&all_);
}

void MpiExchange::begin_send(std::span<const std::byte> from, int to, int tag, MPI_Comm ranks, Requests& requests) {
  const Timed timed(times.communication);
  in_pieces(from, [&](std::span<const std::byte> piece) {
    requests.add(sends_nothing_back);
    check_mpi(MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, tag, ranks, &requests.begun.back()),
              "send to another rank");
  });
}

void MpiExchange::begin_receive(std::span<std::byte> into, int from, int tag, MPI_Comm ranks, Requests& requests) {
  const Timed timed(times.communication);
  in_pieces(into, [&](std::span<std::byte> piece) {
    requests.add(static_cast<int>(piece.size()));
    check_mpi(
        MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, tag, ranks, &requests.begun.back()),
        "receive from another rank");
  });
}

// MPI itself takes a message that is shorter than the memory for it without a word.
bool MpiExchange::all_done(Requests& requests) {
  int done = 0;
  statuses_.resize(requests.begun.size());
  check_mpi(MPI_Testall(static_cast<int>(requests.begun.size()), requests.begun.data(), &done, statuses_.data()),
            "exchange messages with other ranks");
  if (done == 0) return false;
  for (std::size_t i = 0; i < statuses_.size(); ++i) {
    const int expected = requests.expected[i];
    int arrived = 0;
    if (expected == sends_nothing_back) continue;
    check_mpi(MPI_Get_count(&statuses_[i], MPI_BYTE, &arrived), "tell how long a message is");
    if (arrived != expected) {
      throw RunError(
          fmt::format("rank {} has sent {} bytes where {} were expected", statuses_[i].MPI_SOURCE, arrived, expected));
    }
  }
  requests.clear();
  return true;
}

void MpiExchange::finish(Requests& requests) {
  const auto done_at_once = [&] {
    const Timed timed(times.communication);
    return all_done(requests);
  };
  if (requests.begun.empty() || done_at_once()) return;
  const Timed timed(times.waiting);
  wait_patiently([&] { return all_done(requests); });
}

void MpiExchange::progress() {
  if (messages_.begun.empty()) return;
  const Timed timed(times.communication);
  all_done(messages_);
}

// Where all ranks fail alike each has begun what the others wait for, and in a moment all of it has arrived. What has
// not by then never will: the other rank failed before it began.
void MpiExchange::give_up() {
  constexpr auto patience = std::chrono::milliseconds(500);
  const auto began = std::chrono::steady_clock::now();
  for (Requests* requests : {&messages_, &steps_}) {
    int done = 0;
    do {
      if (MPI_Testall(static_cast<int>(requests->begun.size()), requests->begun.data(), &done, MPI_STATUSES_IGNORE) !=
          MPI_SUCCESS) {
        break;
      }
      sched_yield();
    } while (done == 0 && std::chrono::steady_clock::now() - began < patience);
    for (MPI_Request& request : requests->begun) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    requests->clear();
  }
}

void MpiExchange::send(std::span<const double> from, int to, int tag) {
  begin_send(std::as_bytes(from), to, tag, neighbours_, messages_);
}

void MpiExchange::receive(std::span<double> into, int from, int tag) {
  begin_receive(std::as_writable_bytes(into), from, tag, neighbours_, messages_);
}

void MpiExchange::wait() { finish(messages_); }

// In pieces, so that what arrives needs little memory beside.
void MpiExchange::sum(std::span<double> values) {
  constexpr std::size_t longest_piece = std::size_t{1} << 17;
  while (values.size() > longest_piece) {
    sum_piece(values.first(longest_piece));
    values = values.subspan(longest_piece);
  }
  sum_piece(values);
}

// Up the tree: a rank that is an odd multiple of `apart` hands its sum to the even one before it and is done.
void MpiExchange::sum_piece(std::span<double> values) {
  if (arrived_.size() < values.size()) arrived_.resize(values.size());
  const std::span<double> arrived(arrived_.data(), values.size());
  for (int apart = 1; apart < size_; apart *= 2) {
    if (rank_ & apart) {
      begin_send(std::as_bytes(values), rank_ - apart, 0, all_, steps_);
      finish(steps_);
      break;
    }
    if (rank_ + apart >= size_) continue;
    begin_receive(std::as_writable_bytes(arrived), rank_ + apart, 0, all_, steps_);
    finish(steps_);
    const Timed timed(times.communication);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += arrived[i];
  }
  broadcast(std::as_writable_bytes(values));
}

// Down the same tree.
void MpiExchange::broadcast(std::span<std::byte> bytes) {
  int apart = rank_ == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size_))) : rank_ & -rank_;
  if (rank_ != 0) {
    begin_receive(bytes, rank_ - apart, 0, all_, steps_);
    finish(steps_);
  }
  for (apart /= 2; apart > 0; apart /= 2) {
    if (rank_ + apart < size_) begin_send(bytes, rank_ + apart, 0, all_, steps_);
  }
  finish(steps_);
}

}  // namespace quasar
