// The rows that a network is fitted to, or predicts for.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>

#include "models/network/feed_forward.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/design_blocks.hpp"

namespace quasar {

template <class Real>
struct NetworkData {
  InputRows<Real> inputs;
  Vec response;  // numbers of classes, or numbers of unit variance; NaN where there is none
  std::vector<std::string> input_names, classes;
  Scale scale = {};        // of a response that is a number
  ConstantData kept = {};  // what makes the same of other rows
};

// Numbers that fit a double may be too large for a float.
template <class Real>
void require_finite(const Table& table, const NetworkData<Real>& data, const typename InputRows<Real>::Dense& inputs) {
  const Real* const all = inputs.data();
  const Index at = std::find_if(all, all + inputs.size(), [](Real value) { return !std::isfinite(value); }) - all;
  if (at == inputs.size()) return;
  const std::string& name = data.input_names[static_cast<std::size_t>(at % inputs.cols())];
  const Index column = std::find(table.names.begin(), table.names.end(), name) - table.names.begin();
  throw DataError(location(table, at / inputs.cols(), column) +
                  "the value is too large for what the network calculates with; try model.precision=double");
}

template <class Real>
std::shared_ptr<const NetworkData<Real>> network_data(const Table& table, Design design) {
  auto data = std::make_shared<NetworkData<Real>>();
  typename InputRows<Real>::Dense inputs(design.rows(), design.coefficients());
  data->response.resize(design.rows());
  data->input_names = design.predictors();
  data->classes = design.classes();
  data->scale = design.response_scale();
  data->kept = design.constant_data();
  DesignBlocks blocks(std::make_shared<const Design>(std::move(design)));
  Index row = 0;
  blocks.each_of_range(0, data->response.size(), [&](const auto& x, In y, auto) {
    inputs.middleRows(row, y.size()) = x.template cast<Real>();
    data->response.segment(row, y.size()) = y;
    row += y.size();
  });
  require_finite(table, *data, inputs);
  data->inputs = InputRows<Real>(std::move(inputs));
  return data;
}

}  // namespace quasar
