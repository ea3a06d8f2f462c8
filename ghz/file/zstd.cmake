# zstd.cmake: finds libzstd, which packs frames of files. Sets GHZ_HAVE_ZSTD, makes PkgConfig::ZSTD.
# SPDX-License-Identifier: BSD-3-Clause
set(GHZ_HAVE_ZSTD OFF)
if(GHZ_ZSTD)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(ZSTD IMPORTED_TARGET GLOBAL libzstd>=1.4.0)
    set(GHZ_HAVE_ZSTD ${ZSTD_FOUND})
  endif()
  if(NOT GHZ_HAVE_ZSTD AND GHZ_ZSTD STREQUAL "ON")
    message(FATAL_ERROR "GHZ_ZSTD=ON, but pkg-config finds no libzstd of 1.4.0 or later")
  endif()
endif()
