#include "segment.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "front/segment.hpp"
#include "front/segment_picture.hpp"
#include "front/segment_report.hpp"
#include "front/series.hpp"
#include "interpreter_lock.hpp"
#include "io/json_text.hpp"
#include "plot/svg.hpp"

namespace quasar::python {
namespace {

using Texts = std::vector<std::string>;

// With what it was made of: pictures and reports are made when they are asked for.
struct Segmented {
  SeriesTable series;
  SegmentSettings settings;
  Segmentation found = {};

  SegmentReport report() const { return {series, settings, found}; }
};

// values: a row for every point, NaN where it is missing; starts: of the sequences; times: of every point, or none.
Segmented segment_points(const Matrix& values, const std::vector<Index>& starts, const Texts& columns,
                         const Texts& categories, const std::string& time_name, const Texts& times,
                         const Settings& given) {
  Segmented result{{.source = "x", .columns = columns, .categories = categories, .data = {transposed(values), starts}},
                   segment_settings(Config("segment", segment_params(), given), given)};
  SeriesTable& series = result.series;
  series.rows.resize(static_cast<std::size_t>(series.data.size()));
  std::iota(series.rows.begin(), series.rows.end(), 1);
  if (starts.size() > 1) {
    series.sequence_column = "sequence";
    for (std::size_t s = 1; s <= starts.size(); ++s) series.sequences.push_back(std::to_string(s));
  }
  series.time_column = time_name;
  series.times = times;
  const InterpreterUnlocked unlocked;
  check_series(series, result.settings.emission);
  result.found = segment(series.data, result.settings);
  return result;
}

NewArray<double> rows_of(const Mat& matrix) {  // its columns, one after another
  auto array = new_array<double>({static_cast<std::size_t>(matrix.cols()), static_cast<std::size_t>(matrix.rows())});
  std::copy_n(matrix.data(), matrix.size(), array.data());
  return array;
}

NewArray<double> array_of(const Vec& vector) {
  auto array = new_array<double>({static_cast<std::size_t>(vector.size())});
  std::copy_n(vector.data(), vector.size(), array.data());
  return array;
}

NewArray<std::int64_t> states_of(const Segmented& segmented) {
  auto array = new_array<std::int64_t>({segmented.found.model.states.size()});
  std::copy(segmented.found.model.states.begin(), segmented.found.model.states.end(), array.data());
  return array;
}

std::string page(const Segmented& segmented) {
  return page_of(picture_of(segmented.series, segmented.settings, segmented.found), segmented.report().text());
}

}  // namespace

void add_segment(nb::module_& module) {
  nb::class_<Segmented>(module, "Segmented")
      .def("json", [](const Segmented& s) { return as_utf8(s.report().to_json()).dump(); })
      .def("text", [](const Segmented& s) { return s.report().text(); })
      .def("svg", [](const Segmented& s) { return svg(picture_of(s.series, s.settings, s.found)); })
      .def("page", page)
      .def("warnings", [](const Segmented& s) { return s.report().warnings(); })
      .def("states", states_of)
      .def("means", [](const Segmented& s) { return rows_of(s.found.model.centres); })
      .def("sds", [](const Segmented& s) { return rows_of(s.found.model.variances.cwiseSqrt()); })
      .def("transition", [](const Segmented& s) { return rows_of(s.found.model.transition.transpose()); })
      .def("states_probability", [](const Segmented& s) { return array_of(s.found.states_probability); })
      .def("change_probability", [](const Segmented& s) { return array_of(s.found.change_probability); })
      .def(
          "forecast_mean",
          [](const Segmented& s, std::size_t sequence) { return rows_of(s.found.forecasts.at(sequence).mean); },
          nb::arg("sequence"))
      .def(
          "forecast_sd",
          [](const Segmented& s, std::size_t sequence) { return rows_of(s.found.forecasts.at(sequence).sd); },
          nb::arg("sequence"));
  module.def("segment", segment_points, nb::arg("values"), nb::arg("starts"), nb::arg("columns"), nb::arg("categories"),
             nb::arg("time_name"), nb::arg("times"), nb::arg("settings"));
}

}  // namespace quasar::python
