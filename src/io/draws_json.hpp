// A run as one JSON object, in the shape that ArviZ's from_dict and from_json take:
//
//   posterior, sample_stats            {"theta": [chain][draw][its own axes]}; likewise warmup_posterior and
//                                      warmup_sample_stats
//   constant_data                      {"predictor_mean": [...]}
//   tuning                             {"step_size": [chain], "inverse_metric": [chain][...]}
//   posterior_moments                  {"theta": [chain][mean, sd][its own axes], "draw_count": [chain]}
//   predictions, held_out_trace        {"mean": [row]}, {"rmse": [chain][draw]}
//   dims, coords                       {"beta": ["predictor"]}, {"predictor": ["age", "sex"]}; chain, draw and moment
//                                      stand before them
//   attrs                              the attributes of the run file
//
// Truth values are true and false; what is not finite is null.
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/layout.hpp>
#include <quasar/run_data.hpp>

#include "io/text_output.hpp"

namespace quasar {

nlohmann::ordered_json header_json(const RunHeader& run, const Layout& layout);  // everything but the draws
nlohmann::ordered_json metric_json(const Mat& inverse_metric);  // [coordinate] or [coordinate][coordinate]

void write_draws_json(const Run& run, const Selection& selection, TextOutput& out);

}  // namespace quasar
