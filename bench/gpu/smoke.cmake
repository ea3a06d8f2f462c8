# ghz_gpu_bench on the emulated device: whether it works, without a GPU. Included by tests/, which makes ghz_emulated.
if(NOT TARGET ghz_field_makers)
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/sources.cmake)

add_library(gpu_bench_emulated_kernel OBJECT ${CMAKE_CURRENT_LIST_DIR}/add_floats.cu)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/add_floats.cu PROPERTIES LANGUAGE CXX)
target_compile_features(gpu_bench_emulated_kernel PRIVATE cxx_std_17)
target_include_directories(gpu_bench_emulated_kernel PRIVATE $<TARGET_PROPERTY:ghz_emulated,INTERFACE_INCLUDE_DIRECTORIES>)

add_executable(ghz_gpu_bench_emulated ${gpu_bench_sources} $<TARGET_OBJECTS:gpu_bench_emulated_kernel>)
target_link_libraries(ghz_gpu_bench_emulated PRIVATE ghz_emulated ghz_flags ghz_field_makers OpenMP::OpenMP_C m)
set_target_properties(ghz_gpu_bench_emulated PROPERTIES LINKER_LANGUAGE CXX)

add_test(NAME gpu_bench COMMAND ghz_gpu_bench_emulated --smoke)
set_tests_properties(gpu_bench PROPERTIES TIMEOUT 120)
