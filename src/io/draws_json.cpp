#include "io/draws_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "io/draw_rows.hpp"
#include "io/json_text.hpp"
#include "io/moments_group.hpp"
#include "io/run_file_format.hpp"
#include "io/run_json.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using run_format::Column;

void append_number(std::string& text, double number, StatSpec::Type type) {
  if (!std::isfinite(number)) {
    text += "null";
  } else if (type == StatSpec::boolean && (number == 0 || number == 1)) {
    text += number == 1 ? "true" : "false";
  } else {
    fmt::format_to(std::back_inserter(text), "{}", number);
  }
}

struct NestedNumbers {  // the last index fastest
  std::span<const Index> shape;
  std::span<const double> numbers;
  StatSpec::Type type = StatSpec::real;

  void append_to(std::string& text) const {
    if (shape.empty()) {
      append_number(text, numbers.front(), type);
      return;
    }
    const auto rows = static_cast<std::size_t>(shape.front());
    const std::size_t row_size = rows == 0 ? 0 : numbers.size() / rows;
    text += '[';
    for (std::size_t i = 0; i < rows; ++i) {
      if (i > 0) text += ',';
      NestedNumbers{shape.subspan(1), numbers.subspan(i * row_size, row_size), type}.append_to(text);
    }
    text += ']';
  }
};

void write_variable(const DrawSource& source, Phase phase, Part part, const Column& column, TextOutput& out) {
  std::string text;
  out.print("{}: [", Json(column.variable.name).dump());
  for (Index chain = 0; chain < source.chains(); ++chain) {
    DrawRows rows(source, phase, chain, {part, column.begin, column.variable.size()});
    out.write(chain > 0 ? ",\n[" : "\n[");
    for (Index draw = 0; draw < rows.size(); ++draw) {
      if (draw > 0) out.write(",");
      text.clear();
      NestedNumbers{column.variable.shape, rows.next(), column.type}.append_to(text);
      out.write(text);
    }
    out.write("]");
  }
  out.write("]");
}

// Where the selected variables stand in a draw of the whole layout.
std::vector<Column> selected_columns(const Selection& selection) {
  auto columns = run_format::columns_of(selection.layout);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].begin = selection.begins[i];
  return columns;
}

void write_group(const std::string& name, const DrawSource& source, Phase phase, Part part,
                 const std::vector<Column>& columns, TextOutput& out) {
  out.print("\"{}{}\": {{", phase == Phase::warmup ? run_format::warmup_prefix : "", name);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out.write(i > 0 ? ",\n" : "\n");
    write_variable(source, phase, part, columns[i], out);
  }
  out.write("\n},\n");
}

void add_dimensions(const Layout& layout, Json& dims, Json& coords) {
  for (const Variable& variable : layout.variables) {
    if (!variable.dims.empty()) dims[variable.name] = variable.dims;
  }
  for (const auto& [dimension, labels] : layout.coords) coords[dimension] = labels;
}

Json to_json(const NestedNumbers& numbers) {
  std::string text;
  numbers.append_to(text);
  return Json::parse(text);
}

Json constants_json(const ConstantData& constants) {
  Json json = Json::object();
  const std::span<const double> values(constants.values.data(), static_cast<std::size_t>(constants.values.size()));
  for (const Column& column : run_format::columns_of(constants.layout)) {
    const auto size = static_cast<std::size_t>(column.variable.size());
    json[column.variable.name] =
        to_json({column.variable.shape, values.subspan(static_cast<std::size_t>(column.begin), size)});
  }
  return json;
}

Json tuning_json(const std::vector<Tuning>& chains) {
  Json step_sizes = Json::array(), metrics = Json::array();
  for (const Tuning& one : chains) {
    step_sizes.push_back(one.step_size);
    metrics.push_back(metric_json(one.inverse_metric));
  }
  return {{"step_size", step_sizes}, {"inverse_metric", metrics}};
}

}  // namespace

Json metric_json(const Mat& metric) {
  const std::span<const double> numbers(metric.data(), static_cast<std::size_t>(metric.size()));
  std::vector<Index> shape = {metric.rows()};
  if (metric.cols() > 1) shape.push_back(metric.cols());  // symmetric: the order of the indices does not matter
  return to_json({shape, numbers});
}

Json header_json(const RunHeader& run, const Layout& layout) {
  Json json = {{"attrs", info_json(run.info)}, {"dims", Json::object()}, {"coords", Json::object()}};
  for (const Layout* one : {&layout, &run.constants.layout, &run.moments.layout, &run.held_out.predictions.layout}) {
    add_dimensions(*one, json["dims"], json["coords"]);
  }
  for (const auto& [name, text] : run.constants.attributes) json["attrs"][name] = text;
  if (run.constants.layout.size() > 0) json["constant_data"] = constants_json(run.constants);
  if (!run.tuning.empty()) json["tuning"] = tuning_json(run.tuning);
  if (!run.moments.chains.empty()) {
    const ConstantData moments = moments_group(run.moments);
    for (const auto& [dimension, labels] : moments.layout.coords) json["coords"][dimension] = labels;
    json[run_format::posterior_moments] = constants_json(moments);
  }
  const auto& [predictions, trace] = run.held_out;
  if (!predictions.layout.variables.empty()) json[run_format::predictions] = constants_json(predictions);
  if (!trace.layout.variables.empty()) json[run_format::held_out_trace] = constants_json(trace);
  return as_utf8(json);
}

void write_draws_json(const Run& run, const Selection& selection, TextOutput& out) {
  const DrawSource& source = *run.source;
  const auto values = selected_columns(selection), stats = run_format::columns_of(run.stats);
  out.write("{\n");
  for (const Phase phase : {Phase::sampling, Phase::warmup}) {
    if (!source.has(phase)) continue;
    write_group(run_format::posterior, source, phase, Part::values, values, out);
    write_group(run_format::sample_stats, source, phase, Part::stats, stats, out);
  }
  const Json header = header_json(run, selection.layout);
  for (auto member = header.begin(); member != header.end(); ++member) {
    out.print("{}{}: {}", member == header.begin() ? "" : ",\n", Json(member.key()).dump(), member.value().dump());
  }
  out.write("\n}\n");
}

}  // namespace quasar
