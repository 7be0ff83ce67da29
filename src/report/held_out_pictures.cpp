#include "report/held_out_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "predict/held_out.hpp"
#include "predict/row_averages.hpp"
#include "report/rounded.hpp"
#include "report/traces.hpp"

namespace quasar::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_points = 300;  // of a curve
constexpr std::size_t calibration_bins = 10;

struct Stored {  // one variable of the file; without numbers: there is none of that name
  std::vector<Index> shape;
  Vec numbers;
};

Stored find(const ConstantData& data, std::string_view name) {
  Index begin = 0;
  for (const Variable& variable : data.layout.variables) {
    if (variable.name == name) return {variable.shape, data.values.segment(begin, variable.size())};
    begin += variable.size();
  }
  return {};
}

// A stored variable (chain, draw), thinned: a list for each chain.
Json by_chain(const Stored& stored, const std::vector<Index>& at) {
  Json chains = Json::array();
  for (Index chain = 0; chain < stored.shape[0]; ++chain) {
    std::vector<double> values;
    for (const Index draw : at) values.push_back(rounded(stored.numbers[chain * stored.shape[1] + draw - 1]));
    chains.push_back(values);
  }
  return chains;
}

std::string label_of_score(std::string_view name) {
  const bool alone = name.starts_with("draw_");
  std::string what(alone ? name.substr(5) : name);
  what = what == "rmse" ? "RMSE" : what == "error" ? "share of wrong classes" : "log score";
  return what + (alone ? " of each draw alone" : " of the average so far");
}

Json curves(const ConstantData& trace) {
  Json all = Json::array();
  for (const std::string name : {"rmse", "error", "log_score", "draw_rmse", "draw_error", "draw_log_score"}) {
    const Stored y = find(trace, name);
    if (y.shape.size() != 2 || y.numbers.size() == 0) continue;
    const std::vector<Index> at = evenly(y.shape[1], most_points);
    for (const std::string x_name : {"seconds", "passes"}) {
      const Stored x = find(trace, x_name);
      if (x.shape != y.shape) continue;
      all.push_back({{"name", name},
                     {"label", label_of_score(name)},
                     {"x_label", x_name == "seconds" ? "seconds" : "passes over the data"},
                     {"x", by_chain(x, at)},
                     {"y", by_chain(y, at)}});
    }
  }
  return all;
}

struct Calibration {
  std::string kind;
  std::vector<double> expected, observed;
  std::vector<Index> count;

  void add(double wanted, double found, Index of) {
    expected.push_back(rounded(wanted));
    observed.push_back(rounded(found));
    count.push_back(of);
  }
  Json json() const {
    if (expected.empty()) return nullptr;
    return {{"kind", kind}, {"expected", expected}, {"observed", observed}, {"count", count}};
  }
};

// The interval of level 1 - 2a holds y where F(y) >= a and F(y-) <= 1 - a, as in the scores.
Calibration coverage(const Vec& below, const Vec& not_above) {
  Calibration calibration{"interval", {}, {}, {}};
  const auto known = !(below.array().isNaN() || not_above.array().isNaN());
  const Index rows = known.count();
  for (int tenths = 1; tenths <= 9 && rows > 0; ++tenths) {
    const double level = 0.1 * tenths, tail = (1 - level) / 2;
    const Index inside = (known && not_above.array() >= tail && below.array() <= 1 - tail).count();
    calibration.add(level, static_cast<double>(inside) / static_cast<double>(rows), rows);
  }
  return calibration;
}

// Files that do not have the place of each observation in its law still have the coverage of two intervals.
Calibration coverage_scores(const Scores& scores) {
  Calibration calibration{"interval", {}, {}, {}};
  if (!std::isnan(scores.coverage_50)) calibration.add(0.5, scores.coverage_50, scores.rows);
  if (!std::isnan(scores.coverage_90)) calibration.add(0.9, scores.coverage_90, scores.rows);
  return calibration;
}

struct Bin {
  double probabilities = 0, observed = 0;
  Index pairs = 0;
};

// Of two classes the second tells all: the first is its mirror image.
Calibration reliability(const Stored& probability, const Vec& observed) {
  std::array<Bin, calibration_bins> all;
  const Index classes = probability.shape[1], first = classes == 2 ? 1 : 0;
  for (Index row = 0; row < probability.shape[0]; ++row) {
    for (Index k = first; k < classes && !std::isnan(observed[row]); ++k) {
      const double p = probability.numbers[row * classes + k];
      if (!(p >= 0 && p <= 1)) continue;
      Bin& bin =
          all[std::min(static_cast<std::size_t>(p * static_cast<double>(calibration_bins)), calibration_bins - 1)];
      bin.probabilities += p;
      bin.observed += observed[row] == static_cast<double>(k) ? 1 : 0;
      ++bin.pairs;
    }
  }
  Calibration calibration{"probability", {}, {}, {}};
  for (const Bin& bin : all) {
    const auto pairs = static_cast<double>(bin.pairs);
    if (bin.pairs > 0) calibration.add(bin.probabilities / pairs, bin.observed / pairs, bin.pairs);
  }
  return calibration;
}

Json calibration_of(const ConstantData& predictions, const Scores& scores) {
  const Stored probability = find(predictions, "probability"), observed = find(predictions, "observed");
  if (probability.shape.size() == 2 && observed.numbers.size() == probability.shape[0]) {
    return reliability(probability, observed.numbers).json();
  }
  const Stored below = find(predictions, "below"), not_above = find(predictions, "not_above");
  const Stored draws = find(predictions, "draws");
  const bool enough = draws.numbers.size() == 1 && draws.numbers[0] >= static_cast<double>(least_draws_of_interval);
  if (enough && below.numbers.size() > 0 && below.shape == not_above.shape) {
    return coverage(below.numbers, not_above.numbers).json();
  }
  return coverage_scores(scores).json();
}

}  // namespace

nlohmann::ordered_json held_out_pictures(const HeldOutResult& held_out) {
  const Scores scores = scores_of(held_out.predictions);
  if (scores.rows == 0) return nullptr;
  Json values = Json::array();
  for_each_score(scores, [&](std::string_view name, double value) { values.push_back({name, value}); });
  return {{"scores", values},
          {"curves", curves(held_out.trace)},
          {"calibration", calibration_of(held_out.predictions, scores)}};
}

}  // namespace quasar::report
