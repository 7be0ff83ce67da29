#include "compare.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <tuple>

#include <quasar/errors.hpp>

#include "at_the_draws.hpp"
#include "compare/comparison_page.hpp"
#include "compare/comparison_report.hpp"
#include "io/json_text.hpp"
#include "report/page.hpp"

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

void write(const std::string& path, const std::string& html, bool overwrite) {
  if (!overwrite && std::filesystem::exists(path)) throw UsageError(path + " exists; overwrite=True replaces it");
  write_page(path, html, overwrite ? IfExists::replace : IfExists::fail);
}

}  // namespace

void add_compare(nb::module_& module) {
  module.def("write_page", write, nb::arg("path"), nb::arg("html"), nb::arg("overwrite"));
  module.def("compare", compare, nb::arg("runs"), nb::arg("reference"), nb::arg("allow_different"),
             nb::arg("most_differences"));
}

}  // namespace quasar::python
