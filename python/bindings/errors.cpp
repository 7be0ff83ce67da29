#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include <quasar/errors.hpp>

namespace quasar::python {
namespace nb = nanobind;

namespace {
PyObject* reject = nullptr;  // lives as long as the interpreter
}

nb::handle reject_type() { return reject; }

// Translators are asked in the reverse of this order: a Diverged is a RunError too, so it comes last.
void add_errors(nb::module_& module) {
  const nb::exception<UsageError> usage_error(module, "UsageError", PyExc_ValueError);
  const nb::exception<DataError> data_error(module, "DataError", PyExc_ValueError);
  const nb::exception<RunError> run_error(module, "RunError", PyExc_RuntimeError);
  const nb::exception<Diverged> diverged(module, "Diverged", run_error);
  const auto name = nb::cast<std::string>(module.attr("__name__")) + ".Reject";
  reject = PyErr_NewExceptionWithDoc(name.c_str(), "Raised by a log density to reject the point it was given.", nullptr,
                                     nullptr);
  module.attr("Reject") = nb::handle(reject);
}

}  // namespace quasar::python
