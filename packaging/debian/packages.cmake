# packages.cmake: the Debian packages of a build, which `cpack -G DEB` in its folder makes from the
# components of the installation: libghz0.2, libghz-dev, ghz, hdf5-filter-plugin-ghz, and
# libghzmpi<suffix>0.2 and -dev.
# scripts/test-packages.sh builds, checks and installs them, those of both MPIs.
# SPDX-License-Identifier: BSD-3-Clause
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/changelog newest LIMIT_COUNT 1)
string(REGEX REPLACE "^libghz \\(([^-]+)-([^)]+)\\).*" "\\1;\\2" newest "${newest}")
list(GET newest 0 CPACK_PACKAGE_VERSION)
list(GET newest 1 CPACK_DEBIAN_PACKAGE_RELEASE)
if(NOT CPACK_PACKAGE_VERSION STREQUAL PROJECT_VERSION)
  message(AUTHOR_WARNING "packaging/debian/changelog is of ${CPACK_PACKAGE_VERSION}, not ${PROJECT_VERSION}: no Debian packages")
  return()
endif()
set(deb_version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(abi ${ghz_abi})
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libghz)
set(CPACK_PACKAGE_CONTACT "The libghz authors <maintainers@libghz.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL "")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE libghz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/ghz) # libghz0.2 need not be installed
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish.cmake)

# What finish.cmake is told.
set(CPACK_GHZ_ABI ${abi})
set(CPACK_GHZ_DEB_VERSION ${deb_version})
set(CPACK_GHZ_BEFORE ${PROJECT_VERSION_MAJOR}.${next_minor}~)
set(CPACK_GHZ_DEBIAN_FOLDER ${CMAKE_CURRENT_LIST_DIR})
set(CPACK_GHZ_CONTROL_FOLDER ${PROJECT_BINARY_DIR}/packages)

macro(deb_package component name section multiarch depends summary description)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH ${multiarch})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  if(${section} STREQUAL "libs") # finish.cmake writes them
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${CPACK_GHZ_CONTROL_FOLDER}/${component}/symbols
      ${CPACK_GHZ_CONTROL_FOLDER}/${component}/triggers)
  endif()
endmacro()

set(about "libghz compresses arrays of floats under a strict error bound, and adds the
compressed arrays without decompressing them.")
if(TARGET ghz_shared)
  deb_package(libghz libghz${abi} libs same "" "error-bounded compression of floats and sums of compressed data"
    "${about}\n.\nThis package has the shared library.")
  set(static_needs "")
  if(GHZ_HAVE_ZSTD)
    set(static_needs ", libzstd-dev")
  endif()
  deb_package(libghz-dev libghz-dev libdevel same "libghz${abi} (= ${deb_version})${static_needs}" "development files of libghz"
    "${about}\n.\nThis package has the headers, the static library, what CMake and pkg-config
need, and the documentation.")
endif()
if(TARGET ghz_cli)
  deb_package(ghz ghz science foreign "" "compresses files of floats, and adds the compressed files"
    "${about}\n.\nThis package has the command ghz. (The load tester of the same name is another
program.)")
endif()
if(TARGET ghz_hdf5)
  deb_package(hdf5-plugin hdf5-filter-plugin-ghz science same "" "filter of HDF5 that compresses floats under an error bound"
    "${about}\n.\nThis package has the filter of HDF5. HDF5 finds it in the folder that
HDF5_PLUGIN_PATH names.")
endif()
if(TARGET ghz_mpi_shared)
  string(REPLACE "_" "-" suffix "${GHZ_MPI_SUFFIX}")
  set(mpi_dev "libopenmpi-dev")
  if(GHZ_MPICH)
    set(mpi_dev "libmpich-dev")
  endif()
  if(TARGET ghz_mpi_fortran) # the version of its module's format
    if(CMAKE_Fortran_COMPILER_VERSION VERSION_LESS 15)
      string(APPEND mpi_dev ", gfortran-mod-15")
    else()
      string(APPEND mpi_dev ", gfortran-mod-16")
    endif()
  endif()
  string(APPEND about "\nlibghzmpi has MPI collectives that send and add floats compressed.")
  deb_package(libghzmpi libghzmpi${suffix}${abi} libs same "libghz${abi} (= ${deb_version})"
    "MPI collectives of compressed floats (${GHZ_MPI_NAME})"
    "${about}\n.\nThis package has the shared library for ${GHZ_MPI_NAME}, and the library to
preload into programs that know nothing of it.")
  deb_package(libghzmpi-dev libghzmpi${suffix}-dev libdevel same
    "libghzmpi${suffix}${abi} (= ${deb_version}), libghz-dev (= ${deb_version}), ${mpi_dev}"
    "development files of libghzmpi (${GHZ_MPI_NAME})"
    "${about}\n.\nThis package has the static library, and what CMake and pkg-config need.")
endif()
include(CPack)
