#!/usr/bin/env bash
# test.sh: runs everything that guards a law or a promise, and installs what is missing: lint.sh;
# the plain build with Open MPI, all its tests, the kernels compiled for GPUs where there is a CUDA
# toolkit; what asks an MPI with MPICH; what is fast with the address and undefined-behaviour
# sanitizers, the fuzzers' inputs among it; threads with the thread sanitizer; the Python package,
# plugins and Debian packages. What has not changed since this script last passed here (changed.sh)
# is left out of the last three and of the analyzer; a fresh clone has all. Ends with what each part
# took, what was skipped and why, and whether all parts ran.
# usage: scripts/test.sh [--all]
#   --all: everything, at full strength: also what is labelled long, the analyzer over all files,
#          all of the collectives with MPICH, every plugin and package, and the fuzzers for a while
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
all=${1:-}
[ -z "$all" ] || [ "$all" = --all ] || { sed -n '/^# usage:/s/^# //p' scripts/test.sh >&2 && exit 2; }
# shellcheck source=scripts/parts.sh
. scripts/parts.sh
# shellcheck source=scripts/changed.sh
. scripts/changed.sh
unset GHZ_BASE # only what passed here may leave anything out
fresh=1
left_out='' # parts
tested=$(clean_commit)

# What a machine lacks something for is skipped. These must not be.
must_have_run() { # folder test...
  local test
  for test in "${@:2}"; do
    grep -q "<testcase name=\"$test\" .*status=\"run\"" "$1/junit.xml" || { echo "test.sh: $test did not run" >&2 && false; }
  done
}

may_skip() { # name script...: which exits with 77 where it cannot be tried
  local status=0
  "${@:2}" || status=$?
  [ $status != 77 ] || { left_out+=", $1 (cannot be tried here)" && return 0; }
  return $status
}

part_if_changed() { # extended-regular-expression name script...
  if [ -n "$all" ] || has_changed "^($1)"; then
    part "$2" may_skip "${@:2}"
  else
    left_out+=", $2 (not changed since $(git rev-parse --short "$(change_base)"))"
  fi
}

fast='long|slow'
usual='long'
# With the sanitizers left to --all: programs that are not ours with the library preloaded, and what
# runs the same code of ours as a test beside it, with other sizes.
twice='^(intercept_|mpi_device_(values|bytes)_direct|mpi_device_steady|cuda_gpu_compute_|mpi_values_[35])'
# What asks MPI itself: communicators, types, errors, processes that end; programs of others.
asks_mpi='^(mpi_(communicators|random_calls|death|refusal|late|left)_|intercept_(choice|fortran))'
mpi_programs="mpi_communicators mpi_random_calls mpi_death mpi_refusal mpi_late mpi_left
  ghz_mpi_intercept ghz_intercept_shapes ghz_intercept_medley ghz_intercept_fortran"
architectures=-DCMAKE_CUDA_ARCHITECTURES=90-real # one of those that releases have
sanitized_effort=0.33
[ -z "$all" ] || { fast='slow' usual='nothing' twice='nothing' asks_mpi=. mpi_programs=mpi_tests architectures='' sanitized_effort=1; }

part "static analysis" scripts/lint.sh $all
# shellcheck disable=SC2086 # nothing, or one word
part "build, gcc, Open MPI" build build-test -DCMAKE_BUILD_TYPE=Release $architectures
part "  all tests" run_tests build-test -LE "$usual"
must_have_run build-test format format_files cli_links cli_read_only cli_disk_full cli_killed cli_faults
targets=$mpi_programs part "build, gcc, MPICH" build build-test-mpich -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=OFF \
  -DMPI_C_COMPILER=mpicc.mpich -DGHZ_BENCH=OFF
part "  what asks an MPI" run_tests build-test-mpich -L mpi -R "$asks_mpi" -LE "$fast|simt"
export GHZ_TEST_EFFORT=$sanitized_effort
part "build, clang, sanitizers" build build-sanitize --preset sanitize
part "  fast tests, fuzz replay" run_tests build-sanitize -LE "$fast" -E "$twice"
targets=thread_tests part "build, clang, threads" build build-thread --preset thread
part "  threads" run_tests build-thread --preset thread -L threads
unset GHZ_TEST_EFFORT
library='CMakeLists.txt|ghz/|plugins/hdf5/|scripts/(parts|packages)'
part_if_changed "$library|plugins/python/|docs/(PYTHON|ZARR|HDF5|TRAINING)|examples/train_text|bench/(torch|cluster/)|scripts/test-python" "Python package" scripts/test-python.sh
part_if_changed "$library|plugins/(adios2|libpressio)/|scripts/test-plugins" "plugins of ADIOS2, libpressio" scripts/test-plugins.sh
# shellcheck disable=SC2046 # nothing, or one word
part_if_changed "$library|cli/|collectives/|packaging/|.*CMakeLists.txt|docs/|examples/|tests/(packages|consumer)/|scripts/test-packages" \
  "Debian packages" scripts/test-packages.sh $([ -n "$all" ] || echo --build)
[ -z "$all" ] || part "fuzzers" scripts/fuzz.sh 5
if [ -n "$tested" ] && [ "$tested" = "$(clean_commit)" ] && [[ $left_out != *"cannot be tried"* ]]; then
  echo "$tested" >"$passed_commit"
fi
ran="all parts ran"
[ -z "$left_out" ] || ran="left out: ${left_out#, }"
end_of_parts "test.sh: all tests passed, plain and with sanitizers; $ran"
