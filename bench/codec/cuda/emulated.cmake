# bench/codec --device cuda on the emulated device: whether it works, without a GPU. Included by
# tests/, which makes ghz_emulated.
# SPDX-License-Identifier: BSD-3-Clause
include(${CMAKE_CURRENT_LIST_DIR}/../sources.cmake)
set(kernel ${PROJECT_SOURCE_DIR}/bench/codec/cuda/add_floats.cu)

add_library(bench_codec_emulated_kernel OBJECT ${kernel})
set_source_files_properties(${kernel} PROPERTIES LANGUAGE CXX)
target_compile_features(bench_codec_emulated_kernel PRIVATE cxx_std_17)
target_include_directories(bench_codec_emulated_kernel PRIVATE ${PROJECT_SOURCE_DIR}/ghz
  $<TARGET_PROPERTY:ghz_emulated,INTERFACE_INCLUDE_DIRECTORIES>)

add_executable(bench_codec_emulated ${bench_codec_sources} ${bench_codec_cuda_sources}
  $<TARGET_OBJECTS:bench_codec_emulated_kernel>)
target_compile_definitions(bench_codec_emulated PRIVATE GHZ_BENCH_CUDA)
target_link_libraries(bench_codec_emulated PRIVATE ghz_emulated ghz_internal ghz_openmp m)
set_target_properties(bench_codec_emulated PROPERTIES LINKER_LANGUAGE CXX)

foreach(type IN ITEMS f32 f64)
  add_test(NAME bench_cuda_${type} COMMAND bench_codec_emulated --device cuda --quick --bounds 1e-3 --sizes 40K --type ${type}
    --fields ${PROJECT_BINARY_DIR}/bench/fields)
  set_tests_properties(bench_cuda_${type} PROPERTIES TIMEOUT 120 FIXTURES_REQUIRED bench_fields LABELS simt
    ENVIRONMENT OMP_WAIT_POLICY=passive)
endforeach()
