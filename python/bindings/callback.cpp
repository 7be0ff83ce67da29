#include "callback.hpp"

#include <fmt/core.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "errors.hpp"

namespace quasar::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Numbers of a returned array, whatever it is: float64 and contiguous as it is, anything else through NumPy.
class ReturnedNumbers {
 public:
  explicit ReturnedNumbers(nb::handle array) {
    if (view(array) && plain()) return;
    release();
    converted_ = nb::module_::import_("numpy").attr("asarray")(array).attr("astype")("float64", nb::arg("order") = "C",
                                                                                     nb::arg("casting") = "same_kind");
    if (!view(converted_)) throw nb::python_error();
  }
  ~ReturnedNumbers() { release(); }
  ReturnedNumbers(const ReturnedNumbers&) = delete;
  ReturnedNumbers& operator=(const ReturnedNumbers&) = delete;

  std::span<const double> numbers() const {
    return {static_cast<const double*>(buffer_.buf), static_cast<std::size_t>(buffer_.len) / sizeof(double)};
  }
  std::string shape() const {
    std::string text;
    for (int i = 0; i < buffer_.ndim; ++i) text += fmt::format("{}{}", i ? ", " : "", buffer_.shape[i]);
    return fmt::format("({}{})", text, buffer_.ndim == 1 ? "," : "");
  }
  int axes() const { return buffer_.ndim; }

 private:
  bool view(nb::handle array) {
    viewed_ = PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0;
    if (!viewed_) PyErr_Clear();
    return viewed_;
  }
  bool plain() const { return buffer_.itemsize == sizeof(double) && std::strcmp(buffer_.format, "d") == 0; }
  void release() {
    if (std::exchange(viewed_, false)) PyBuffer_Release(&buffer_);
  }

  nb::object converted_;
  Py_buffer buffer_ = {};
  bool viewed_ = false;
};

void copy_numbers(nb::handle array, std::span<double> out, const char* what, int axes) {
  const ReturnedNumbers returned(array);
  if (returned.numbers().size() != out.size() || returned.axes() != axes) {
    throw nb::value_error(
        fmt::format("the function returned a {} of shape {} instead of {} numbers", what, returned.shape(), out.size())
            .c_str());
  }
  std::copy(returned.numbers().begin(), returned.numbers().end(), out.begin());
}

std::pair<PyObject*, PyObject*> two_parts(nb::handle result) {
  if (PyTuple_Check(result.ptr()) == 0 || PyTuple_GET_SIZE(result.ptr()) != 2) {
    throw nb::type_error("the function must return a tuple (log density, gradient)");
  }
  return {PyTuple_GET_ITEM(result.ptr(), 0), PyTuple_GET_ITEM(result.ptr(), 1)};
}

double as_number(PyObject* value) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 && PyErr_ExceptionMatches(PyExc_ValueError) == 0) {
      throw nb::python_error();
    }
    PyErr_Clear();
    throw nb::type_error("the log density that the function returned is not a number");
  }
  return number;
}

// nanobind's own exceptions (a wrong type, a wrong value) become Python's, so that all are kept alike.
nb::python_error as_python_error(const nb::builtin_exception& error) {
  PyErr_SetString(error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError, error.what());
  return {};
}

}  // namespace

std::string text_of(nb::handle object) {
  const auto bytes =
      nb::steal<nb::bytes>(PyUnicode_AsEncodedString(nb::str(object).ptr(), "utf-8", "backslashreplace"));
  return {bytes.c_str(), bytes.size()};
}

void RaisedError::keep(const nb::python_error& error) {
  if (exception_) return;
  const nb::object exception = nb::borrow(error.value());
  if (error.traceback().is_valid()) PyException_SetTraceback(exception.ptr(), error.traceback().ptr());
  exception_ = share(exception);
}

void RaisedError::raise_if_any() const {
  if (!exception_) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception_->ptr())), exception_->ptr());
  throw nb::python_error();
}

SharedObject share(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const InterpreterLock lock;
            delete held;
          }};
}

ArgumentArray::ArgumentArray(const ArgumentArray& other) : dtype_(other.dtype_), shape_(other.shape_) {
  const InterpreterLock lock;
  allocate();
}

ArgumentArray::~ArgumentArray() {
  const InterpreterLock lock;
  array_.reset();
}

void ArgumentArray::allocate() {
  array_ = nb::module_::import_("numpy").attr("empty")(nb::cast(shape_), dtype_);
  Py_buffer view;
  if (PyObject_GetBuffer(array_.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  memory_ = view.buf;  // stays where it is as long as the array lives
  bytes_ = static_cast<std::size_t>(view.len);
  PyBuffer_Release(&view);
}

void ArgumentArray::resize(Index size) {
  if (shape_.front() == size) return;
  shape_.front() = size;
  allocate();
}

bool ArgumentArray::is_as_it_was() const {
  if (Py_REFCNT(array_.ptr()) > 1) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(array_.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool same = view.buf == memory_ && std::equal(shape_.begin(), shape_.end(), view.shape, view.shape + view.ndim);
  PyBuffer_Release(&view);
  return same;
}

PyObject* ArgumentArray::fill(const void* bytes) {
  if (!is_as_it_was()) allocate();
  std::memcpy(memory_, bytes, bytes_);
  return array_.ptr();
}

Callback::Callback(nb::object function, std::shared_ptr<RaisedError> raised)
    : function_(share(std::move(function))), raised_(std::move(raised)) {}

void Callback::fail(const nb::python_error& error) {
  raised_->keep(error);
  throw RunError(fmt::format("the function raised {}", text_of(error.type().attr("__name__"))));
}

nb::object Callback::call(std::span<PyObject* const> arguments) {
  PyObject* result = PyObject_Vectorcall(function_->ptr(), arguments.data(), arguments.size(), nullptr);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

Eval Callback::operator()(std::span<PyObject* const> arguments, std::span<double> gradient) {
  try {
    const nb::object result = call(arguments);
    const auto [logp, grad] = two_parts(result);
    copy_numbers(grad, gradient, "gradient", 1);
    return {as_number(logp)};
  } catch (const nb::builtin_exception& error) {
    fail(as_python_error(error));
  } catch (const nb::python_error& error) {
    if (!error.matches(reject_type())) fail(error);
    rejection_ = text_of(error.value());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return {-infinity, false};
  }
}

void Callback::many(PyObject* points, std::span<double> logp, std::span<double> gradients) {
  try {
    const nb::object result = call({&points, 1});
    const auto [values, grads] = two_parts(result);
    copy_numbers(values, logp, "vector of log densities", 1);
    copy_numbers(grads, gradients, "matrix of gradients", 2);
  } catch (const nb::builtin_exception& error) {
    fail(as_python_error(error));
  } catch (const nb::python_error& error) {
    fail(error);
  }
}

}  // namespace quasar::python
