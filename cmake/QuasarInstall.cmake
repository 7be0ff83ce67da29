# Installs the library, its public headers and the command line, and a package for find_package(quasar).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quasar)

install(TARGETS quasar EXPORT quasarTargets)
install(EXPORT quasarTargets NAMESPACE quasar:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quasar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(QUASAR_BUILD_CLI)
  install(TARGETS quasar_cli)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/quasarConfig.cmake.in ${PROJECT_BINARY_DIR}/quasarConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quasarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/quasarConfig.cmake
  ${PROJECT_BINARY_DIR}/quasarConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/QuasarDependencies.cmake
  DESTINATION ${package_dir})
