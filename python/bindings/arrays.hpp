// NumPy arrays on their way in and out. Everything here needs the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <quasar/core.hpp>

namespace quasar::python {

namespace nb = nanobind;

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // read, of any shape
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::c_contig>;

// An uninitialised array that Python owns.
template <class T>
NewArray<T> new_array(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  auto memory = std::make_unique<T[]>(size);
  T* data = memory.get();
  const nb::capsule owner(memory.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return NewArray<T>(data, shape.size(), shape.data(), owner);
}

inline Eigen::Map<const Vec> as_vec(const Vector& array) { return {array.data(), static_cast<Index>(array.shape(0))}; }

// Rows of the array become columns: (chains, draws) arrives as draws x chains.
inline Eigen::Map<const Mat> transposed(const Matrix& array) {
  return {array.data(), static_cast<Index>(array.shape(1)), static_cast<Index>(array.shape(0))};
}

}  // namespace quasar::python
