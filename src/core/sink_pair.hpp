// One chain, two sinks.
#pragma once

#include <quasar/chain.hpp>

namespace quasar {

class SinkPair final : public Sink {
 public:
  SinkPair(Sink& first, Sink& second) : first_(first), second_(second) {}
  void on_draw(const Draw& draw) override {
    first_.on_draw(draw);
    second_.on_draw(draw);
  }
  void on_step(std::int64_t iteration, const StepInfo& info) override {
    first_.on_step(iteration, info);
    second_.on_step(iteration, info);
  }
  void on_event(const Event& event) override {
    first_.on_event(event);
    second_.on_event(event);
  }
  void on_end(bool stopped_early) override {
    first_.on_end(stopped_early);
    second_.on_end(stopped_early);
  }

 private:
  Sink &first_, &second_;
};

}  // namespace quasar
