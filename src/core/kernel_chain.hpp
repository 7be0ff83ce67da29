// A kernel, its adapter and its own fork of the target, run behind the Chain interface.
//
// A kernel with members() is an ensemble: a step moves one of them in turn and leaves its position in x, an iteration
// moves each once. Each has its own row of draws, and unless one point is given its own start.
//
// Between steps the chain draws what the target can draw exactly (core/gibbs.hpp). It does so after a draw has been
// recorded: until then the statistics of the step belong to x.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "core/gibbs.hpp"
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
        adapter_(std::move(adapter)),
        starts_(find_starts()),
        x_(starts_.front()),
        state_(state_at_starts()),
        gibbs_(*target_, members()) {
    starts_.clear();
    values_.resize(target_->layout().size());
    stats_.resize(stats().size());
  }

  Layout layout() const override { return target_->layout(); }
  std::vector<StatSpec> stats() const override {
    std::vector<StatSpec> specs = stat_specs<typename K::Info>();
    for (Index i = 1; i <= traced_masses(); ++i) specs.push_back({fmt::format("mass_{}", i), StatSpec::real});
    return specs;
  }
  int members() const override {
    if constexpr (is_ensemble) {
      return kernel_.members();
    } else {
      return 1;
    }
  }
  std::int64_t iteration() const override { return iteration_; }
  bool finished() const override { return iteration_ >= spec_.schedule.total(); }

  Tuning tuning() const override {
    const auto& params = kernel_.params();
    Tuning found;
    if constexpr (requires { params.step_size; }) found.step_size = params.step_size;
    if constexpr (requires { params.step.size; }) found.step_size = params.step.size;
    if constexpr (requires { params.metric.inverse_metric(moving_block(*target_).size); }) {
      found.inverse_metric = params.metric.inverse_metric(moving_block(*target_).size);
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
  static constexpr bool is_ensemble = requires(const K& k) { k.members(); };
  static constexpr bool learns_mass = requires(const typename K::State& s) { s.mass(0); };
  static constexpr bool counts_its_start = [] {
    if constexpr (requires { K::counts_its_start; }) return K::counts_its_start;
    return false;
  }();

  // The diagonal of a mass that changes from draw to draw is a statistic for each coordinate, unless they are many.
  Index traced_masses() const {
    constexpr Index most = 100;
    return learns_mass && target_->dim() <= most ? target_->dim() : 0;
  }

  std::vector<Vec> find_starts() {  // one per member
    std::vector<Vec> starts;
    for (int member = 0; member < members(); ++member) {
      const Rng rng = rng_.child("initial", static_cast<std::uint64_t>(member));
      InitialPoint start = find_initial_point(*target_, spec_, rng);
      unreported_evals_ += start.grad_evals + (counts_its_start ? 0 : 1);  // init evaluates it again
      starts.push_back(std::move(start.x));
    }
    return starts;
  }

  typename K::State state_at_starts() const {
    if constexpr (is_ensemble) {
      return kernel_.init(starts_, rng_.child("init"));
    } else {
      return kernel_.init(starts_.front(), rng_.child("init"));
    }
  }

  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("unreported_evals", self.unreported_evals_);
    visit("x", self.x_);
    visit("params", self.kernel_.params());
    visit("state", self.state_);
    visit("adapter", self.adapter_);
    visit("gibbs", self.gibbs_);
  }

  void advance(Sink& sink) {
    const Rng rng = rng_.at(static_cast<std::uint64_t>(iteration_));
    if (iteration_ == 0) unreported_evals_ += adapter_.begin(kernel_, x_, state_, rng.child("begin"));
    for (int member = 0; member < members(); ++member) move(member, rng, sink);
    if (iteration_ + 1 == spec_.schedule.warmup) adapter_.finish(kernel_, x_, state_);
  }

  void move(int member, const Rng& rng, Sink& sink) {
    const auto index = static_cast<std::uint64_t>(member);
    typename K::Info info = kernel_.step(x_, state_, rng.child("kernel", index));
    info.grad_evals += std::exchange(unreported_evals_, 0);
    if (in_warmup()) info.grad_evals += adapter_.update(kernel_, x_, state_, info, rng.child("adapter", index));
    const double fixed_passes = info.data_passes > 0 ? info.data_passes : 1;
    if (info.data_passes == 0) info.data_passes = static_cast<double>(info.grad_evals);
    if (info.diverged) report_divergence(sink);
    const bool recorded = is_recorded(), gibbs_due = gibbs_.count(*target_, member, fixed_passes);
    if (recorded || gibbs_due) catch_up(rng.child("catch up", index));
    if (recorded) record(member, info, rng.child("constrain", index), sink);
    sink.on_step(iteration_, info);
    if (!gibbs_due) return;
    gibbs_.draw_due(*target_, member, x_, rng.child("gibbs", index));
    renew_cache();
  }

  bool is_recorded() const {
    const std::int64_t in_phase = in_warmup() ? iteration_ : iteration_ - spec_.schedule.warmup;
    return in_phase % spec_.schedule.thin == 0 && (!in_warmup() || spec_.save_warmup);
  }

  // A kernel may leave coordinates behind that nobody has looked at.
  void catch_up(const Rng& rng) {
    if constexpr (requires { kernel_.catch_up(x_, state_, rng); }) kernel_.catch_up(x_, state_, rng);
  }

  void renew_cache() {
    kernel_.rebase(x_, state_);
    if (!counts_its_start) ++unreported_evals_;
  }

  bool in_warmup() const { return iteration_ < spec_.schedule.warmup; }

  void record(int member, const typename K::Info& info, const Rng& rng, Sink& sink) {
    target_->constrain(x_, values_, rng);
    fill_stats(info, stats_);
    if constexpr (learns_mass) {
      const Index traced = traced_masses();
      for (Index i = 0; i < traced; ++i) stats_[stats_.size() - static_cast<std::size_t>(traced - i)] = state_.mass(i);
    }
    sink.on_draw({spec_.chain,
                  iteration_,
                  member,
                  in_warmup(),
                  {values_.data(), static_cast<std::size_t>(values_.size())},
                  stats_});
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
  std::int64_t iteration_ = 0;
  std::int64_t unreported_evals_ = 0;  // spent before the step that will report them
  std::vector<Vec> starts_;            // until the state has been made of them
  Vec x_;
  typename K::State state_;
  Gibbs gibbs_;
  Vec values_;
  std::vector<double> stats_;
};

}  // namespace quasar
