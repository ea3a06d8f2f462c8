#!/usr/bin/env bash
# test.sh: installs what is missing, builds with Open MPI, and runs all tests; then those of the collectives with MPICH; then
# builds again with the address and undefined behaviour sanitizers and runs the fast ones. The GPU's kernels run on the host in
# the first and the last of these; where there is a CUDA toolkit, the first also compiles them for GPUs.
set -Eeuo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

# Tests run side by side, each with threads of its own: threads that wait must not hold the cores.
export OMP_WAIT_POLICY=passive CTEST_OUTPUT_ON_FAILURE=1
jobs=$(nproc)

build() { # folder cmake-option...; builds $targets, or all
  echo "== Building $1 (${*:2})"
  cmake --fresh -G Ninja -S "$root" -B "$root/$1" -DGHZ_WERROR=ON "${@:2}" >"$root/$1.log" 2>&1 ||
    { cat "$root/$1.log" >&2 && false; }
  grep -- '-- ghz:' "$root/$1.log" || true # what this machine lacks
  rm -f "$root/$1.log"
  cmake --build "$root/$1" --target "${targets:-all}" -- --quiet
}

run_tests() { # folder ctest-option...
  echo "== Testing $1"
  ctest --test-dir "$root/$1" -j "$jobs" --no-tests=error --output-junit junit.xml "${@:2}"
}

# shellcheck disable=SC2086 # lists of words
need_packages $build_packages $test_packages
want_packages $test_wishes
started=$SECONDS
trap 'echo "test.sh: FAILED" >&2' ERR

build build-test -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=AUTO -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi
run_tests build-test -LE long
targets=mpi_tests build build-test-mpich -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=OFF -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.mpich \
  -DGHZ_BENCH=OFF
run_tests build-test-mpich -L mpi -LE 'long|slow|simt'
build build-test-sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGHZ_SANITIZE=address,undefined -DGHZ_CUDA=OFF -DGHZ_BENCH=OFF \
  -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi
run_tests build-test-sanitize -LE 'slow|long'
echo "test.sh: all tests passed, plain and with sanitizers, in $((SECONDS - started)) s"
