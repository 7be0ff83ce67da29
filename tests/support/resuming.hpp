// Chains that are cut and go on: the draws, statistics and gradients of an uninterrupted one, bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <stop_token>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/fields.hpp>

namespace quasar::test {

struct Variant {  // a sampler as a user can have it
  std::string sampler;
  Settings settings;
  std::string name() const {
    std::string text = sampler;
    for (const auto& [key, value] : settings) text += ", " + key + "=" + value;
    return text;
  }
};

struct Collect final : Sink {
  std::vector<double> values, stats;
  std::int64_t steps = 0, gradients = 0;
  std::stop_source* stop_at_100 = nullptr;
  void on_draw(const Draw& draw) override {
    values.insert(values.end(), draw.values.begin(), draw.values.end());
    stats.insert(stats.end(), draw.stats.begin(), draw.stats.end());
  }
  void on_step(std::int64_t, const StepInfo& info) override {
    gradients += info.grad_evals;
    if (++steps == 100 && stop_at_100) stop_at_100->request_stop();
  }
};

// make() gives the chain as if new.
template <class Make>
void expect_resumes_bit_for_bit(const Make& make, std::int64_t total, std::initializer_list<std::int64_t> cuts) {
  Collect whole;
  make()->run_to(total, whole, {});
  for (const std::int64_t cut : cuts) {
    Collect parts;
    const auto first = make(), second = make();
    first->run_to(cut, parts, {});
    Writer out;
    first->save(out);
    Reader in(out.bytes());
    second->load(in);
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(second->iteration(), cut);
    second->run_to(total, parts, {});
    EXPECT_EQ(parts.values, whole.values) << cut;
    EXPECT_EQ(parts.stats, whole.stats) << cut;
    EXPECT_EQ(parts.gradients, whole.gradients) << cut;
  }
}

}  // namespace quasar::test
