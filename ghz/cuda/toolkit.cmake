# toolkit.cmake: finds a CUDA toolkit that works. Sets GHZ_HAVE_CUDA, and enables the language CUDA.
# enable_language() would end the build where a toolkit is broken, so a project of its own tries it
# first.
# SPDX-License-Identifier: BSD-3-Clause
set(GHZ_HAVE_CUDA OFF)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()
if(GHZ_CUDA STREQUAL "ON" OR (GHZ_CUDA AND NOT CMAKE_CROSSCOMPILING))
  find_program(CMAKE_CUDA_COMPILER NAMES $ENV{CUDACXX} nvcc PATHS /usr/local/cuda/bin)
  if(CMAKE_CUDA_COMPILER AND NOT GHZ_CUDA_TRIED STREQUAL "${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_ARCHITECTURES}")
    set(trial ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cuda)
    file(REMOVE_RECURSE ${trial})
    file(WRITE ${trial}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(trial LANGUAGES CUDA)\n"
      "if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)\n  message(FATAL_ERROR \"CUDA 12 or newer is needed\")\nendif()\n"
      "find_package(CUDAToolkit REQUIRED)\n")
    set(trial_settings "")
    foreach(setting IN ITEMS COMPILER ARCHITECTURES HOST_COMPILER FLAGS)
      if(DEFINED CMAKE_CUDA_${setting})
        string(REPLACE ";" "\\;" value "${CMAKE_CUDA_${setting}}") # a list stays one argument
        list(APPEND trial_settings "-DCMAKE_CUDA_${setting}=${value}")
      endif()
    endforeach()
    execute_process(COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${trial} -B ${trial}/build ${trial_settings}
      -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} RESULT_VARIABLE trial_failed OUTPUT_VARIABLE trial_says ERROR_VARIABLE trial_says)
    if(trial_failed)
      file(WRITE ${trial}/log "${trial_says}")
      set(ghz_cuda_fault " (${CMAKE_CUDA_COMPILER} does not work: see ${trial}/log)")
    else()
      set(GHZ_CUDA_TRIED "${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_ARCHITECTURES}" CACHE INTERNAL "The CUDA compiler that works")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER AND NOT trial_failed)
    set(GHZ_HAVE_CUDA ON)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(CMAKE_CUDA_LINKER_PREFERENCE_PROPAGATES 0) # no device code is linked: programs in C link as such
  elseif(GHZ_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GHZ_CUDA=ON, but there is no CUDA compiler${ghz_cuda_fault}")
  endif()
endif()
