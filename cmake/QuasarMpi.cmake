# MPI by its C interface, for src/mpi alone. Asked for with ON it must be there, with AUTO it may be.
if(QUASAR_MPI AND (QUASAR_BUILD_CLI OR QUASAR_BUILD_TESTS))
  enable_language(C)  # FindMPI asks a C compiler
  if(QUASAR_MPI STREQUAL "AUTO")
    find_package(MPI COMPONENTS C)
  else()
    find_package(MPI REQUIRED COMPONENTS C)
  endif()
  if(NOT MPI_C_FOUND)
    message(STATUS "MPI is not installed: quasar will run in one process")
  endif()
endif()
