#include "gamma_process.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/gamma_process.hpp>
#include <quasar/rng.hpp>

#include "arrays.hpp"

namespace quasar::python {
namespace {

AtomConstruction construction_of(const std::string& name) {
  if (name == "rounds") return AtomConstruction::rounds;
  if (name == "sticks") return AtomConstruction::sticks;
  if (name == "shared-stick") return AtomConstruction::shared_stick;
  throw UsageError("a gamma process is made of 'rounds', 'sticks' or 'shared-stick', not '" + name + "'");
}

std::pair<NewArray<double>, NewArray<std::int64_t>> draw(double alpha, double gamma, double c, Index rounds,
                                                         std::uint64_t seed, const std::string& construction) {
  Stream draws = Rng(seed).stream("gamma process");
  const WeightedAtoms atoms = draw_gamma_process({alpha, gamma, c}, rounds, draws, construction_of(construction));
  NewArray<double> weights = new_array<double>({atoms.round.size()});
  NewArray<std::int64_t> round = new_array<std::int64_t>({atoms.round.size()});
  std::copy(atoms.weights.begin(), atoms.weights.end(), weights.data());
  std::copy(atoms.round.begin(), atoms.round.end(), round.data());
  return {weights, round};
}

}  // namespace

void add_gamma_process(nb::module_& module) {
  module.def("draw_gamma_process", draw, nb::arg("alpha"), nb::arg("gamma"), nb::arg("c"), nb::arg("rounds"),
             nb::arg("seed"), nb::arg("construction"));
  const auto of_rounds = [&](const char* name, double (*function)(const GammaProcess&, double, Index)) {
    module.def(
        name,
        [function](double alpha, double gamma, double c, double draws, Index rounds) {
          return function({alpha, gamma, c}, draws, rounds);
        },
        nb::arg("alpha"), nb::arg("gamma"), nb::arg("c"), nb::arg("draws"), nb::arg("rounds"));
  };
  const auto of_error = [&](const char* name, Index (*function)(const GammaProcess&, double, double)) {
    module.def(
        name,
        [function](double alpha, double gamma, double c, double draws, double error) {
          return function({alpha, gamma, c}, draws, error);
        },
        nb::arg("alpha"), nb::arg("gamma"), nb::arg("c"), nb::arg("draws"), nb::arg("error"));
  };
  of_rounds("truncation_error", truncation_error);
  of_rounds("truncation_bound", truncation_bound);
  of_error("rounds_for_error", rounds_for_error);
  of_error("rounds_for_bound", rounds_for_bound);
}

}  // namespace quasar::python
