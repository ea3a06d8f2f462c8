# manual.cmake: ghz_manual() makes a manual page of section 3 from public headers, and installs it.
# SPDX-License-Identifier: BSD-3-Clause
find_program(AWK awk)
set(ghz_man_awk ${CMAKE_CURRENT_LIST_DIR}/man.awk)
if(NOT AWK)
  message(STATUS "ghz: no awk, so the manual pages of the libraries are not made")
endif()

# ghz_manual(<page> <what it is> <pkg-config's name> <public header>...)
function(ghz_manual page about link)
  if(NOT AWK)
    return()
  endif()
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${page}.3)
  add_custom_command(OUTPUT ${to} COMMAND ${AWK} -v name=${page} -v about=${about} -v version=${PROJECT_VERSION}
    -v link=${link} -f ${ghz_man_awk} ${ARGN} > ${to} DEPENDS ${ghz_man_awk} ${ARGN} VERBATIM)
  add_custom_target(${page}_manual ALL DEPENDS ${to})
  install(FILES ${to} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libghz-dev)
endfunction()
