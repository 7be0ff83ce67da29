# quasar_precompile(TARGET HEADER...): parses once what most sources of a target include of others' headers: one to
# two seconds of each. Ours are not among them, and every file still names what it needs: the `clang` preset, which has nothing
# precompiled, does not compile otherwise.
option(QUASAR_PRECOMPILE "Precompile headers of the standard library and of dependencies" ON)

set(quasar_common_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric> <optional> <span>
  <stdexcept> <stop_token> <string> <string_view> <utility> <vector> <Eigen/Core>)

function(quasar_precompile target)
  if(NOT QUASAR_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${quasar_common_headers} ${ARGN})
  quasar_options_of_precompiled(${target})
endfunction()

# quasar_precompile_like(TARGET OTHER): the headers of another target with the same options.
function(quasar_precompile_like target other)
  if(NOT QUASAR_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${other})
  quasar_options_of_precompiled(${target})
endfunction()

function(quasar_options_of_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
endfunction()
