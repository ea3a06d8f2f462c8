# xxhash.cmake: finds the header of xxHash, which is compiled into the library. Sets
# GHZ_HAVE_XXHASH, and GHZ_XXHASH_INCLUDE.
# SPDX-License-Identifier: BSD-3-Clause
find_path(GHZ_XXHASH_INCLUDE xxhash.h)
mark_as_advanced(GHZ_XXHASH_INCLUDE)
set(GHZ_HAVE_XXHASH OFF)
if(EXISTS "${GHZ_XXHASH_INCLUDE}/xxhash.h")
  file(STRINGS ${GHZ_XXHASH_INCLUDE}/xxhash.h minor REGEX "^#define XXH_VERSION_MINOR ")
  if(minor MATCHES " ([0-9]+)$" AND CMAKE_MATCH_1 GREATER_EQUAL 8) # 0.8 has the final XXH3
    set(GHZ_HAVE_XXHASH ON)
  endif()
endif()
