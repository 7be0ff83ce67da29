#include "predict/held_out.hpp"

#include <algorithm>
#include <utility>

namespace quasar {
namespace {

constexpr const char *row_axis = "row", *class_axis = "class", *unpredicted = "unpredicted";

double error_of(const Scores& scores) { return std::isnan(scores.error) ? scores.rmse : scores.error; }

void append(ConstantData& data, Variable variable,
            const Mat& values) {  // in the order of files, the last index fastest
  const Index before = data.values.size();
  data.values.conservativeResize(before + values.size());
  data.values.tail(values.size()) = values.transpose().reshaped();
  data.layout.variables.push_back(std::move(variable));
}

Vec as_vector(const std::vector<Index>& numbers) {
  return Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>>(numbers.data(), std::ssize(numbers)).cast<double>();
}

ConstantData predictions_of(const HeldOutRows& rows, const RowAverages& averages) {
  const bool numbers = rows.classes.empty();
  const auto count = std::ssize(rows.observed), classes = std::ssize(rows.classes);
  ConstantData out;
  const auto by_class = [&](const char* name) {
    return numbers ? Variable{name, {count}, {row_axis}} : Variable{name, {count, classes}, {row_axis, class_axis}};
  };
  if (!numbers) out.layout.coords[class_axis] = rows.classes;
  append(out, by_class(numbers ? "mean" : "probability"), averages.mean());
  append(out, by_class(numbers ? "sd" : "probability_sd"), averages.sd());
  append(out, {"observed", {count}, {row_axis}}, Eigen::Map<const Vec>(rows.observed.data(), count));
  if (!rows.numbers.empty()) append(out, {"row_number", {count}, {row_axis}}, as_vector(rows.numbers));
  append(out, {"log_density", {count}, {row_axis}}, averages.log_density());
  if (numbers) {
    append(out, {"below", {count}, {row_axis}}, averages.below());
    append(out, {"not_above", {count}, {row_axis}}, averages.not_above());
  }
  append(out, {"draws", {}, {}}, Vec::Constant(1, static_cast<double>(averages.draws())));
  Scorer scorer;
  averages.score(scorer);
  const Scores scores = scorer.result();
  append(out, {unpredicted, {}, {}}, Vec::Constant(1, static_cast<double>(scores.unpredicted)));
  for_each_score(scores, [&](std::string_view name, double value) {
    append(out, {std::string(name), {}, {}}, Vec::Constant(1, value));
  });
  return out;
}

ConstantData trace_of(bool numbers, const std::vector<std::vector<double>>& traces) {
  const auto shortest =
      std::min_element(traces.begin(), traces.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const Index chains = std::ssize(traces), draws = std::ssize(*shortest) / TraceEntry::size;
  ConstantData out;
  Index column = 0;
  const TraceEntry names_only;
  TraceEntry::fields(names_only, [&](std::string_view name, double) {
    Mat values(chains, draws);
    for (Index c = 0; c < chains; ++c) {
      const double* numbers_of = traces[static_cast<std::size_t>(c)].data();
      for (Index d = 0; d < draws; ++d) values(c, d) = numbers_of[d * TraceEntry::size + column];
    }
    std::string shown(name);
    if (numbers && shown.ends_with("error")) shown.replace(shown.size() - 5, 5, "rmse");
    append(out, {shown, {chains, draws}, {"chain", "draw"}}, values);
    ++column;
  });
  return out;
}

}  // namespace

HeldOutRows::HeldOutRows(const Predictor& predictor, std::span<const Index> row_numbers)
    : classes(predictor.classes().begin(), predictor.classes().end()),
      observed(predictor.observed().begin(), predictor.observed().end()),
      numbers(row_numbers.begin(), row_numbers.end()) {}

HeldOutSink::HeldOutSink(std::unique_ptr<Predictor> predictor, const Rng& rng, Outside outside)
    : average_(std::move(predictor)), rng_(rng.child("held_out")), outside_(std::move(outside)) {}

void HeldOutSink::on_draw(const Draw& draw) {
  if (draw.warmup) return;
  average_.add(
      draw.values,
      rng_.child("member", static_cast<std::uint64_t>(draw.member)).at(static_cast<std::uint64_t>(draw.iteration)));
  drawn_ = true;
}

void HeldOutSink::on_step(std::int64_t iteration, const StepInfo& info) {
  passes_ += info.data_passes;
  if (!std::exchange(drawn_, false)) return;
  const Scores so_far = average_.scores(), alone = average_.last();
  outside_.keep({static_cast<double>(iteration), passes_, outside_.seconds(), error_of(so_far), so_far.log_score,
                 error_of(alone), alone.log_score});
}

SavedHeldOut::SavedHeldOut(const HeldOutRows& rows)
    : average{RowAverages(std::ssize(rows.observed), std::ssize(rows.classes), rows.observed)} {}

HeldOutResult held_out_result(const HeldOutRows& rows, std::span<const SavedHeldOut> chains,
                              const std::vector<std::vector<double>>& traces) {
  RowAverages all = chains.front().average.rows;
  for (const SavedHeldOut& chain : chains.subspan(1)) all.merge(chain.average.rows);
  if (all.draws() == 0) return {};
  return {predictions_of(rows, all), trace_of(rows.classes.empty(), traces)};
}

Scores scores_of(const ConstantData& predictions) {
  Scores scores;
  Index begin = 0;
  for (const Variable& variable : predictions.layout.variables) {
    const auto values = predictions.values.segment(begin, variable.size());
    if (variable.name == "observed") scores.rows = (!values.array().isNaN()).count();
    if (variable.name == unpredicted && variable.shape.empty() && values[0] > 0) {
      scores.unpredicted = static_cast<Index>(std::min(values[0], static_cast<double>(scores.rows)));
    }
    Scores::fields(scores, [&](std::string_view name, double& value) {
      if (name == variable.name && variable.shape.empty()) value = values[0];
    });
    begin += variable.size();
  }
  return scores;
}

}  // namespace quasar
