# The label quick, which scripts/check.sh runs with less effort: the laws, and what takes at most
# three seconds of a processor. A new test is quick until it is named here.
# SPDX-License-Identifier: BSD-3-Clause
set(ghz_not_quick
  consumer consumer_mpi format format_files exhaustive exhaustive_sample simt
  cli_memory cli_faults cli_dims cli_killed
  ptx_.* cuda_gpu_api_.* cuda_gpu_compute_.* cuda_gpu_hostile_.*
  mpi_values_[358] mpi_memory_4 mpi_float_sums_.* mpi_device_.* intercept_.*)
list(JOIN ghz_not_quick "|" ghz_not_quick)

# At the end of each folder that has tests.
function(ghz_label_quick)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    get_property(labels TEST ${test} PROPERTY LABELS)
    if(NOT test MATCHES "^(${ghz_not_quick})$" AND NOT labels MATCHES "slow|long|gpu|exhaustive")
      set_property(TEST ${test} APPEND PROPERTY LABELS quick)
    endif()
  endforeach()
endfunction()
