# hdf5.cmake: finds the HDF5 that mean --var and add --var read and write by. A build without it
# says so.
# SPDX-License-Identifier: BSD-3-Clause
set(have_hdf5 0)
if(GHZ_HDF5)
  find_package(HDF5 1.10.5 COMPONENTS C)
  if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL) # that one needs MPI
    set(have_hdf5 1)
  elseif(GHZ_HDF5 STREQUAL "ON")
    message(FATAL_ERROR "GHZ_HDF5=ON, but there is no serial HDF5 of version 1.10.5 or later")
  endif()
endif()
target_compile_definitions(ghz_cli PRIVATE GHZ_HAVE_HDF5=${have_hdf5})
if(have_hdf5)
  list(GET HDF5_C_LIBRARIES 0 library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(dynamic MATCHES "soname: \\[([^]]+)\\]") # what a program that is linked to it asks for
    set(library ${CMAKE_MATCH_1})
  endif()
  target_sources(ghz_cli PRIVATE h5/chunks.c h5/combine.c h5/dl.c
    h5/paths.c h5/places.c h5/request.c h5/sets.c h5/values.c h5/variable.c)
  target_include_directories(ghz_cli SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
  target_compile_definitions(ghz_cli PRIVATE GHZ_HDF5_LIBRARY="${library}"
    ${HDF5_C_DEFINITIONS} H5_USE_110_API) # calls as in 1.10
  target_link_libraries(ghz_cli PRIVATE ghz_hdf5_filter ${CMAKE_DL_LIBS})
else()
  message(STATUS "ghz: no serial HDF5 (or GHZ_HDF5=OFF), so ghz mean and ghz add do not read HDF5 files")
endif()
