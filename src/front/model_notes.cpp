#include "front/model_notes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>
#include <quasar/row_sparse_sum.hpp>

namespace quasar {

namespace {

void note_on_whole_gradients(const RunSettings& settings, const FiniteSum& model, std::vector<std::string>& notes) {
  constexpr double much = 1e9;  // of rows times parameters: a second or so
  const auto rows = static_cast<double>(model.terms()), parameters = static_cast<double>(model.dim());
  if (settings.sampler == nullptr || settings.sampler->stochastic || rows * parameters <= much) return;
  if (dynamic_cast<const RowSparseSum*>(&model)) return;  // a term touches few of its parameters
  notes.push_back(fmt::format(
      "every gradient of {} is of all {} rows and {} parameters; --sampler sghmc --batch-size 500 works on minibatches",
      settings.sampler->name, model.terms(), model.dim()));
}

bool are_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const std::string& one) { return parse_real(one).has_value(); });
}

// Counts and measurements that happen to be whole have more values than classes do.
void note_on_classes(const RunSettings& settings, const FiniteSum& model, std::vector<std::string>& notes) {
  constexpr std::size_t many = 20;
  constexpr double rows_of_each = 10;
  const auto output = settings.model_parameters.values().find("output");
  if (output == settings.model_parameters.values().end() || settings.model_parameters.text("output") != "softmax")
    return;
  const Layout layout = model.layout();
  const auto classes = layout.coords.find("class");
  if (classes == layout.coords.end() || !are_numbers(classes->second)) return;
  const std::size_t count = classes->second.size();
  if (count <= many && static_cast<double>(count) * rows_of_each <= static_cast<double>(model.terms())) return;
  notes.push_back(fmt::format(
      "this is a classification with {} classes; model.output=gaussian takes the response as a number", count));
}

}  // namespace

std::vector<std::string> model_notes(const RunSettings& settings, const Target& target) {
  std::vector<std::string> notes;
  if (const auto* model = dynamic_cast<const FiniteSum*>(&target)) {
    note_on_whole_gradients(settings, *model, notes);
    note_on_classes(settings, *model, notes);
  }
  return notes;
}

}  // namespace quasar
