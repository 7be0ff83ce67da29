// Which regimes a series goes through, where they change and what comes next: the methods of models/sequences behind
// one door.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quasar/sample.hpp>

#include "front/segment_settings.hpp"
#include "front/segment_windows.hpp"
#include "models/sequences/fitted_hmm.hpp"

namespace quasar {

struct Segment {  // points in one state without a break
  Index sequence, first, last;
  int state;
};

// In the units of the data. States are numbered in the order of their first points; those without any come last.
struct Segmentation {
  FittedHmm model;
  std::vector<Segment> segments;
  std::vector<Forecast> forecasts;  // of each sequence
  std::optional<double> lambda;     // of asymp-hmm
  std::optional<IhmmPenalties> penalties;
  std::vector<TriedPenalties> tried;     // of asymp-ihmm, where penalties were chosen
  std::optional<double> log_likelihood;  // of hmm-em
  std::optional<double> objective;       // J, of the others that have one
  bool converged = true;
  bool standardized = false;   // penalties and J are in units of the columns' standard deviations
  Vec states_probability;      // of ihmm-beam: element k, of k + 1 states
  Vec change_probability;      // likewise: of every point
  std::optional<double> rhat;  // likewise: the larger of that of the number of states and that of log p(x, z)
  std::optional<WindowForecasts> windows;
  double seconds = 0;

  Index states() const { return model.centres.cols(); }
};

// UsageError: the settings do not fit the data. `progress` is that of the chains of ihmm-beam, one entry each.
Segmentation segment(const Sequences& data, const SegmentSettings& settings, std::span<ChainProgress> progress = {});

}  // namespace quasar
