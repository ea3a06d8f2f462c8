# check_symbols.cmake: fails unless a shared library exports what its public headers declare with
# GHZ_API or GHZ_API_CHECKED, that alone, and under the version GHZ_0.2, and a static one has no
# global name of C that does not begin with ghz_; those of C++ are of its kernels. Needs NM,
# LIBRARY, ARCHIVE and HEADERS.
# SPDX-License-Identifier: BSD-3-Clause
set(declared "")
foreach(header IN LISTS HEADERS)
  file(READ ${header} text)
  string(REGEX MATCHALL "\nGHZ_API(_CHECKED)? [^(;]*ghz_[a-z0-9_]+\\(" calls "${text}")
  foreach(call IN LISTS calls)
    string(REGEX REPLACE ".*[^a-z0-9_](ghz_[a-z0-9_]+)\\($" "\\1" name "${call}")
    list(APPEND declared ${name})
  endforeach()
endforeach()

execute_process(COMMAND ${NM} --extern-only --defined-only ${ARCHIVE} OUTPUT_VARIABLE output RESULT_VARIABLE result)
string(REGEX MATCHALL " [A-Za-z] [^ \n]+" names "${output}")
list(LENGTH names count)
list(FILTER names EXCLUDE REGEX "^ [A-Za-z] (ghz_|_Z|DW[.]ref[.])")
if(NOT result EQUAL 0 OR names OR count LESS 10)
  message(FATAL_ERROR "global in ${ARCHIVE}, of ${count}:${names}")
endif()

execute_process(COMMAND ${NM} -D --extern-only --defined-only ${LIBRARY} OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NM} failed on ${LIBRARY}")
endif()
set(exported "")
string(REGEX MATCHALL "[^ \n]+\n" names "${output}")
foreach(name IN LISTS names)
  string(STRIP "${name}" name)
  if(name MATCHES "^(ghz_[a-z0-9_]+)@@GHZ_0[.]2$")
    list(APPEND exported ${CMAKE_MATCH_1})
  elseif(NOT name MATCHES "^GHZ_0[.]2(@@GHZ_0[.]2)?$") # the second as llvm-nm has it
    message(FATAL_ERROR "exported: ${name}")
  endif()
endforeach()

set(missing ${declared})
list(REMOVE_ITEM missing ${exported})
set(secret ${exported})
list(REMOVE_ITEM secret ${declared})
list(LENGTH exported count)
if(missing OR secret OR count LESS 10)
  message(FATAL_ERROR "declared, not exported: '${missing}'; exported, not declared: '${secret}'; ${count} exported")
endif()
message(STATUS "${count} symbols, those of the headers")
