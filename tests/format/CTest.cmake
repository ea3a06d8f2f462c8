# FORMAT.md against the library: a second decoder, written from the text, must give the same values.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_executable(format_streams ${CMAKE_CURRENT_LIST_DIR}/make_streams.c)
  target_link_libraries(format_streams PRIVATE ghz::static ghz_flags m)
  add_test(NAME format COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check.py
                               $<TARGET_FILE:format_streams> ${CMAKE_CURRENT_LIST_DIR}/../../ghz/FORMAT.md)
  set_tests_properties(format PROPERTIES TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
