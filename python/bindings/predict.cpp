#include "predict.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "at_the_draws.hpp"
#include "front/predict.hpp"
#include "front/prediction_report.hpp"
#include "front/read_data.hpp"
#include "io/json_text.hpp"
#include "new_rows.hpp"

namespace quasar::python {
namespace {

std::tuple<Texts, Texts, std::string> columns_of(const Run& run, const std::string& what, const Texts& names) {
  (void)fitted_model(run, the_run);  // a model that predicts nothing has no such columns
  const NewColumns columns = columns_of_new_rows(what, names, run.constants);
  return {columns.labels, columns.numbers, columns.response};
}

void require_ratings_of(const Run& run) { require_ratings(fitted_model(run, the_run), run.constants); }

PredictedFile predicted(const Run& run, const PathOrColumns& data, const std::optional<PathOrColumns>& fold_in) {
  const FittedModel model = fitted_model(run, the_run);
  const std::optional<Table> ratings = new_rows(run, "fold_in", fold_in);
  const Table rows = new_rows(run, "data", data);
  const InterpreterUnlocked unlocked;
  return predict_table(model, run.constants, rows, ratings ? &*ratings : nullptr);
}

struct Arrays {  // row after row
  NewArray<double> mean, sd, quantiles;

  explicit Arrays(const Predictor& rows)
      : mean(columns(rows, number_of_means(rows))),
        sd(columns(rows, number_of_means(rows))),
        quantiles(columns(rows, rows.classes().empty() ? 3 : 0)) {}

  void add(const PredictedBlock& block) {
    write(block.mean, block.begin, mean);
    write(block.sd, block.begin, sd);
    write(block.quantiles, block.begin, quantiles);
  }

 private:
  static std::size_t number_of_means(const Predictor& rows) { return std::max<std::size_t>(rows.classes().size(), 1); }
  static NewArray<double> columns(const Predictor& rows, std::size_t count) {
    return new_array<double>({static_cast<std::size_t>(rows.rows()), count});
  }
  static void write(const Mat& from, Index begin, NewArray<double>& to) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(to.data() + begin * from.cols(), from.rows(), from.cols()) = from;
  }
};

NewArray<double> array_of(std::span<const double> numbers) {
  NewArray<double> array = new_array<double>({numbers.size()});
  std::copy(numbers.begin(), numbers.end(), array.data());
  return array;
}

// Mean, sd, quantiles, what was observed (empty: nothing), and what PredictionReport says as JSON.
std::tuple<NewArray<double>, NewArray<double>, NewArray<double>, NewArray<double>, std::string> predict_rows_of(
    const Run& run, const PathOrColumns& data, const std::optional<PathOrColumns>& fold_in, const Settings& given) {
  const PredictionSettings settings = prediction_settings(Config("predict", prediction_params(), given));
  const PredictedFile file = predicted(run, data, fold_in);
  Arrays arrays(*file.rows);
  const NewArray<double> observed = array_of(file.rows->observed());
  nlohmann::ordered_json facts;
  {
    const AtTheDraws at_the_draws;
    const PredictionSummary summary = predict(*run.source, run.layout.size(), *file.rows, settings,
                                              [&](const PredictedBlock& block) { arrays.add(block); });
    const auto* path = std::get_if<std::string>(&data);
    facts =
        PredictionReport{run, *file.rows, summary, path ? *path : "data", given, file.names, path == nullptr}.to_json();
  }
  facts["note"] = file.note;
  facts["labels"] = nlohmann::ordered_json::object();
  facts["row_numbers"] = file.names.numbers;
  for (const LabelColumn& column : file.names.labels) facts["labels"][column.name] = column.labels;
  return {arrays.mean, arrays.sd, arrays.quantiles, observed, as_utf8(facts).dump()};
}

}  // namespace

void add_predict(nb::module_& module) {
  module.def("columns_of_new_rows", columns_of, nb::arg("run"), nb::arg("what"), nb::arg("names"),
             "Columns of labels, columns of numbers, and the one whose values may be missing.");
  module.def("require_ratings", require_ratings_of, nb::arg("run"), "UsageError: the run has none to fold in.");
  module.def("predict", predict_rows_of, nb::arg("run"), nb::arg("data"), nb::arg("fold_in").none(),
             nb::arg("settings"));
}

}  // namespace quasar::python
