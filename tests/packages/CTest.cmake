# Registers what of packaging/ can be tested anywhere; scripts/test-packages.sh does the rest.
# SPDX-License-Identifier: BSD-3-Clause
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME recipes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/recipes.py ${PROJECT_SOURCE_DIR} ${PROJECT_VERSION})
  set_tests_properties(recipes PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77)
endif()
