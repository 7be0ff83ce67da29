// A kernel, its adapter and its own fork of the target, run behind the Chain interface.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "core/initial_point.hpp"

namespace quasar {

template <Kernel K, class A>
requires Adapter<A, K>
class KernelChain final : public Chain {
 public:
  KernelChain(std::unique_ptr<Target> target, K kernel, A adapter, const ChainSpec& spec)
      : spec_(spec),
        rng_(spec.seed, static_cast<std::uint64_t>(spec.chain)),
        target_(std::move(target)),
        kernel_(std::move(kernel)),
        adapter_(std::move(adapter)) {
    InitialPoint start = find_initial_point(*target_, spec, rng_.child("initial"));
    x_ = std::move(start.x);
    state_ = kernel_.init(x_, rng_.child("init"));
    unreported_evals_ = start.grad_evals + 1;
    values_.resize(target_->layout().size());
    stats_.resize(stats().size());
  }

  Layout layout() const override { return target_->layout(); }
  std::vector<StatSpec> stats() const override { return stat_specs<typename K::Info>(); }
  int members() const override { return 1; }
  std::int64_t iteration() const override { return iteration_; }
  bool finished() const override { return iteration_ >= spec_.schedule.total(); }

  Tuning tuning() const override {
    const auto& params = kernel_.params();
    Tuning found;
    if constexpr (requires { params.step_size; }) found.step_size = params.step_size;
    if constexpr (requires { params.metric.inverse_metric(x_.size()); }) {
      found.inverse_metric = params.metric.inverse_metric(x_.size());
    }
    return found;
  }

  void run_to(std::int64_t until, Sink& sink, std::stop_token stop) override {
    until = std::min(until, spec_.schedule.total());
    for (; iteration_ < until && !stop.stop_requested(); ++iteration_) advance(sink);
  }

  void save(Writer& out) const override { fields(*this, out); }
  void load(Reader& in) override { fields(*this, in); }

 private:
  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("unreported_evals", self.unreported_evals_);
    visit("x", self.x_);
    visit("params", self.kernel_.params());
    visit("state", self.state_);
    visit("adapter", self.adapter_);
  }

  void advance(Sink& sink) {
    const Rng rng = rng_.at(static_cast<std::uint64_t>(iteration_));
    const std::int64_t warmup = spec_.schedule.warmup;
    const bool in_warmup = iteration_ < warmup;
    if (iteration_ == 0) unreported_evals_ += adapter_.begin(kernel_, x_, state_, rng.child("begin"));
    typename K::Info info = kernel_.step(x_, state_, rng.child("kernel"));
    info.grad_evals += std::exchange(unreported_evals_, 0);
    if (in_warmup) info.grad_evals += adapter_.update(kernel_, x_, state_, info, rng.child("adapter"));
    if (iteration_ + 1 == warmup) adapter_.finish(kernel_, x_, state_);
    if (info.diverged) report_divergence(sink);
    const std::int64_t in_phase = in_warmup ? iteration_ : iteration_ - warmup;
    if (in_phase % spec_.schedule.thin == 0 && (!in_warmup || spec_.save_warmup)) record(info, in_warmup, rng, sink);
    sink.on_step(iteration_, info);
  }

  void record(const typename K::Info& info, bool in_warmup, const Rng& rng, Sink& sink) {
    target_->constrain(x_, values_, rng.child("constrain"));
    fill_stats(info, stats_);
    sink.on_draw(
        {spec_.chain, iteration_, 0, in_warmup, {values_.data(), static_cast<std::size_t>(values_.size())}, stats_});
  }

  void report_divergence(Sink& sink) const {
    if constexpr (requires { state_.diverged_at; }) {
      sink.on_event({spec_.chain, iteration_, "divergence", state_.diverged_at});
    } else {
      sink.on_event({spec_.chain, iteration_, "divergence", x_});
    }
  }

  ChainSpec spec_;
  Rng rng_;
  std::unique_ptr<Target> target_;
  K kernel_;
  A adapter_;
  Vec x_;
  typename K::State state_;
  std::int64_t iteration_ = 0;
  std::int64_t unreported_evals_ = 0;  // spent before the step that will report them
  Vec values_;
  std::vector<double> stats_;
};

}  // namespace quasar
