# One interface target carries the flags of our own code; nothing of it reaches a consumer.
add_library(quasar_options INTERFACE)
# The same binary must give the same bits: no fused multiply-add behind our back, no -march (Eigen's alignment and
# reductions depend on it). SIMD lives in src/simd, chosen at run time.
target_compile_options(quasar_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(QUASAR_WERROR)
  target_compile_options(quasar_options INTERFACE -Werror)
endif()
if(QUASAR_SANITIZE)
  target_compile_options(quasar_options INTERFACE -fsanitize=${QUASAR_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  if(QUASAR_SANITIZE MATCHES undefined)
    # A check at every pointer that Eigen touches takes GCC four times as long to compile, and AddressSanitizer sees
    # null pointers and objects that are too small at run time. The fuzz targets of the parsers have these checks too.
    target_compile_options(quasar_options INTERFACE -fno-sanitize=null,alignment,pointer-overflow,object-size,vptr)
  endif()
  target_link_options(quasar_options INTERFACE -fsanitize=${QUASAR_SANITIZE})
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
