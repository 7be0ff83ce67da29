# Installs the library, its public headers and the command line with its manual page and the completion of shells, and a package for find_package(quasar).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quasar)

install(TARGETS quasar EXPORT quasarTargets)
install(EXPORT quasarTargets NAMESPACE quasar:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quasar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(QUASAR_BUILD_CLI)
  install(TARGETS quasar_cli)
  set(completion ${PROJECT_SOURCE_DIR}/cli/completion)
  install(FILES ${completion}/quasar.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quasar)
  install(FILES ${completion}/quasar.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _quasar)
  install(FILES ${completion}/quasar.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${PROJECT_BINARY_DIR}/cli/quasar.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
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
