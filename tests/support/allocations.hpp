// Counts heap allocations, Eigen's included: it allocates with malloc, not new. Defines the hooks, so include it in one
// source file of a test program.
#pragma once

#include <atomic>
#include <cstddef>

namespace quasar::test {

inline std::atomic<long> allocation_count = 0;

}  // namespace quasar::test

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // they own malloc, and offer a hook

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
namespace quasar::test {
inline const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocation_count; }, [](const volatile void*) {});
}  // namespace quasar::test

#else

extern "C" void* __libc_malloc(std::size_t size);  // glibc's own entry point
extern "C" void* malloc(std::size_t size) {
  ++quasar::test::allocation_count;
  return __libc_malloc(size);
}

#endif
