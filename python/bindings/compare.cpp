#include "compare.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "at_the_draws.hpp"
#include "compare/comparison_page.hpp"
#include "compare/comparison_report.hpp"
#include "io/json_text.hpp"

namespace nb = nanobind;

namespace quasar::python {
namespace {

using RunTuple = std::tuple<std::string, std::string, Run>;  // name, file, run

// JSON, text and page.
std::tuple<std::string, std::string, std::string> compare(const std::vector<RunTuple>& runs,
                                                          const std::string& reference, bool allow_different,
                                                          std::size_t most_differences) {
  const AtTheDraws at_the_draws;
  std::vector<NamedRun> named;
  for (const auto& [name, file, run] : runs) named.push_back({name, file, run});
  const Comparison comparison = compare_runs(named, {reference, allow_different});
  return {as_utf8(to_json(comparison)).dump(), text_of(comparison, most_differences), page_of(comparison)};
}

}  // namespace

void add_compare(nb::module_& module) {
  module.def("compare", compare, nb::arg("runs"), nb::arg("reference"), nb::arg("allow_different"),
             nb::arg("most_differences"));
}

}  // namespace quasar::python
