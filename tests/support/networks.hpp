// Small networks on made-up rows.
#pragma once

#include <memory>
#include <string>

#include <quasar/rng.hpp>

#include "models/network/network.hpp"

namespace quasar::test {

// Normal inputs; classes in turn, or normal responses.
template <class Real>
std::shared_ptr<NetworkData<Real>> made_up_rows(const NetworkShape& shape, Index rows) {
  auto data = std::make_shared<NetworkData<Real>>();
  Mat inputs(shape.inputs(), rows);
  Rng(5).stream("inputs").normals(inputs.reshaped());
  data->inputs = InputRows<Real>(inputs.transpose().cast<Real>());
  data->response.resize(rows);
  if (shape.output == Output::gaussian) {
    Rng(5).stream("response").normals(data->response);
  } else {
    for (Index i = 0; i < rows; ++i) data->response[i] = static_cast<double>(i % shape.outputs());
    for (Index i = 0; i < shape.outputs(); ++i) data->classes.push_back(std::string("c").append(std::to_string(i)));
  }
  for (Index i = 0; i < shape.inputs(); ++i) data->input_names.push_back(std::string("x").append(std::to_string(i)));
  return data;
}

template <class Real>
Network<Real> made_up_network(const NetworkShape& shape, Index rows, GammaPrior prior = {}) {
  return {made_up_rows<Real>(shape, rows), shape, prior};
}

}  // namespace quasar::test
