#include "diagnostics.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include <quasar/diagnostics.hpp>

#include "arrays.hpp"

namespace quasar::python {
namespace {

using Statistic = double (*)(DrawsByChain);
using QuantileStatistic = double (*)(DrawsByChain, double);

template <Statistic statistic>
double of_draws(const Matrix& draws) {
  return statistic(transposed(draws));
}

template <QuantileStatistic statistic>
double of_quantile(const Matrix& draws, double probability) {
  if (!(probability >= 0 && probability <= 1)) throw nb::value_error("a probability lies between 0 and 1");
  return statistic(transposed(draws), probability);
}

NewArray<double> autocorrelations(const Vector& chain) {
  const Vec rho = autocorrelation(as_vec(chain));
  NewArray<double> array = new_array<double>({static_cast<std::size_t>(rho.size())});
  std::copy(rho.begin(), rho.end(), array.data());
  return array;
}

std::tuple<double, double, double> stein(const Matrix& points, const Matrix& scores) {
  const SteinDiscrepancy found = kernel_stein_discrepancy(transposed(points), transposed(scores));
  return {found.ksd, found.u_statistic, found.standard_error};
}

}  // namespace

void add_diagnostics(nb::module_& module) {
  module.def("rhat", of_draws<rhat>, nb::arg("draws"));
  module.def("ess_bulk", of_draws<ess_bulk>, nb::arg("draws"));
  module.def("ess_tail", of_draws<ess_tail>, nb::arg("draws"));
  module.def("ess_mean", of_draws<ess_mean>, nb::arg("draws"));
  module.def("ess_quantile", of_quantile<ess_quantile>, nb::arg("draws"), nb::arg("probability"));
  module.def("mcse_mean", of_draws<mcse_mean>, nb::arg("draws"));
  module.def("mcse_sd", of_draws<mcse_sd>, nb::arg("draws"));
  module.def("mcse_quantile", of_quantile<mcse_quantile>, nb::arg("draws"), nb::arg("probability"));
  module.def("autocorrelation", autocorrelations, nb::arg("chain"));
  module.def(
      "ebfmi", [](const Vector& energy) { return ebfmi(as_vec(energy)); }, nb::arg("energy"));
  module.def("kernel_stein_discrepancy", stein, nb::arg("points"), nb::arg("scores"));
}

}  // namespace quasar::python
