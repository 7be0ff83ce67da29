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
foreach(library netcdf hdf5 openblas fftw3)
  pkg_check_modules(${library} ${quasar_required} QUIET IMPORTED_TARGET GLOBAL ${library})
  if(NOT ${library}_FOUND)
    set(quasar_FOUND FALSE)
    set(quasar_NOT_FOUND_MESSAGE "pkg-config does not know ${library}")
  endif()
endforeach()

# Those of libsndfile name folders of headers that its own does not include, for every source to be compiled with.
find_path(QUASAR_SNDFILE_FOLDER sndfile.h ${quasar_required})
find_library(QUASAR_SNDFILE sndfile ${quasar_required})
mark_as_advanced(QUASAR_SNDFILE_FOLDER QUASAR_SNDFILE)
if(NOT QUASAR_SNDFILE_FOLDER OR NOT QUASAR_SNDFILE)
  set(quasar_FOUND FALSE)
  set(quasar_NOT_FOUND_MESSAGE "there is no libsndfile with its header sndfile.h")
elseif(NOT TARGET quasar::sndfile)
  add_library(quasar::sndfile UNKNOWN IMPORTED GLOBAL)
  set_target_properties(quasar::sndfile PROPERTIES
    IMPORTED_LOCATION "${QUASAR_SNDFILE}" INTERFACE_INCLUDE_DIRECTORIES "${QUASAR_SNDFILE_FOLDER}")
endif()
