// Counts heap allocations, Eigen's included: it allocates with malloc, not new. Defines the hooks, so include it in one
// source file of a test program.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

namespace quasar::test {

inline std::atomic<long> allocation_count = 0;

}  // namespace quasar::test

// glibc's own entry point, so that no lookup has to happen inside an allocation.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++quasar::test::allocation_count;
  return __libc_malloc(size);
}
