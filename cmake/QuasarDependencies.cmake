# Every dependency is a Debian/Ubuntu package; nothing is vendored. Used by the build and by the installed package. There a
# missing one means "quasar is not found", which stops only those who asked for quasar as REQUIRED.
include(CMakeFindDependencyMacro)

if(CMAKE_FIND_PACKAGE_NAME STREQUAL "quasar")
  set(quasar_required "")
  macro(quasar_find)
    find_dependency(${ARGN})
  endmacro()
else()
  set(quasar_required REQUIRED)
  macro(quasar_find)
    find_package(${ARGN} REQUIRED)
  endmacro()
endif()

quasar_find(Eigen3 3.4 NO_MODULE)
quasar_find(fmt)
quasar_find(hwy)
quasar_find(nlohmann_json)
quasar_find(tomlplusplus)
quasar_find(Threads)
quasar_find(ZLIB)
quasar_find(Boost)  # Boost.Math, header-only

# The CMake packages of these differ between distributions; their pkg-config files do not.
quasar_find(PkgConfig)
foreach(library netcdf hdf5 openblas)
  pkg_check_modules(${library} ${quasar_required} QUIET IMPORTED_TARGET GLOBAL ${library})
  if(NOT ${library}_FOUND)
    set(quasar_FOUND FALSE)
    set(quasar_NOT_FOUND_MESSAGE "pkg-config does not know ${library}")
  endif()
endforeach()
