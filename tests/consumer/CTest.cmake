# Registers the consumers with ctest. A sanitized library needs a sanitized program, so not there.
# SPDX-License-Identifier: BSD-3-Clause
if(NOT GHZ_SANITIZE)
  add_test(NAME consumer COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh ${PROJECT_BINARY_DIR} $<CONFIG>)
  set_tests_properties(consumer PROPERTIES TIMEOUT 300 ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
endif()
if(NOT GHZ_SANITIZE AND TARGET ghz_cli)
  add_test(NAME command_name COMMAND ${CMAKE_CURRENT_LIST_DIR}/command_name.sh ${PROJECT_SOURCE_DIR})
  set_tests_properties(command_name PROPERTIES TIMEOUT 600 PROCESSORS 2 LABELS slow ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
endif()
