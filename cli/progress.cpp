#include "progress.hpp"

#include <fmt/core.h>

#include <cmath>
#include <csignal>
#include <string>

#include "terminal.hpp"

namespace quasar::cli {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(100);
constexpr int bar_width = 24;
constexpr int least_columns = 80;

volatile std::sig_atomic_t signal_arrived = 0;

extern "C" void on_stop_signal(int) { signal_arrived = 1; }

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // a second signal meets the default handler and ends the process
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {  // mpirun hands SIGUSR1 on, and leaves time
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup ignores SIGHUP, and means it
  }
}

bool room_for_bars(std::size_t chains) {
  const TerminalSize size = terminal_size();
  return size.columns >= least_columns && size.rows > static_cast<int>(chains);
}

std::string bar(std::int64_t done, std::int64_t total) {
  const auto filled = static_cast<int>(bar_width * done / total);
  std::string text;
  for (int i = 0; i < bar_width; ++i) text += i < filled ? "█" : "░";
  return text;
}

std::string details(const ChainProgress& chain) {
  const double step_size = chain.step_size.load(std::memory_order_relaxed);
  const std::int64_t divergences = chain.divergences.load(std::memory_order_relaxed);
  std::string text = std::isnan(step_size) ? "" : fmt::format("step {:.3g}", step_size);
  if (divergences > 0) text += fmt::format("  {} divergences", divergences);
  return text;
}

}  // namespace

bool interrupted_by_user() { return signal_arrived != 0; }

ProgressDisplay::ProgressDisplay(std::span<const ChainProgress> chains, const Schedule& schedule, bool quiet,
                                 std::stop_source stop, ProgressWords words)
    : chains_(chains),
      schedule_(schedule),
      words_(words),
      quiet_(quiet),
      bars_(room_for_bars(chains.size())),
      stop_(std::move(stop)),
      began_(chains.size(), Clock::now()),
      quarters_(chains.size(), 0) {
  catch_stop_signals();
  thread_ = std::thread([this] { watch(); });
}

ProgressDisplay::~ProgressDisplay() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (!quiet_) show();
}

void ProgressDisplay::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, poll_interval, [this] { return done_; })) {
    if (!quiet_) show();
    if (interrupted_by_user() && stop_.request_stop() && !quiet_) {
      note("stopping after the iteration under way; again to quit at once\n");
      drawn_ = false;  // the next bars go below that line
    }
  }
}

void ProgressDisplay::show() {
  if (bars_) {
    draw_bars();
  } else {
    print_quarters();
  }
}

void ProgressDisplay::draw_bars() {
  if (drawn_) note("\033[{}A", chains_.size());
  drawn_ = true;
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const std::int64_t done = chains_[i].iterations.load(std::memory_order_relaxed);
    note("\033[2K{} {} {:>{}}/{} {:<8} {:>7}  {}\n", name_of(i), bar(done, schedule_.total()), done,
         std::to_string(schedule_.total()).size(), schedule_.total(), done < schedule_.warmup ? "warm-up" : "sampling",
         time_left(i, done), details(chains_[i]));
  }
}

void ProgressDisplay::print_quarters() {
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const std::int64_t done = chains_[i].iterations.load(std::memory_order_relaxed);
    const std::int64_t quarter = 4 * done / schedule_.total();
    if (quarter <= quarters_[i]) continue;
    quarters_[i] = quarter;
    const std::string name = words_.one.empty() ? "" : fmt::format("{} {}: ", words_.one, i + 1);
    note("{}{}/{} {} ({} %)  {}\n", name, done, schedule_.total(), words_.many, 100 * done / schedule_.total(),
         details(chains_[i]));
  }
}

std::string ProgressDisplay::name_of(std::size_t chain) const {
  return words_.one.empty() ? std::string(words_.many) : fmt::format("{} {:<2}", words_.one, chain + 1);
}

std::string ProgressDisplay::time_left(std::size_t chain, std::int64_t iterations) {
  if (iterations >= schedule_.total()) return "done";
  const std::int64_t made_here = iterations - chains_[chain].resumed_at.load(std::memory_order_relaxed);
  if (made_here == 0) {
    began_[chain] = Clock::now();
    return "waiting";
  }
  const double spent = std::chrono::duration<double>(Clock::now() - began_[chain]).count();
  const double left = spent * static_cast<double>(schedule_.total() - iterations) / static_cast<double>(made_here);
  if (left < 60) return fmt::format("{:.0f} s", left);
  return left < 3600 ? fmt::format("{:.0f} min", left / 60) : fmt::format("{:.1f} h", left / 3600);
}

}  // namespace quasar::cli
