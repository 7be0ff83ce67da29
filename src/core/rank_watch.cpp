#include "core/rank_watch.hpp"

#include <exception>
#include <vector>

namespace quasar {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);
constexpr std::size_t flags = 2, per_chain = 4;

void put(const ChainProgress& chain, double* out) {
  out[0] = static_cast<double>(chain.iterations.load(std::memory_order_relaxed));
  out[1] = static_cast<double>(chain.divergences.load(std::memory_order_relaxed));
  out[2] = static_cast<double>(chain.resumed_at.load(std::memory_order_relaxed));
  out[3] = chain.step_size.load(std::memory_order_relaxed);
}

void take_progress(const double* in, ChainProgress& chain) {
  chain.resumed_at = static_cast<std::int64_t>(in[2]);
  chain.iterations = static_cast<std::int64_t>(in[0]);
  chain.divergences = static_cast<std::int64_t>(in[1]);
  chain.step_size = in[3];
}

}  // namespace

RankWatch::RankWatch(Exchange& exchange, std::span<ChainProgress> progress, std::stop_token stop)
    : exchange_(exchange), progress_(progress), stop_(std::move(stop)), errors_before_(std::uncaught_exceptions()) {
  tell();  // who is asked to stop by now does not begin
  thread_ = std::jthread([this] { watch(); });
}

RankWatch::~RankWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failed_ = std::uncaught_exceptions() > errors_before_;
  }
  wake_.notify_one();
}

// What the exchange itself throws is seen again by whoever uses it next.
void RankWatch::watch() {
  try {
    do {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, interval, [this] { return ended_; });
    } while (tell());
  } catch (const std::exception&) {
    exchange_.broken = true;
    all_stop_.request_stop();
  }
}

bool RankWatch::is_here(std::size_t chain) const {
  return static_cast<int>(chain % static_cast<std::size_t>(exchange_.size())) == exchange_.rank();
}

bool RankWatch::tell() {
  std::vector<double> said(flags + per_chain * progress_.size());
  {
    const std::lock_guard lock(mutex_);
    said[0] = ended_ ? 1 : 0;
    said[1] = failed_ || stop_.stop_requested() ? 1 : 0;
  }
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    if (is_here(i)) put(progress_[i], &said[flags + per_chain * i]);
  }
  exchange_.sum(said);
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    if (!is_here(i)) take_progress(&said[flags + per_chain * i], progress_[i]);
  }
  if (said[1] > 0) all_stop_.request_stop();
  return said[0] < exchange_.size();
}

}  // namespace quasar
