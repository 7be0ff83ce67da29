#include "models/network/make_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "models/network/images.hpp"
#include "models/network/network.hpp"
#include "models/network/network_predictor.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr std::array<Choice, 3> activations{{{"sigmoid"}, {"tanh"}, {"relu"}}};
constexpr std::array<Choice, 2> outputs{{{"softmax"}, {"gaussian"}}};
constexpr std::array<Choice, 4> scalings{{{"auto"}, {"standardize"}, {"raw"}, {"bytes"}}};
constexpr std::array<Choice, 2> precisions{{{"float"}, {"double"}}};

constexpr std::string_view doc_of_weights = "of the Gamma prior of the precision of each group of weights";
constexpr std::string_view doc_of_noise =
    "of the Gamma prior of the noise's precision, for a response of unit variance; output=gaussian";

constexpr ParamSpec positive(std::string_view name, std::string_view doc, std::string_view init) {
  return {
      .name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100, .exclusive_min = true};
}

constexpr ParamSpec own_params[] = {
    {.name = "hidden",
     .doc = "units of the hidden layers, 100 or 100,50; empty: there are none, and the network is a regression; auto: "
            "100 for images, else 10",
     .type = ParamSpec::text,
     .init = "auto"},
    {.name = "activation",
     .doc = "of the hidden units",
     .type = ParamSpec::choice,
     .init = "sigmoid",
     .choices = activations},
    {.name = "output",
     .doc = "softmax: the response is a class; gaussian: it is a number, with normal noise",
     .type = ParamSpec::choice,
     .init = "softmax",
     .choices = outputs},
    {.name = "inputs",
     .doc = "what a network sees of the columns: standardize, raw, bytes (over 256), or auto: bytes of images, all "
            "else standardised",
     .type = ParamSpec::choice,
     .init = "auto",
     .choices = scalings},
    positive("prior_shape", doc_of_weights, "1"),
    positive("prior_rate", doc_of_weights, "1"),
    positive("noise_shape", doc_of_noise, "0.01"),
    positive("noise_rate", doc_of_noise, "0.01"),
    {.name = "precision",
     .doc = "of the numbers inside: float is twice as fast",
     .type = ParamSpec::choice,
     .init = "float",
     .choices = precisions},
};

template <class T>
T chosen_of(const std::string& text, std::initializer_list<std::pair<std::string_view, T>> values) {
  return std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == text; })->second;
}

Scaling scaling_of(const Config& config, const Table& table, const ColumnChoice& columns) {
  const bool automatic = config.text("inputs") == "auto";
  return chosen_of<Scaling>(
      config.text("inputs"),
      {{"auto", automatic && holds_images(table, columns) ? Scaling::bytes : Scaling::standardize},
       {"standardize", Scaling::standardize},
       {"raw", Scaling::raw},
       {"bytes", Scaling::bytes}});
}

Output output_of(const Config& config) {
  return chosen_of<Output>(config.text("output"), {{"softmax", Output::softmax}, {"gaussian", Output::gaussian}});
}

// By the names of the inputs, which are the same where a network is fitted and where it predicts.
std::vector<Index> hidden_units(const Config& config, std::span<const std::string> inputs) {
  constexpr Index for_images = 100, for_tables = 10;
  if (config.text("hidden") == "auto") return {named_as_pixels(inputs) ? for_images : for_tables};
  return parse_widths(config.text("hidden"));
}

template <class Real>
NetworkShape shape_of(const Config& config, const NetworkData<Real>& data) {
  NetworkShape shape{{data.inputs.cols()}, Activation::sigmoid, output_of(config)};
  for (const Index units : hidden_units(config, data.input_names)) shape.widths.push_back(units);
  shape.widths.push_back(shape.output == Output::gaussian ? 1 : std::ssize(data.classes));
  shape.activation =
      chosen_of<Activation>(config.text("activation"),
                            {{"sigmoid", Activation::sigmoid}, {"tanh", Activation::tanh}, {"relu", Activation::relu}});
  return shape;
}

void require_classes(const Table& table, const ColumnChoice& columns) {
  const Index target = columns.target;
  if (table.has_labels(target) || std::ranges::find(columns.categorical, target) != columns.categorical.end()) return;
  const Index row = first_row(table, target, [](double value) { return value != std::floor(value); });
  if (row == table.rows()) return;
  throw DataError(location(table, row, target) +
                  "a class is a label or a whole number; model.output=gaussian fits numbers of any kind");
}

template <class Real>
std::unique_ptr<Target> network_of(const Config& config, const Table& table, Design design) {
  auto data = network_data<Real>(table, std::move(design));
  NetworkShape shape = shape_of(config, *data);
  const GammaPrior prior{config.real("prior_shape"), config.real("prior_rate")};
  const GammaPrior noise_prior{config.real("noise_shape"), config.real("noise_rate")};
  return std::make_unique<Network<Real>>(std::move(data), std::move(shape), prior, noise_prior);
}

template <class Real>
std::unique_ptr<Predictor> predictor_of(const Config& config, const Table& rows, Design design) {
  auto data = network_data<Real>(rows, std::move(design));
  NetworkShape shape = shape_of(config, *data);
  return std::make_unique<NetworkPredictor<Real>>(std::move(data), std::move(shape));
}

}  // namespace

std::span<const ParamSpec> network_params() {
  static const std::vector<ParamSpec> all = [] {
    constexpr std::array<std::string_view, 4> shared{"target", "predictors", "categorical", "missing"};
    std::vector<ParamSpec> params;
    std::ranges::copy_if(regression_params, std::back_inserter(params),
                         [&](const ParamSpec& one) { return std::ranges::find(shared, one.name) != shared.end(); });
    params.insert(params.end(), std::begin(own_params), std::end(own_params));
    return params;
  }();
  return all;
}

std::unique_ptr<Target> make_network(const Config& config, const Table* data) {
  const Table& table = require_table(data, "network");
  hidden_units(config, {});  // what cannot be read, before the data are worked on
  DesignSettings settings = design_settings(config);
  require_rows(table);
  const ColumnChoice columns = choose_columns(table.source, table.names, settings);
  if (output_of(config) == Output::softmax) require_classes(table, columns);
  settings.scaling = scaling_of(config, table, columns);
  settings.intercept = false;  // the biases are
  settings.center = true;
  settings.keep_constant_columns = true;  // the rim of images
  Design design(table, settings, output_of(config) == Output::gaussian ? Response::number : Response::classes);
  return config.text("precision") == "double" ? network_of<double>(config, table, std::move(design))
                                              : network_of<float>(config, table, std::move(design));
}

std::unique_ptr<Predictor> make_network_predictor(const Config& config, const ConstantData& kept, const Table& rows) {
  Design design(kept, rows);
  return config.text("precision") == "double" ? predictor_of<double>(config, rows, std::move(design))
                                              : predictor_of<float>(config, rows, std::move(design));
}

}  // namespace quasar
