#!/usr/bin/env bash
# test.sh: installs what is missing and looks for defects without running anything (lint.sh); builds with Open MPI and runs all
# tests, then those of the collectives with MPICH; then, by clang, what is fast with the address and undefined behaviour
# sanitizers, the fuzzers for some seconds, and what has threads with the thread sanitizer. The GPU's kernels run on the host in
# the first build and that with sanitizers; where there is a CUDA toolkit, the first also compiles them for GPUs.
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

# Tests run side by side, each with threads of its own: threads that wait must not hold the cores.
export OMP_WAIT_POLICY=passive CTEST_OUTPUT_ON_FAILURE=1
jobs=$(nproc)

build() { # folder cmake-option...; builds $targets, or all
  echo "== Building $1 (${*:2})"
  # shellcheck disable=SC2086 # a list of words
  cmake --fresh -G Ninja -S . -B "$1" -DGHZ_WERROR=ON -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi "${@:2}" >"$1.log" 2>&1 ||
    { cat "$1.log" >&2 && false; }
  grep -- '-- ghz:' "$1.log" || true # what this machine lacks
  rm -f "$1.log"
  # shellcheck disable=SC2086 # a list of words
  cmake --build "$1" --target ${targets:-all} -- --quiet
}

run_tests() { # ctest-option...
  echo "== Testing ($*)"
  ctest -j "$jobs" --no-tests=error "$@"
}

# What a machine lacks something for is skipped. These must not be.
must_have_run() { # folder test...
  local test
  for test in "${@:2}"; do
    grep -q "<testcase name=\"$test\" .*status=\"run\"" "$1/junit.xml" || { echo "test.sh: $test did not run" >&2 && false; }
  done
}

# shellcheck disable=SC2086 # lists of words
need_packages $build_packages $test_packages $clang_packages
want_packages $test_wishes
started=$SECONDS
trap 'echo "test.sh: FAILED" >&2' ERR

scripts/lint.sh
build build-test -DCMAKE_BUILD_TYPE=Release
run_tests --test-dir build-test -LE long --output-junit junit.xml
must_have_run build-test format format_files cli_links cli_read_only cli_disk_full cli_faults_{files,memory,signals,threads}
targets=mpi_tests build build-test-mpich -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=OFF -DMPI_C_COMPILER=mpicc.mpich -DGHZ_BENCH=OFF
run_tests --test-dir build-test-mpich -L mpi -LE 'long|slow|simt'
build build-sanitize --preset sanitize
run_tests --preset sanitize --output-junit junit.xml
scripts/fuzz.sh 0.25
targets="threads fuzzers ghz_cli ghz_cli_tool mpi_values mpi_communicators mpi_random_calls" build build-thread --preset thread
run_tests --preset thread -L threads
echo "test.sh: all tests passed, plain and with sanitizers, in $((SECONDS - started)) s"
