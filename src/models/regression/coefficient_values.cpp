#include "models/regression/coefficient_values.hpp"

#include <string>
#include <vector>

namespace quasar {

namespace {

// use(output, place of its intercept, place of its first column) among the values.
template <class Use>
void each_output(const CoefficientCounts& counts, Use&& use) {
  for (Index k = 0; k < counts.outputs; ++k) use(k, k, counts.intercepts * counts.outputs + k * counts.columns);
}

}  // namespace

CoefficientCounts coefficient_counts(const Design& design, Index outputs) {
  return {design.intercept(), design.coefficients() - design.intercept(), outputs};
}

Layout coefficient_layout(const Design& design, Index outputs) {
  Layout layout = design.layout();
  if (outputs == 1) return layout;
  for (Variable& variable : layout.variables) {
    variable.shape.insert(variable.shape.begin(), outputs);
    variable.dims.insert(variable.dims.begin(), "class");
  }
  const auto& classes = design.classes();
  layout.coords["class"] = std::vector<std::string>(classes.begin() + 1, classes.end());
  return layout;
}

void to_original(const Design& design, In standardized, Index outputs, Out values) {
  if (outputs == 1) {
    design.to_original(standardized, values);
    return;
  }
  const CoefficientCounts counts = coefficient_counts(design, outputs);
  Vec original(counts.of_output());
  each_output(counts, [&](Index k, Index intercept, Index beta) {
    design.to_original(standardized.segment(k * original.size(), original.size()), original);
    values.segment(intercept, counts.intercepts) = original.head(counts.intercepts);
    values.segment(beta, counts.columns) = original.tail(counts.columns);
  });
}

void to_standardized(const Design& design, In values, Index outputs, Out standardized) {
  if (outputs == 1) {
    design.to_standardized(values, standardized);
    return;
  }
  const CoefficientCounts counts = coefficient_counts(design, outputs);
  Vec original(counts.of_output());
  each_output(counts, [&](Index k, Index intercept, Index beta) {
    original.head(counts.intercepts) = values.segment(intercept, counts.intercepts);
    original.tail(counts.columns) = values.segment(beta, counts.columns);
    design.to_standardized(original, standardized.segment(k * original.size(), original.size()));
  });
}

}  // namespace quasar
