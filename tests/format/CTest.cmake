# FORMAT.md and FILE_FORMAT.md against the library and the command: a second decoder, written from
# the texts, must read the same.
# SPDX-License-Identifier: BSD-3-Clause
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "ghz: no Python 3, so the second decoder is not compared")
else()
  add_executable(format_streams ${CMAKE_CURRENT_LIST_DIR}/make_streams.c)
  target_link_libraries(format_streams PRIVATE ghz_reference ghz::static ghz_flags m)
  add_test(NAME format COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check.py
                               $<TARGET_FILE:format_streams> ${CMAKE_CURRENT_LIST_DIR}/../../ghz/FORMAT.md
                               ${PROJECT_BINARY_DIR}/tests/golden/streams ${CMAKE_CURRENT_LIST_DIR}/../golden/goldens.inc
                               ${PROJECT_BINARY_DIR}/tests/fuzz/seeds/decode)
  set_tests_properties(format PROPERTIES TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  if(TARGET ghz_cli)
    add_executable(format_append ${CMAKE_CURRENT_LIST_DIR}/append.c)
    target_link_libraries(format_append PRIVATE ghz::static ghz_flags m)
    add_test(NAME format_files COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_files.py
                                       $<TARGET_FILE:ghz_cli> $<TARGET_FILE:format_append> ${PROJECT_BINARY_DIR}/tests/golden/files
                                       ${CMAKE_CURRENT_LIST_DIR}/../../docs/FILE_FORMAT.md)
    set_tests_properties(format_files PROPERTIES TIMEOUT 300 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endif()
endif()
