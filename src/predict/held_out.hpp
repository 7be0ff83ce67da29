// Predictions for rows that are not fitted, made while a chain runs: the average over its draws, and how it gets better
// with passes over the data and with time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/predict.hpp>
#include <quasar/rng.hpp>
#include <quasar/run_data.hpp>

#include "predict/predictive_average.hpp"

namespace quasar {

struct HeldOutRows {                 // what is predicted
  std::vector<std::string> classes;  // empty: numbers
  std::vector<double> observed;      // NaN: not known
  std::vector<Index> numbers;        // as Table has them; empty: no row was left out
  explicit HeldOutRows(const Predictor& predictor, std::span<const Index> row_numbers = {});
  HeldOutRows() = default;
};

struct TraceEntry {  // after a draw; error: the share of wrong classes, or the RMSE
  double iteration = 0, passes = 0, seconds = 0;
  double error = 0, log_score = 0;            // of the average so far
  double draw_error = 0, draw_log_score = 0;  // of this draw alone
  static constexpr Index size = 7;
  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration);
    visit("passes", self.passes);
    visit("seconds", self.seconds);
    visit("error", self.error);
    visit("log_score", self.log_score);
    visit("draw_error", self.draw_error);
    visit("draw_log_score", self.draw_log_score);
  }
};

class HeldOutSink final : public Sink {
 public:
  struct Outside {                    // what the chain does not know
    std::function<double()> seconds;  // since the run began
    std::function<void(const TraceEntry&)> keep;
  };
  HeldOutSink(std::unique_ptr<Predictor> predictor, const Rng& rng, Outside outside);

  void on_draw(const Draw& draw) override;
  void on_step(std::int64_t iteration, const StepInfo& info) override;
  const PredictiveAverage& average() const { return average_; }

  static void fields(auto& self, auto&& visit) {
    visit("passes", self.passes_);
    visit("average", self.average_);
  }

 private:
  PredictiveAverage average_;
  Rng rng_;
  Outside outside_;
  double passes_ = 0;
  bool drawn_ = false;  // in this step
};

// What a sink has saved, without the model that predicts.
struct SavedHeldOut {
  double passes = 0;
  struct Average {
    RowAverages rows;
    static void fields(auto& self, auto&& visit) { visit("averages", self.rows); }
  } average;
  explicit SavedHeldOut(const HeldOutRows& rows);
  static void fields(auto& self, auto&& visit) {
    visit("passes", self.passes);
    visit("average", self.average);
  }
};

// Of all chains: averages are merged, traces (entries of TraceEntry::size numbers) cut to the shortest. Before the
// first draw there is nothing.
HeldOutResult held_out_result(const HeldOutRows& rows, std::span<const SavedHeldOut> chains,
                              const std::vector<std::vector<double>>& traces);

Scores scores_of(const ConstantData& predictions);

}  // namespace quasar
