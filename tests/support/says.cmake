# says.cmake: runs a command that has to end with STATUS, a regular expression (0 by default), and
# to say what REGEX describes: with PASS_REGULAR_EXPRESSION alone it could crash behind that.
# usage: cmake -DREGEX=... [-DSTATUS=...] -P says.cmake COMMAND...
# SPDX-License-Identifier: BSD-3-Clause
set(command)
set(i 0)
while(NOT CMAKE_ARGV${i} STREQUAL "-P") # and this file
  math(EXPR i "${i} + 1")
endwhile()
math(EXPR i "${i} + 2")
while(i LESS CMAKE_ARGC)
  list(APPEND command "${CMAKE_ARGV${i}}")
  math(EXPR i "${i} + 1")
endwhile()
execute_process(COMMAND ${command} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
message("${said}")
if(NOT DEFINED STATUS)
  set(STATUS 0)
endif()
if(NOT status MATCHES "^(${STATUS})$")
  message(FATAL_ERROR "ended with ${status}, not ${STATUS}")
elseif(NOT said MATCHES "${REGEX}")
  message(FATAL_ERROR "did not say ${REGEX}")
endif()
